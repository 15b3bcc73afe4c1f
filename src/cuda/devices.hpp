// The CUDA devices of this process, for tools. Starts the driver: no part of a collective asks here.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xylem::cuda {

struct DeviceInfo {
  std::string name;  // "NVIDIA H200"
  std::string uuid;  // "GPU-..."
  std::size_t memory_bytes = 0;
  std::string architecture;  // "sm_90"
};

struct Devices {
  std::vector<DeviceInfo> list;
  std::string driver;  // the CUDA version that it serves, such as "13.0"; empty where there is none
  std::string none;    // why the list is empty
};

Devices list_devices();

}  // namespace xylem::cuda
