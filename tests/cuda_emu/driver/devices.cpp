// Devices: how many, what they are called, what they say of themselves.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "driver/driver.hpp"

namespace cuda_emu {
namespace {

constexpr int kMaxThreadsPerBlock = 1024;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kSharedBytesPerBlock = 48 << 10;
constexpr int kPciBusOfFirst = 0x10;

CUuuid make_uuid(const std::string& machine, std::uint64_t number) {
  CUuuid uuid{};
  const std::array<std::uint64_t, 2> halves{stable_hash(machine, number), stable_hash(machine + "#", number)};
  std::memcpy(uuid.bytes, halves.data(), sizeof uuid.bytes);
  return uuid;
}

std::string printed(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits.data();
  }
  return text;
}

// A number, or the beginning of a UUID; -1 for what names no device.
int device_named(const std::string& word, const std::vector<EmulatedDevice>& all) {
  if (word.starts_with("GPU-")) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (printed(all[i].uuid).starts_with(word)) return static_cast<int>(i);
    }
    return -1;
  }
  char* end = nullptr;
  const long number = std::strtol(word.c_str(), &end, 10);
  return end != word.c_str() && number >= 0 && number < static_cast<long>(all.size()) ? static_cast<int>(number) : -1;
}

int attribute(const Driver& driver, const EmulatedDevice& device, CUdevice_attribute which) {
  switch (which) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return kMaxThreadsPerBlock;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return 0x7fffffff;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return kSharedBytesPerBlock;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return 2 * kSharedBytesPerBlock;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return 64 << 10;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 1'000'000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 5120;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 32 << 20;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
      return 512;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return static_cast<int>(driver.settings.multiprocessors);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return kThreadsPerMultiprocessor;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      return static_cast<int>(kBlocksPerMultiprocessor);
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 0;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return kPciBusOfFirst + static_cast<int>(device.number);
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      return 3;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT:
    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
      return 1;
    case CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES:
      return CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    default:
      return 0;  // among them: textures, fabric handles, multicast, dmabuf, GPUDirect RDMA
  }
}

}  // namespace

// FNV-1a.
std::uint64_t stable_hash(const std::string& name, std::uint64_t number) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const char letter : name) mix(static_cast<unsigned char>(letter));
  for (unsigned shift = 0; shift < 64; shift += 8) mix((number >> shift) & 0xff);
  return hash;
}

std::vector<EmulatedDevice> visible_devices(const Settings& settings) {
  std::vector<EmulatedDevice> all(settings.devices);
  for (std::uint32_t number = 0; number < settings.devices; ++number) {
    all[number].number = number;
    all[number].uuid = make_uuid(settings.machine, number);
    all[number].lock = stable_hash(settings.machine, number) >> 2;  // an offset in a file
  }
  if (!settings.visible_devices_set) return all;
  std::vector<EmulatedDevice> visible;
  std::istringstream words(settings.visible_devices);
  for (std::string word; std::getline(words, word, ',');) {
    const int number = device_named(word, all);
    if (number < 0) break;  // what follows a wrong name is hidden too
    visible.push_back(all[static_cast<std::size_t>(number)]);
  }
  return visible;
}

}  // namespace cuda_emu

using namespace cuda_emu;

CUresult cuDeviceGetCount(int* count) {
  return enter([&](Driver& driver) {
    require(count != nullptr);
    *count = static_cast<int>(driver.devices.size());
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return enter([&](Driver& driver) {
    require(device != nullptr);
    driver.device(ordinal);
    *device = ordinal;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return enter([&](Driver& driver) {
    require(name != nullptr && length > 0);
    driver.device(device);
    std::snprintf(name, static_cast<std::size_t>(length), "Emulated GPU");
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return enter([&](Driver& driver) {
    require(uuid != nullptr);
    *uuid = driver.device(device).uuid;
  });
}

CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  return enter([&](Driver& driver) {
    require(bytes != nullptr);
    driver.device(device);
    *bytes = driver.settings.memory_bytes;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  return enter([&](Driver& driver) {
    require(value != nullptr && which > 0 && which < CU_DEVICE_ATTRIBUTE_MAX);
    *value = attribute(driver, driver.device(device), which);
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return enter([&](Driver& driver) {
    require(text != nullptr && length > 0);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", kPciBusOfFirst + driver.device(device).number);
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return enter([&](Driver& driver) {
    require(device != nullptr && text != nullptr);
    unsigned domain = 0, bus = 0;
    require(std::sscanf(text, "%x:%x:", &domain, &bus) == 2);
    const auto found = std::ranges::find(driver.devices, bus - kPciBusOfFirst, &EmulatedDevice::number);
    require(domain == 0 && found != driver.devices.end(), CUDA_ERROR_INVALID_DEVICE);
    *device = static_cast<CUdevice>(found - driver.devices.begin());
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return enter([&](Driver& driver) {
    require(can != nullptr);
    driver.device(device);
    driver.device(peer);
    *can = device != peer && driver.settings.peer ? 1 : 0;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute which, CUdevice device, CUdevice peer) {
  return enter([&](Driver& driver) {
    require(value != nullptr && device != peer);
    driver.device(device);
    driver.device(peer);
    const bool yes =
        which == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED || which == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    *value = yes && driver.settings.peer ? 1 : 0;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return enter([&](Driver& driver) {
    require(major != nullptr && minor != nullptr);
    *major = attribute(driver, driver.device(device), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    *minor = attribute(driver, driver.device(device), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  });
}
