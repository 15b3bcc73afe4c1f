// Where this process is: host, cores, caches, NUMA nodes, NICs, GPUs. Read once per process; knows no communicator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xylem::topo {

// Names this host so that two ranks have equal values if and only if they can share memory: XYLEM_HOSTID when set, else a hash
// of boot id, host name, and the IPC-relevant namespaces.
struct Host {
  std::string name;  // host name, for people
  std::uint64_t id;
};
const Host& host();

struct Cores {
  int allowed;         // hardware threads in the affinity mask of this process
  int online;          // hardware threads of the machine
  int numa_nodes;      // of the machine
  int numa_node;       // the one that holds all allowed cores, or -1
  int packages;
  std::size_t l2_bytes;  // of the first allowed core, 0 when unknown
  std::size_t l3_bytes;
  int l3_groups;       // groups of cores that share a last-level cache
};
const Cores& cores();

struct Device {        // a NIC or a GPU on the PCI bus
  std::string kind;    // "nic" or "gpu"
  std::string name;    // "eth0", "mlx5_0", ...
  std::string pci;     // "0000:3b:00.0", empty when it has no PCI address
  int numa_node;       // -1 when unknown
};
const std::vector<Device>& devices();

}  // namespace xylem::topo
