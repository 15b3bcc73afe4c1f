#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "topo/topology.hpp"

namespace xylem::topo {
namespace {

struct TopologyDestroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDestroy>;

struct BitmapFree {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapFree>;

// We are guests in somebody's process: no discovery that binds this thread here and there (x86), opens a display (gl) or
// wakes a GPU driver. What is left reads /sys. A component that this hwloc does not have is refused, which is as good.
void keep_to_sysfs(hwloc_topology_t topology) {
  unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
#if HWLOC_API_VERSION >= 0x00020500
  flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
#if HWLOC_API_VERSION >= 0x00020800
  flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
  hwloc_topology_set_flags(topology, flags);
  for (const char* component : {"x86", "pci", "opencl", "gl", "cuda", "nvml", "rsmi", "levelzero"})
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
}

Topology load() {
  hwloc_topology_t created = nullptr;
  if (hwloc_topology_init(&created) != 0) return nullptr;
  Topology topology(created);
  keep_to_sysfs(created);
  if (hwloc_topology_load(created) != 0) return nullptr;
  return topology;
}

Bitmap allowed_cores() {
  Bitmap bitmap(hwloc_bitmap_alloc());
  const CoreMask& mask = cores().mask;
  for (unsigned word = 0; bitmap && word < mask.size(); ++word) hwloc_bitmap_set_ith_ulong(bitmap.get(), word, mask[word]);
  return bitmap;
}

// Objects of a type that the machine does not have count as 0.
int count(hwloc_topology_t topology, hwloc_obj_type_t type) { return std::max(0, hwloc_get_nbobjs_by_type(topology, type)); }

std::size_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t thread) {
  hwloc_obj* const cache = hwloc_get_ancestor_obj_by_type(topology, type, thread);
  return cache != nullptr ? cache->attr->cache.size : 0;
}

// The node that holds all of `cores`, or -1.
int holding_node(hwloc_topology_t topology, hwloc_const_bitmap_t cores) {
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr;)
    if (!hwloc_bitmap_iszero(cores) && hwloc_bitmap_isincluded(cores, node->cpuset)) return static_cast<int>(node->os_index);
  return -1;
}

Machine read_machine() {
  Machine machine;
  const Topology owned = load();
  const Bitmap allowed = allowed_cores();
  if (!owned || !allowed) {
    machine.source = "unknown: hwloc cannot read this machine";
    return machine;
  }
  hwloc_topology_t topology = owned.get();
  machine.source = "hwloc " HWLOC_VERSION;
  machine.packages = count(topology, HWLOC_OBJ_PACKAGE);
  machine.numa_nodes = count(topology, HWLOC_OBJ_NUMANODE);
  machine.numa_node = holding_node(topology, allowed.get());
  machine.l3_groups = count(topology, HWLOC_OBJ_L3CACHE);
  if (machine.l3_groups == 0) machine.l3_groups = count(topology, HWLOC_OBJ_L2CACHE);
  const int first = hwloc_bitmap_first(allowed.get());
  hwloc_obj* const thread = first < 0 ? nullptr : hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(first));
  if (thread != nullptr) {
    machine.l2_bytes = cache_bytes(topology, HWLOC_OBJ_L2CACHE, thread);
    machine.l3_bytes = cache_bytes(topology, HWLOC_OBJ_L3CACHE, thread);
  }
  return machine;
}

}  // namespace

const Machine& machine() {
  // Never destroyed: see settings().
  static const Machine& it = *new Machine(read_machine());
  return it;
}

}  // namespace xylem::topo
