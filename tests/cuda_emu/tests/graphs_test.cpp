// Capture and replay.
#include <atomic>
#include <thread>

#include "tests/device.hpp"

namespace cuda_emu_test {
namespace {

CUgraphExec instantiate(CUgraph graph) {
  CUgraphExec executable = nullptr;
  EXPECT_CUDA(cuGraphInstantiate(&executable, graph, 0));
  return executable;
}

std::size_t nodes(CUgraph graph) {
  std::size_t count = 0;
  EXPECT_CUDA(cuGraphGetNodes(graph, nullptr, &count));
  return count;
}

CUstreamCaptureStatus status(CUstream stream) {
  CUstreamCaptureStatus now{};
  EXPECT_CUDA(cuStreamIsCapturing(stream, &now));
  return now;
}

void begin(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) {
  EXPECT_CUDA(cuStreamBeginCapture(stream, mode));
}

CUgraph end(CUstream stream) {
  CUgraph graph = nullptr;
  EXPECT_CUDA(cuStreamEndCapture(stream, &graph));
  return graph;
}

// Begins a capture of `one` that goes on in `two` and does not come back. Returns the event between them.
CUevent begin_fork(CUstream one, CUstream two) {
  const CUevent fork = event(CU_EVENT_DISABLE_TIMING);
  std::uint32_t* const memory = pinned(1);
  begin(one);
  EXPECT_CUDA(cuEventRecord(fork, one));
  EXPECT_CUDA(cuStreamWaitEvent(two, fork, 0));
  EXPECT_CUDA(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 1, 1, two));
  return fork;
}

TEST(Graphs, DoNothingWhileCaptured) {
  start();
  const CUstream one = stream();
  std::uint32_t* const memory = pinned(4);
  const CUfunction add = function("add");
  begin(one);
  EXPECT_EQ(status(one), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_CUDA(launch(add, 2, one, AddParameters{memory, 4, 1}));
  const CUgraph graph = end(one);
  EXPECT_EQ(status(one), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_CUDA(cuStreamSynchronize(one));
  EXPECT_EQ(memory[0], 0U);
  EXPECT_EQ(nodes(graph), 1U);
}

TEST(Graphs, AreLaunchedAThousandTimes) {
  start();
  const CUstream one = stream(), two = stream();
  const CUevent fork = event(CU_EVENT_DISABLE_TIMING), join = event(CU_EVENT_DISABLE_TIMING);
  const CUfunction add = function("add");
  const CUdeviceptr memory = allocate(400), copy = allocate(400);
  EXPECT_CUDA(cuMemsetD32(memory, 0, 100));
  EXPECT_CUDA(cuCtxSynchronize());
  std::atomic<int> calls = 0;
  begin(one, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_CUDA(launch(add, 1, one, AddParameters{words(memory), 100, 1}));
  EXPECT_CUDA(cuEventRecord(fork, one));
  EXPECT_CUDA(cuStreamWaitEvent(two, fork, 0));
  EXPECT_EQ(status(two), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_CUDA(launch(add, 3, two, AddParameters{words(memory), 100, 2}));
  EXPECT_CUDA(cuLaunchHostFunc(
      two, [](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &calls));
  EXPECT_CUDA(cuEventRecord(join, two));
  EXPECT_CUDA(cuStreamWaitEvent(one, join, 0));
  EXPECT_CUDA(cuMemcpyDtoDAsync(copy, memory, 400, one));
  const CUgraph graph = end(one);
  EXPECT_EQ(nodes(graph), 4U);
  EXPECT_EQ(status(two), CU_STREAM_CAPTURE_STATUS_NONE);
  const CUgraphExec executable = instantiate(graph);
  EXPECT_CUDA(cuGraphDestroy(graph));
  for (int i = 0; i < 1000; ++i) EXPECT_CUDA(cuGraphLaunch(executable, i % 2 == 0 ? one : two));
  EXPECT_CUDA(cuCtxSynchronize());
  EXPECT_EQ(read(copy, 100), std::vector<std::uint32_t>(100, 3000));
  EXPECT_EQ(calls, 1000);
  EXPECT_CUDA(cuGraphExecDestroy(executable));
  EXPECT_EQ(cuGraphLaunch(executable, one), CUDA_ERROR_INVALID_VALUE);
}

TEST(Graphs, RecordEventsThatOthersWaitFor) {
  start();
  const CUstream one = stream();
  const CUevent outside = event(CU_EVENT_DISABLE_TIMING);
  std::uint32_t* const memory = pinned(2);
  const CUfunction wait = function("wait_for_flag");
  begin(one);
  EXPECT_CUDA(launch(wait, 1, one, WaitParameters{memory, 1, 1, memory + 1}));
  EXPECT_CUDA(cuEventRecordWithFlags(outside, one, CU_EVENT_RECORD_EXTERNAL));
  const CUgraph graph = end(one);
  EXPECT_CUDA(cuGraphLaunch(instantiate(graph), one));
  EXPECT_EQ(cuEventQuery(outside), CUDA_ERROR_NOT_READY);
  std::atomic_ref<std::uint32_t>(memory[0]).store(1);
  EXPECT_CUDA(cuEventSynchronize(outside));
  EXPECT_EQ(memory[1], 1U);
}

TEST(Capture, WaitingInvalidatesIt) {
  start();
  const CUstream one = stream();
  begin(one);
  EXPECT_EQ(cuStreamSynchronize(one), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(status(one), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(one, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_CUDA(cuStreamSynchronize(one));
}

TEST(Capture, AllocatingInvalidatesItUnlessRelaxed) {
  start();
  const CUstream one = stream();
  CUdeviceptr pointer = 0;
  CUgraph graph = nullptr;
  begin(one, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(cuMemAlloc(&pointer, 16), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(one, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(one, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_CUDA(cuMemAlloc(&pointer, 16));
  end(one);
  begin(one, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_CUDA(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  EXPECT_CUDA(cuMemFree(pointer));
  end(one);
}

TEST(Capture, BelongsToItsThread) {
  const CUcontext context = start();
  const CUstream one = stream();
  begin(one);
  std::thread([&] {
    EXPECT_CUDA(cuCtxSetCurrent(context));
    CUdeviceptr pointer = 0;
    EXPECT_CUDA(cuMemAlloc(&pointer, 16));  // thread-local: others may
    CUgraph graph = nullptr;
    EXPECT_EQ(cuStreamEndCapture(one, &graph), CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  end(one);
}

TEST(Capture, MustBeJoined) {
  start();
  const CUstream one = stream(), two = stream();
  const CUevent fork = begin_fork(one, two);
  EXPECT_EQ(cuEventQuery(fork), CUDA_ERROR_CAPTURED_EVENT);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(two, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_NE(cuStreamEndCapture(one, &graph), CUDA_SUCCESS);
  EXPECT_EQ(status(two), CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST(Capture, ForksThatAreNotJoinedAreAnError) {
  start();
  const CUstream one = stream(), two = stream();
  begin_fork(one, two);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(one, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST(Capture, DoesNotWaitForWorkOutside) {
  start();
  const CUstream one = stream(), two = stream();
  const CUevent outside = event(CU_EVENT_DISABLE_TIMING);
  EXPECT_CUDA(cuEventRecord(outside, two));
  begin(one);
  EXPECT_EQ(cuStreamWaitEvent(one, outside, 0), CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(one, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST(Capture, TheDefaultStreamIsInTheWayOfOnesThatBlock) {
  start();
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  std::uint32_t* const memory = pinned(1);
  EXPECT_EQ(cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  begin(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 1, 1, nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUgraph graph = nullptr;
  EXPECT_EQ(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

}  // namespace
}  // namespace cuda_emu_test
