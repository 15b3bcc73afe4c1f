#include "cuda/presence.hpp"

#include "base/settings.hpp"
#include "cuda/driver.hpp"

namespace xylem::cuda {

bool may_have_device_buffers() {
  if (settings().cuda != CudaUse::automatic) return settings().cuda == CudaUse::on;
  return host_has_device() || driver_in_process() != nullptr;
}

bool built_in() { return true; }

}  // namespace xylem::cuda
