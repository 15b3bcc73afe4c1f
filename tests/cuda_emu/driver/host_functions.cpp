// Functions of the program that streams call, and stream memory operations. One thread of the driver calls them, in the
// application, where their data is.
#include <thread>

#include "driver/driver.hpp"
#include "shared/message_socket.hpp"

namespace cuda_emu {
namespace {

thread_local bool calls_host_functions = false;

void call(const HostFunction& function) {
  if (function.stream == 0) {
    reinterpret_cast<CUhostFn>(function.function)(reinterpret_cast<void*>(function.data));
  } else {
    reinterpret_cast<CUstreamCallback>(function.function)(reinterpret_cast<CUstream>(function.stream), CUDA_SUCCESS,
                                                          reinterpret_cast<void*>(function.data));
  }
}

// Ends when the executor does.
void serve(Executor& executor, int socket) {
  calls_host_functions = true;
  Received received;
  while (receive_message(socket, received)) {
    Message message = received.message;
    call(message.host_function);
    message.kind = Kind::kHostFunctionDone;
    message.host_function.slot = message.stream;
    message.host_function.number = message.number;
    executor.send(message);
  }
}

void submit_function(Driver& driver, CUstream_st& stream, const HostFunction& function) {
  if (!driver.host_function_thread_started) {
    std::thread(serve, std::ref(*driver.executor), driver.executor->host_function_socket()).detach();
    driver.host_function_thread_started = true;
  }
  Message message{};
  message.kind = Kind::kHostFunction;
  message.host_function = function;
  submit(driver, stream, message);
}

CUresult submit_value(Kind kind, CUstream stream, const Value& value) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    const Allocation* const allocation = driver.memory.find(value.address);
    require(allocation != nullptr && value.address % value.bytes == 0);
    Message message{};
    message.kind = kind;
    message.value = value;
    submit(driver, stream_of(driver, context, stream), message);
  });
}

std::uint64_t address_of(void (*function)()) { return reinterpret_cast<std::uint64_t>(function); }

}  // namespace

// They may not call CUDA: what they would wait for waits for them.
bool in_host_function() { return calls_host_functions; }

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(function != nullptr);
    HostFunction wanted{};
    wanted.function = address_of(reinterpret_cast<void (*)()>(function));
    wanted.data = reinterpret_cast<std::uint64_t>(data);
    submit_function(driver, stream_of(driver, context, stream), wanted);
  });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback function, void* data, unsigned flags) {
  return enter_context([&](Driver& driver, CUctx_st& context) {
    require(function != nullptr && flags == 0);
    CUstream_st& stream = stream_of(driver, context, handle);
    require(!stream.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    HostFunction wanted{};
    wanted.function = address_of(reinterpret_cast<void (*)()>(function));
    wanted.data = reinterpret_cast<std::uint64_t>(data);
    wanted.stream = reinterpret_cast<std::uint64_t>(handle == nullptr ? CU_STREAM_LEGACY : handle);
    submit_function(driver, stream, wanted);
  });
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return submit_value(Kind::kWriteValue, stream, {address, value, 4, flags});
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return submit_value(Kind::kWriteValue, stream, {address, value, 8, flags});
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return submit_value(Kind::kWaitValue, stream, {address, value, 4, flags});
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return submit_value(Kind::kWaitValue, stream, {address, value, 8, flags});
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned count, CUstreamBatchMemOpParams* operations, unsigned /*flags*/) {
  if (operations == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const CUstreamBatchMemOpParams& one = operations[i];
    const auto& wait = one.waitValue;
    const auto& write = one.writeValue;
    CUresult result = CUDA_SUCCESS;
    switch (one.operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        result = cuStreamWaitValue32(stream, wait.address, wait.value, wait.flags);
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        result = cuStreamWaitValue64(stream, wait.address, wait.value64, wait.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        result = cuStreamWriteValue32(stream, write.address, write.value, write.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        result = cuStreamWriteValue64(stream, write.address, write.value64, write.flags);
        break;
      case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        break;
      default:
        result = CUDA_ERROR_NOT_SUPPORTED;
    }
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}
