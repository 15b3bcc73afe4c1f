// Streams, events, host functions and graphs.
#include "runtime/call.hpp"

using namespace cuda_emu_runtime;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamCreateWithPriority(stream, flags, priority); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, cudaStreamDefault); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamDestroy(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamSynchronize(stream); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamQuery(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamWaitEvent(stream, event, flags); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamGetFlags(stream, flags); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamGetPriority(stream, priority); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamGetId(stream, id); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned flags) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuStreamAddCallback(stream, reinterpret_cast<CUstreamCallback>(function), data, flags);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return with_device([&](const DriverCalls& driver) { return driver.cuLaunchHostFunc(stream, function, data); });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes, unsigned flags) {
  return with_device(
      [&](const DriverCalls& driver) { return driver.cuStreamAttachMemAsync(stream, address(pointer), bytes, flags); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventCreate(event, flags); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventDestroy(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventRecord(event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventRecordWithFlags(event, stream, flags); });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventQuery(event); });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventSynchronize(event); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return with_device([&](const DriverCalls& driver) { return driver.cuEventElapsedTime(milliseconds, from, to); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuIpcGetEventHandle(reinterpret_cast<CUipcEventHandle*>(handle), event);
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuIpcOpenEventHandle(event, reinterpret_cast<const CUipcEventHandle&>(handle));
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_device(
      [&](const DriverCalls& driver) { return driver.cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode)); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_device([&](const DriverCalls& driver) { return driver.cuStreamEndCapture(stream, graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuStreamIsCapturing(stream, reinterpret_cast<CUstreamCaptureStatus*>(status));
  });
}

// What was captured so far cannot be had.
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  return with_device([&](const DriverCalls& driver) {
    cuuint64_t number = 0;
    const CUresult result =
        driver.cuStreamGetCaptureInfo(stream, reinterpret_cast<CUstreamCaptureStatus*>(status), &number, graph, dependencies,
                                      reinterpret_cast<const CUgraphEdgeData**>(edges), count);
    if (id != nullptr) *id = number;
    return result;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return with_device([&](const DriverCalls& driver) {
    return driver.cuThreadExchangeStreamCaptureMode(reinterpret_cast<CUstreamCaptureMode*>(mode));
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuGraphCreate(graph, flags); });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return with_device([&](const DriverCalls& driver) { return driver.cuGraphDestroy(graph); });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return with_device([&](const DriverCalls& driver) { return driver.cuGraphInstantiate(executable, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuGraphUpload(executable, stream); });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return with_device([&](const DriverCalls& driver) { return driver.cuGraphLaunch(executable, stream); });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return with_device([&](const DriverCalls& driver) { return driver.cuGraphExecDestroy(executable); });
}
