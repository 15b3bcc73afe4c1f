// A rank of a test that takes calls on host buffers and makes them on buffers of another kind of memory: so what is known to
// be right for host buffers (check_case) is asked of all kinds.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

#include "check.hpp"
#include "comm/communicator.hpp"
#include "comm/staging.hpp"

namespace xylem::test {

enum class BufferKind : std::uint8_t { device, pool, host, pinned, managed };
inline constexpr std::size_t kBufferKinds = 5;

// A range of host memory that has its place in memory of some kind for a while.
class Elsewhere {
 public:
  Elsewhere(BufferKind kind, const void* host, std::size_t bytes)
      : kind_(kind), host_(const_cast<void*>(host)), bytes_(bytes) {
    if (bytes_ == 0) return;
    allocate(bytes_ + kOffset);
    check(cudaMemcpy(data(), host, bytes_, cudaMemcpyDefault), "cudaMemcpy");
  }
  ~Elsewhere() {
    if (memory_ == nullptr) return;
    if (kind_ == BufferKind::host) {
      delete[] static_cast<std::byte*>(memory_);
    } else if (kind_ == BufferKind::pinned) {
      cudaFreeHost(memory_);
    } else if (kind_ == BufferKind::pool) {
      cudaFreeAsync(memory_, nullptr);
    } else {
      cudaFree(memory_);
    }
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

  std::byte* data() const { return memory_ == nullptr ? nullptr : static_cast<std::byte*>(memory_) + kOffset; }
  void bring_back() const {
    if (bytes_ != 0) check(cudaMemcpy(host_, data(), bytes_, cudaMemcpyDefault), "cudaMemcpy");
  }

 private:
  static constexpr std::size_t kOffset = 192;  // it does not begin its allocation

  void allocate(std::size_t bytes) {
    if (kind_ == BufferKind::host) memory_ = new std::byte[bytes];
    if (kind_ == BufferKind::pinned) check(cudaMallocHost(&memory_, bytes), "cudaMallocHost");
    if (kind_ == BufferKind::pool) check(cudaMallocAsync(&memory_, bytes, nullptr), "cudaMallocAsync");
    if (kind_ == BufferKind::managed) check(cudaMallocManaged(&memory_, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
    if (kind_ == BufferKind::device) check(cudaMalloc(&memory_, bytes), "cudaMalloc");
  }

  BufferKind kind_;
  void* host_;
  std::size_t bytes_;
  void* memory_ = nullptr;
};

enum class Form : std::uint8_t { blocking, in_stream, nonblocking };
inline constexpr std::size_t kForms = 3;

class DeviceRank {
 public:
  explicit DeviceRank(Communicator& communicator) : communicator_(communicator) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~DeviceRank() { cudaStreamDestroy(stream_); }
  DeviceRank(const DeviceRank&) = delete;
  DeviceRank& operator=(const DeviceRank&) = delete;

  // Of the calls that follow.
  void use(BufferKind input, BufferKind output, Form form) {
    input_ = input;
    output_ = output;
    form_ = form;
  }

  std::uint32_t rank() const { return communicator_.rank(); }
  std::uint32_t size() const { return communicator_.size(); }
  const std::string& error() const { return communicator_.error(); }

  xylem_status run(const Call& call) {
    const BufferBytes bytes = buffer_bytes(call, rank(), size());
    const auto* const input = static_cast<const std::byte*>(call.input);
    auto* const output = static_cast<std::byte*>(call.output);
    const bool in_place =
        bytes.input != 0 && bytes.output != 0 && input < output + bytes.output && output < input + bytes.input;
    const std::byte* const begin = in_place ? std::min<const std::byte*>(input, output) : input;
    const std::byte* const end = in_place ? std::max<const std::byte*>(input + bytes.input, output + bytes.output) : input;
    const Elsewhere first(input_, begin, in_place ? static_cast<std::size_t>(end - begin) : bytes.input);
    const Elsewhere second(output_, output, in_place ? 0 : bytes.output);
    Call made = call;
    made.input = first.data() + (bytes.input != 0 ? input - begin : 0);
    made.output = in_place ? first.data() + (output - begin) : second.data();
    if (call.collective == coll::Collective::bcast)
      made.input = made.output = rank() == call.root ? first.data() : second.data();
    // New memory of a pool is there in the order of the default stream.
    check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    if (form_ == Form::in_stream) made.stream = stream_;
    const xylem_status status = form_ == Form::nonblocking ? start_and_wait(made) : communicator_.run(made);
    check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    first.bring_back();
    second.bring_back();
    return status;
  }

 private:
  xylem_status start_and_wait(const Call& call) {
    Request request(communicator_, call);
    if (const xylem_status status = communicator_.start(request); status != XYLEM_SUCCESS) return status;
    communicator_.wait_for(request);
    return request.status();
  }

  Communicator& communicator_;
  cudaStream_t stream_ = nullptr;
  BufferKind input_ = BufferKind::device, output_ = BufferKind::device;
  Form form_ = Form::blocking;
};

}  // namespace xylem::test
