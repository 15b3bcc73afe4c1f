#include "cuda/devices.hpp"

#include <array>
#include <cstdio>

#include "cuda/driver.hpp"

namespace xylem::cuda {
namespace {

std::string text_of(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits.data();
  }
  return text;
}

DeviceInfo describe(const Driver& driver, CUdevice device) {
  std::array<char, 128> name{};
  CUuuid uuid{};
  std::size_t bytes = 0;
  int major = 0, minor = 0;
  check(driver, driver.device_get_name(name.data(), static_cast<int>(name.size()), device), "cuDeviceGetName");
  check(driver, driver.device_get_uuid(&uuid, device), "cuDeviceGetUuid");
  check(driver, driver.device_total_mem(&bytes, device), "cuDeviceTotalMem");
  driver.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  driver.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  return {name.data(), text_of(uuid), bytes, "sm_" + std::to_string(major) + std::to_string(minor)};
}

}  // namespace

Devices list_devices() {
  Devices devices;
  const Driver* const driver = open_driver(devices.none);
  if (driver == nullptr) return devices;
  devices.driver = std::to_string(driver->version / 1000) + "." + std::to_string(driver->version % 1000 / 10);
  int count = 0;
  try {
    check(*driver, driver->init(0), "cuInit");
    check(*driver, driver->device_get_count(&count), "cuDeviceGetCount");
    for (int ordinal = 0; ordinal < count; ++ordinal) {
      CUdevice device = 0;
      check(*driver, driver->device_get(&device, ordinal), "cuDeviceGet");
      devices.list.push_back(describe(*driver, device));
    }
    if (count == 0) devices.none = "the driver shows none (CUDA_VISIBLE_DEVICES hides devices)";
  } catch (const std::exception& error) {
    devices.list.clear();
    devices.none = error.what();
  }
  return devices;
}

}  // namespace xylem::cuda
