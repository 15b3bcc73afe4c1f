#include "driver/driver.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdlib>

namespace cuda_emu {
namespace {

constexpr int kOldDriver = 11040;

// Runs before the destructors of objects that were there before cuInit, as the real driver's own does.
void end_driver() {
  Driver& the_driver = driver();
  if (the_driver.inherited) return;
  the_driver.ended = true;
  if (the_driver.executor) the_driver.executor->stop();
}

// Addresses of device memory belong to nothing here: to touch one is a SIGSEGV.
void reserve_region(Driver& the_driver) {
  void* const wanted = reinterpret_cast<void*>(kRegion);
  void* const got =
      mmap(wanted, kRegionBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  require(got == wanted, CUDA_ERROR_OUT_OF_MEMORY);
  madvise(wanted, kRegionBytes, MADV_DONTDUMP);
  the_driver.addresses = AddressSpace(kRegion, kRegionBytes);
}

}  // namespace

// Never destroyed: calls that come at exit, from destructors, find it.
Driver& driver() {
  static Driver* const the_driver = new Driver;
  return *the_driver;
}

EmulatedDevice& Driver::device(CUdevice ordinal) {
  require(ordinal >= 0 && ordinal < static_cast<CUdevice>(devices.size()), CUDA_ERROR_INVALID_DEVICE);
  return devices[static_cast<std::size_t>(ordinal)];
}

void start_driver(Driver& the_driver, unsigned flags) {
  require(flags == 0);
  require(!the_driver.ended, CUDA_ERROR_DEINITIALIZED);
  if (the_driver.started) {
    require(the_driver.unusable == CUDA_SUCCESS, the_driver.unusable);
    return;
  }
  the_driver.started = true;
  the_driver.settings = read_settings();
  the_driver.failures = Failures(the_driver.settings.fail);
  the_driver.devices = visible_devices(the_driver.settings);
  the_driver.unusable = CUDA_SUCCESS;
  if (the_driver.devices.empty() || the_driver.failures.now("no_device")) the_driver.unusable = CUDA_ERROR_NO_DEVICE;
  require(the_driver.unusable == CUDA_SUCCESS, the_driver.unusable);
  reserve_region(the_driver);
  pthread_atfork(nullptr, nullptr, [] { driver().inherited = true; });
  (void)std::atexit(end_driver);
}

void require_usable(Driver& the_driver) {
  require(!the_driver.ended, CUDA_ERROR_DEINITIALIZED);
  require(the_driver.unusable == CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED);
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuInit(unsigned flags) {
  try {
    Driver& the_driver = driver();
    require(!the_driver.inherited, CUDA_ERROR_NOT_INITIALIZED);
    const std::scoped_lock lock(the_driver.mutex);
    start_driver(the_driver, flags);
    return CUDA_SUCCESS;
  } catch (const Error& error) {
    return error.code;
  }
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = Failures(read_settings().fail).now("driver_old") ? kOldDriver : CUDA_VERSION;
  return CUDA_SUCCESS;
}
