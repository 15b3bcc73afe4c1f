#include "cuda/context.hpp"

#include "base/error.hpp"

namespace xylem::cuda {

Memory kept(const Driver& driver, const Memory& near) {
  const ContextScope scope(driver, near);
  Memory memory = near;
  check(driver, driver.ctx_get_current(&memory.context), "cuCtxGetCurrent");
  unsigned long long id = 0;
  if (driver.ctx_get_id != nullptr) check(driver, driver.ctx_get_id(memory.context, &id), "cuCtxGetId");
  memory.context_id = id;
  return memory;
}

bool lives(const Driver& driver, const Memory& kept) {
  if (kept.context_id == 0) return true;
  unsigned long long id = 0;
  switch (driver.ctx_get_id(kept.context, &id)) {
    case CUDA_SUCCESS:
      return id == kept.context_id;
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_INVALID_CONTEXT:
    case CUDA_ERROR_DEINITIALIZED:
      return false;
    default:
      return true;  // a kernel's fault, say: what is called next tells of it
  }
}

ContextScope::ContextScope(const Driver& driver, const Memory& memory) : driver_(driver) {
  CUcontext current = nullptr;
  check(driver_, driver_.ctx_get_current(&current), "cuCtxGetCurrent");
  if (!lives(driver_, memory)) throw Error(XYLEM_ERROR_SYSTEM, "the program has ended the CUDA context");
  if (memory.context != nullptr) {
    if (memory.context != current) enter(memory.context);
  } else if (memory.device < 0) {
    if (current == nullptr) throw Error(XYLEM_ERROR_INVALID_ARGUMENT, "no CUDA context is current and no memory names one");
  } else if (CUdevice device = -1;
             current == nullptr || driver_.ctx_get_device(&device) != CUDA_SUCCESS || device != memory.device) {
    CUcontext primary = nullptr;
    check(driver_, driver_.device_primary_ctx_retain(&primary, memory.device), "cuDevicePrimaryCtxRetain");
    retained_ = memory.device;
    enter(primary);
  }
  driver_.thread_exchange_stream_capture_mode(&capture_mode_);
}

ContextScope::~ContextScope() {
  driver_.thread_exchange_stream_capture_mode(&capture_mode_);
  if (pushed_) {
    CUcontext ours = nullptr;
    driver_.ctx_pop_current(&ours);
  }
  if (retained_ >= 0) driver_.device_primary_ctx_release(retained_);
}

void ContextScope::enter(CUcontext context) {
  const CUresult result = driver_.ctx_push_current(context);
  if (result != CUDA_SUCCESS && retained_ >= 0) driver_.device_primary_ctx_release(retained_);
  check(driver_, result, "cuCtxPushCurrent");
  pushed_ = true;
}

AnyContextScope::AnyContextScope(const Driver& driver) : driver_(driver) {
  int devices = 0;
  if (driver_.device_get_count(&devices) != CUDA_SUCCESS) return;
  for (int device = 0; device < devices; ++device) {
    unsigned flags = 0;
    int active = 0;
    CUcontext context = nullptr;
    if (driver_.device_primary_ctx_get_state(device, &flags, &active) != CUDA_SUCCESS || active == 0) continue;
    if (driver_.device_primary_ctx_retain(&context, device) != CUDA_SUCCESS) continue;
    if (driver_.ctx_push_current(context) == CUDA_SUCCESS) {
      retained_ = device;
      return;
    }
    driver_.device_primary_ctx_release(device);
  }
}

AnyContextScope::~AnyContextScope() {
  if (retained_ < 0) return;
  CUcontext ours = nullptr;
  driver_.ctx_pop_current(&ours);
  driver_.device_primary_ctx_release(retained_);
}

}  // namespace xylem::cuda
