// Which libfabric providers this host has, which of them Xylem can use, and in what order it prefers them.
#pragma once

#include <string>
#include <vector>

namespace xylem::ofi {

// What a user may ask for. Empty: the most suitable.
struct NetworkOptions {
  std::string provider;  // XYLEM_PROVIDER, as libfabric writes it: "tcp;ofi_rxm"
  std::string nic;       // XYLEM_NIC: a network interface or device, "eth0" or "mlx5_0". Not for the provider shm
};

struct ProviderInfo {
  std::string name;     // as XYLEM_PROVIDER takes it
  std::string nic;      // libfabric's domain: as XYLEM_NIC takes it
  std::string fabric;   // what the interface is connected to, such as 10.1.0.0/16
  std::string address;  // without the port, which is known only once a network is open
  bool usable;          // false: only when XYLEM_PROVIDER names it
  std::string reason;   // why it stands where it stands in the list
};

// Throws Error with the names to choose from when one of the options names something that is not there. Where there is no
// libfabric, or nothing that it could use, nobody can tell.
void check_names(const NetworkOptions& options);

// All of them, best first. Throws Error when libfabric is missing.
std::vector<ProviderInfo> list_providers();

}  // namespace xylem::ofi
