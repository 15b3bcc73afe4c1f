// How a host's id comes about, apart from where its parts are read: tests make hosts of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topo/topology.hpp"

namespace xylem::topo {

// What two processes must have in common to map each other's memory through /proc/PID/fd/N.
struct HostFacts {
  std::string boot_id;         // one kernel, running since one boot
  std::string name;            // containers with names of their own are meant to be hosts of their own
  std::string pid_namespace;   // PID means the same process to both
  std::string user_namespace;  // the kernel lets one look into the other (the check behind ptrace)
};
HostFacts read_host_facts();

// `host_id` is the value of XYLEM_HOSTID, empty if unset.
Host make_host(std::string_view host_id, const HostFacts& facts);

// Equal for all hosts that run on one kernel, and so share its cores; 0 where that cannot be told.
std::uint64_t machine_id(const HostFacts& facts);

}  // namespace xylem::topo
