// A driver made of host memory, enough for what src/cuda/ does with memory: it knows which ranges are whose and counts waits.
// What a GPU does is the business of tests/cuda_emu/.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "cuda/driver.hpp"

namespace xylem::test {

class FakeDriver {
 public:
  // The one that is in the process while this object lives.
  FakeDriver() {
    it() = this;
    fill();
    cuda::detail::set_driver(&table_);
  }
  ~FakeDriver() {
    cuda::detail::set_driver(nullptr);
    it() = nullptr;
  }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  struct Range {
    std::size_t bytes;
    unsigned type;
    bool managed;
    CUcontext context;
    int device;
  };
  void know(const void* memory, const Range& range) { ranges[reinterpret_cast<CUdeviceptr>(memory)] = range; }

  static CUcontext context(int number) { return reinterpret_cast<CUcontext>(0x1000L + number); }

  std::map<CUdeviceptr, Range> ranges;
  std::vector<CUcontext> stack;      // of contexts; the last is current
  std::vector<CUcontext> copied_in;  // the current context of each copy
  std::vector<CUstream> waited_for;  // streams
  std::map<int, CUcontext> primary;  // by device
  int retained = 0;                  // primary contexts held
  int locked = 0;                    // ranges of host memory
  CUresult register_result = CUDA_SUCCESS;
  CUresult copy_result = CUDA_SUCCESS;
  CUresult attributes_result = CUDA_SUCCESS;
  CUresult capturing_result = CUDA_SUCCESS;
  CUstream capturing = nullptr;
  CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

 private:
  static FakeDriver*& it() {
    static FakeDriver* instance = nullptr;
    return instance;
  }

  const Range* find(CUdeviceptr address) const {
    auto after = ranges.upper_bound(address);
    if (after == ranges.begin()) return nullptr;
    --after;
    return address < after->first + after->second.bytes ? &after->second : nullptr;
  }

  void fill() {
    cuda::Driver& d = table_;
    d.version = 13000;
    d.get_error_name = [](CUresult, const char** text) { return *text = "CUDA_ERROR_FAKE", CUDA_SUCCESS; };
    d.get_error_string = [](CUresult, const char** text) { return *text = "as the test wants", CUDA_SUCCESS; };
    d.ctx_get_current = [](CUcontext* c) {
      *c = it()->stack.empty() ? nullptr : it()->stack.back();
      return CUDA_SUCCESS;
    };
    d.ctx_get_device = [](CUdevice* device) {
      if (it()->stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
      *device = static_cast<int>(reinterpret_cast<std::intptr_t>(it()->stack.back()) - 0x1000);
      return CUDA_SUCCESS;
    };
    d.ctx_push_current = [](CUcontext c) { return it()->stack.push_back(c), CUDA_SUCCESS; };
    d.ctx_pop_current = [](CUcontext*) { return it()->stack.pop_back(), CUDA_SUCCESS; };
    d.device_get_count = [](int* devices) { return *devices = 0, CUDA_SUCCESS; };
    d.device_primary_ctx_retain = [](CUcontext* c, CUdevice device) {
      *c = it()->primary[device];
      return ++it()->retained, CUDA_SUCCESS;
    };
    d.device_primary_ctx_release = [](CUdevice) { return --it()->retained, CUDA_SUCCESS; };
    d.pointer_get_attributes = [](unsigned, CUpointer_attribute*, void** values, CUdeviceptr address) {
      if (it()->attributes_result != CUDA_SUCCESS) return it()->attributes_result;
      const Range* const range = it()->find(address);
      *static_cast<unsigned*>(values[0]) = range == nullptr ? 0 : range->type;
      *static_cast<unsigned*>(values[1]) = range != nullptr && range->managed ? 1 : 0;
      *static_cast<CUcontext*>(values[2]) = range == nullptr ? nullptr : range->context;
      *static_cast<int*>(values[3]) = range == nullptr ? -1 : range->device;
      *static_cast<unsigned long long*>(values[4]) = range == nullptr ? 0 : 7;
      return CUDA_SUCCESS;
    };
    d.mem_host_register = [](void*, std::size_t, unsigned) {
      if (it()->register_result == CUDA_SUCCESS) ++it()->locked;
      return it()->register_result;
    };
    d.mem_host_unregister = [](void*) { return --it()->locked, CUDA_SUCCESS; };
    d.memcpy_async = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
      it()->copied_in.push_back(it()->stack.empty() ? nullptr : it()->stack.back());
      if (it()->copy_result == CUDA_SUCCESS) std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
      return it()->copy_result;
    };
    d.stream_synchronize = [](CUstream stream) { return it()->waited_for.push_back(stream), CUDA_SUCCESS; };
    d.stream_get_ctx = [](CUstream, CUcontext* c) { return *c = context(9), CUDA_SUCCESS; };
    d.stream_is_capturing = [](CUstream stream, CUstreamCaptureStatus* status) {
      *status = stream == it()->capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
      return it()->capturing_result;
    };
    d.thread_exchange_stream_capture_mode = [](CUstreamCaptureMode* mode) {
      return std::swap(*mode, it()->capture_mode), CUDA_SUCCESS;
    };
  }

  cuda::Driver table_;
};

}  // namespace xylem::test
