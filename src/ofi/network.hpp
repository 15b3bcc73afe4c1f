// The network of this process: one libfabric endpoint that all communicators share, since connections, queues and registered
// memory belong to processes and not to communicators.
#pragma once

#include <memory>
#include <string>

#include "ofi/address.hpp"
#include "ofi/providers.hpp"

namespace xylem::ofi {

class Hub;

class Network {
 public:
  // The network with these options, opened unless it is already. It closes with the last owner. Throws Error: no libfabric,
  // no such provider, or what the provider says. Thread-safe.
  static std::shared_ptr<Network> open(const NetworkOptions& options);

  explicit Network(const NetworkOptions& options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  // Such as "tcp;ofi_rxm".
  const std::string& provider() const { return provider_; }
  // The provider, its interface, the address of this process, and why it was chosen: for people.
  const std::string& description() const { return description_; }

  // The provider shm keeps a file in /dev/shm, which a killed process would leave behind. seal() removes its name, with a
  // libfabric older than 2. Call it when the Links of all ranks that this process will ever talk to are connected;
  // Links::connect() with others fails from then on. Nothing to do for other providers.
  void seal();

  // For Links.
  Reach reach() const { return reach_; }
  Hub& hub() { return *hub_; }

 private:
  std::string provider_;
  Reach reach_;
  std::string description_;
  std::unique_ptr<Hub> hub_;
};

}  // namespace xylem::ofi
