// Calls on device buffers between several hosts: the ranks of a host reduce on its GPUs, one rank of each host copies the
// result to host memory and talks over the network, and what it receives is spread on the GPUs. So a host's network carries
// what one rank has, and one copy goes to host memory and back.
//
// Two communicators are made of the ranks when this is first used: of each host's, and of their lowest ranks, the leaders.
// allreduce, reduce and bcast whose root leads its host; the rest is staged by each rank for itself (comm/staging.hpp).
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "comm/communicator.hpp"
#include "comm/device_agreement.hpp"
#include "cuda/device_scratch.hpp"

namespace xylem {

class DeviceHosts {
 public:
  // The communicator's ranks are on several hosts, and all of them may have device buffers.
  explicit DeviceHosts(Communicator& communicator) : communicator_(communicator) {}

  // Collective. Null: the call is left to the host, on all ranks. Throws Error where something failed on this rank.
  std::optional<xylem_status> run(const Call& call);

  // See Communicator::check() and abort().
  xylem_status check();
  void abort();

 private:
  bool serves(const Call& call) const;
  bool suits(const Call& call) const;
  bool split(const DeviceAgreement& agreement);
  bool leads() const { return leaders_ != nullptr; }
  bool alone() const { return local_->size() == 1; }

  void allreduce(const Call& call);
  void reduce(const Call& call);
  void bcast(const Call& call);
  void run_in(Communicator& part, Call call);
  xylem_status give_up(const std::string& title, xylem_status status, const std::string& reason);

  Communicator& communicator_;
  enum class Way { unknown, by_host, none } way_ = Way::unknown;  // the same on all ranks
  std::mutex parts_;                                              // of making the two that follow, which abort() may meet
  std::unique_ptr<Communicator> local_;
  std::unique_ptr<Communicator> leaders_;         // null where another rank leads
  std::unique_ptr<cuda::DeviceScratch> scratch_;  // of a leader that receives no result of its own
};

}  // namespace xylem
