// Where this process is: host, cores, caches, NUMA nodes, NICs, GPUs. Each part is read once per process, at its first use;
// none throws, and what a container hides is -1, 0 or empty. Knows no communicator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace xylem::topo {

// Names this host so that two ranks have equal ids exactly if they can share memory: a hash of XYLEM_HOSTID when set, else of
// boot id, host name, and the namespaces that /proc/PID/fd/N of another rank depends on. Cheap.
struct Host {
  std::string name;  // for people: XYLEM_HOSTID when set, else the host name
  std::uint64_t id = 0;
};
const Host& host();

// Hardware threads by number; bit i % 64 of word i / 64 is thread i. Threads from 1024 on are left out.
using CoreMask = std::array<std::uint64_t, 16>;

// What this process may run on, by the affinity mask of the thread that asks first. Cheap: every rank needs it to start.
struct Cores {
  int allowed = 0;       // hardware threads in the affinity mask
  int online = 0;        // hardware threads of the machine
  double cpu_quota = 0;  // hardware threads' worth of time that the control group grants, 0 when it sets no limit
  CoreMask mask{};       // the affinity mask: lets a communicator see which ranks share cores
};
const Cores& cores();

// The machine around these cores. The first call asks hwloc, which takes some milliseconds; a build without hwloc knows
// nothing of it.
struct Machine {
  int packages = 0;          // 0 when unknown, as everything here
  int numa_nodes = 0;        // of the machine
  int numa_node = -1;        // the one that holds all allowed cores, or -1
  std::size_t l2_bytes = 0;  // of the first allowed core
  std::size_t l3_bytes = 0;
  int l3_groups = 0;   // groups of cores that share a last-level cache
  std::string source;  // what told: "hwloc 2.9.0", or why nothing is known
};
const Machine& machine();

// A NIC or a GPU. NICs are the network interfaces with hardware behind them and the RDMA devices.
struct Device {
  std::string kind;    // "nic" or "gpu"
  std::string name;    // "eth0", "mlx5_0", "NVIDIA H200", ...
  std::string pci;     // "0000:3b:00.0", empty when it has no PCI address
  int numa_node = -1;  // -1 when unknown
};
const std::vector<Device>& devices();

}  // namespace xylem::topo
