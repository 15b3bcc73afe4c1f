// What the environment asks of the emulated machine. Read once, by cuInit.
//
//   CUDA_EMU_DEVICES          number of devices (1)
//   CUDA_EMU_PEER             1: devices of one machine reach each other's memory, 0: they do not (1)
//   CUDA_EMU_MACHINE          name of the machine: devices of different machines have different UUIDs, do not exclude each
//                             other's kernels, and IPC handles of one mean nothing on another ("")
//   CUDA_EMU_MEMORY           MiB of memory of a device, as told and as enforced (4096)
//   CUDA_EMU_MULTIPROCESSORS  of a device; each has room for two blocks (8)
//   CUDA_EMU_REUSE            0: an address that was freed is never given out again, so each later use is caught (1)
//   CUDA_EMU_DELAY            each operation of a stream starts after a random time up to so many microseconds (0)
//   CUDA_EMU_SEED             of these times (1)
//   CUDA_EMU_FAIL             what fails, separated by commas: KIND, every time, or KIND@N, the Nth time only; see Failures
//   CUDA_EMU_KERNELS          libraries of kernels (kernel_table.h)
//   CUDA_EMU_EXECUTOR         the executor, if it is not beside libcuda.so.1
//   CUDA_VISIBLE_DEVICES      as on a real machine: which devices there are, by number or UUID, and in what order
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cuda_emu {

struct Settings {
  std::uint32_t devices = 1;
  bool peer = true;
  std::string machine;
  std::uint64_t memory_bytes = 0;
  std::uint32_t multiprocessors = 8;
  bool reuse = true;
  std::uint32_t delay_microseconds = 0;
  std::uint32_t seed = 1;
  std::string fail;
  std::string executor;
  std::string visible_devices;
  bool visible_devices_set = false;
  bool eager_modules = false;  // CUDA_MODULE_LOADING
};

Settings read_settings();

// Kinds: driver_old, no_device, alloc, host_alloc, register, ipc_get, ipc_open, ipc (both), event, event_record, stream,
// module, launch, pool_export, sticky (a kernel that touches an illegal address).
class Failures {
 public:
  explicit Failures(const std::string& list);
  bool now(const std::string& kind);  // counts one occasion of this kind

 private:
  struct Rule {
    std::uint64_t only = 0;  // 0: each time
    std::uint64_t seen = 0;
  };
  std::map<std::string, Rule> rules_;
};

}  // namespace cuda_emu
