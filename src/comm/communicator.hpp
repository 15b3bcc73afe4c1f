// A set of ranks that are connected: what a xylem_comm_t points to. One rank's side of it.
//
// One thread at a time calls run(); different communicators are independent of each other.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coll/cpu_kernels.hpp"
#include "comm/bootstrap.hpp"
#include "comm/call.hpp"
#include "comm/statistics.hpp"
#include "comm/wire_up.hpp"
#include "plan/planner.hpp"

namespace xylem {

// Where this rank takes itself to be. By default this process's host; tests place threads on made-up hosts.
struct Placement {
  std::uint64_t host_id;
  std::string host_name;
  static Placement here();
};

class Communicator {
 public:
  // Collective over the bootstrap's ranks; throws Error on all ranks or on none. The bootstrap is kept.
  Communicator(std::shared_ptr<Bootstrap> bootstrap, const Placement& placement,
               const std::optional<AgreedSettings>& inherited = std::nullopt);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // The communicator of the ranks that give the same color (null for a negative one). Collective. Throws Error.
  std::unique_ptr<Communicator> split(int color, int key);

  std::uint32_t rank() const { return members_.rank(); }
  std::uint32_t size() const { return members_.size(); }
  // Whether calls may be ordered in CUDA streams.
  bool takes_streams() const { return devices_; }
  const plan::Planner& planner() const { return planner_; }

  // Runs one collective to its end. Arguments have been checked. On failure error() says why in words; a communicator that
  // failed in the middle of a call refuses all further ones.
  xylem_status run(const Call& call);
  const std::string& error() const { return error_; }

 private:
  Communicator(std::shared_ptr<Bootstrap> bootstrap, const Placement& placement, WiredUp wired);

  struct PlanMemo {
    coll::Collective collective{};
    std::size_t bytes = ~std::size_t{0};
    std::size_t element_bytes = 0;
    plan::Plan plan;
  };
  static constexpr std::size_t kPlanMemos = 64;

  // A call on its way through its algorithm.
  struct Execution {
    const Call& call;
    std::size_t bytes;
    std::uint32_t algorithm;
    coll::Args args;
    coll::CpuPort port;
    double begin;  // 0 unless timed

    void run();
  };

  static void poke_network(void* context);
  static bool connect(void* context, std::uint32_t peer, bool outbound);
  const plan::Plan& plan_for(const Call& call, std::size_t total_bytes, std::size_t element_bytes);
  Execution prepare(const Call& call);
  xylem_status conclude(const Execution& done);
  exec::Fault flush();
  std::string why(const PlanMemo& memo) const;
  xylem_status run_with_devices(const Call& call);
  xylem_status run_on_host(const Call& call);
  bool needs_no_algorithm(const Call& call) const;
  xylem_status run_alone(const Call& call);
  xylem_status fail(const Call& call, exec::Fault fault, std::uint32_t peer);
  xylem_status give_up(const Call& call, const Error& error);
  void tell_others(bool learned, std::uint32_t failed_rank);
  std::byte* scratch(std::size_t bytes);
  std::string where(std::uint32_t rank) const;

  std::shared_ptr<Bootstrap> bootstrap_;
  Placement placement_;
  AgreedSettings settings_;
  Members members_;
  std::vector<std::string> host_names_;
  std::unique_ptr<shm::HostMemory> memory_;
  std::unique_ptr<ofi::Links> links_;  // null where all ranks share a host
  plan::Planner planner_;
  std::array<PlanMemo, kPlanMemos> memos_;

  std::vector<exec::Channel> to_, from_;
  exec::Board board_;
  exec::Endpoints endpoints_;
  exec::Fiber fiber_;
  exec::Waiter waiter_;
  exec::CpuTeam team_;
  std::vector<std::byte> scratch_;
  std::vector<std::size_t> offsets_;  // of blocks that lie one behind the other

  std::uint64_t sequence_ = 0;  // calls begun
  xylem_status broken_ = XYLEM_SUCCESS;
  std::string error_;
  std::string connect_error_;
  bool devices_;  // this rank's buffers may lie on a GPU
  bool timed_;    // statistics with seconds were asked for
  Counters counters_;
};

}  // namespace xylem
