#include "cuda/presence.hpp"

#include <unistd.h>

#include "base/settings.hpp"
#include "cuda/driver.hpp"

namespace xylem::cuda {

bool may_have_device_buffers() {
  if (settings().cuda != CudaUse::automatic) return settings().cuda == CudaUse::on;
  // Linux, and Linux inside Windows.
  static const bool device_files = access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0;
  return device_files || driver_in_process() != nullptr;
}

bool built_in() { return true; }

}  // namespace xylem::cuda
