// A set of ranks that are connected: what a xylem_comm_t points to. One rank's side of it.
//
// One thread at a time calls run(), start() and split(); different communicators are independent of each other. Any thread
// may wait for a request or drive.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/bootstrap.hpp"
#include "comm/call_queue.hpp"
#include "comm/execution.hpp"
#include "comm/progress_engine.hpp"
#include "comm/statistics.hpp"
#include "comm/wire_up.hpp"
#include "cuda/ipc.hpp"
#include "flight/recorder.hpp"
#include "plan/planner.hpp"
#include "survive/out_line.hpp"

namespace xylem {

// Where this rank takes itself to be. By default this process's host; tests place threads on made-up hosts.
struct Placement {
  std::uint64_t host_id;
  std::string host_name;
  static Placement here();
};

// Why a communicator cannot be used any more, if so.
struct Failure {
  xylem_status status = XYLEM_SUCCESS;
  std::string text{};
};

class DeviceHosts;
class DevicePath;

class Communicator {
 public:
  // Collective over the bootstrap's ranks; throws Error on all ranks or on none. The bootstrap is kept. `reachable`: all
  // processes have taken TCP connections of each other's hosts.
  Communicator(const std::shared_ptr<Bootstrap>& bootstrap, const Placement& placement,
               const std::optional<AgreedSettings>& inherited = std::nullopt, bool reachable = false);
  // Waits for outstanding calls; ProgressEngine::adopt() does so later.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // The communicator of the ranks that give the same color (null for a negative one). Collective. Throws Error.
  std::unique_ptr<Communicator> split(int color, int key);

  // The communicator of the ranks that live, in the same order. Collective over these, once; gives this communicator up.
  // Throws Error, on all of them or on none.
  std::unique_ptr<Communicator> shrink();

  // No call waits any longer, on any rank. Any thread.
  void abort();
  // Any thread.
  Failure failure() const;

  std::uint32_t rank() const { return members_.rank(); }
  std::uint32_t size() const { return members_.size(); }
  // Whether calls may be ordered in CUDA streams.
  bool takes_streams() const { return devices_; }
  const plan::Planner& planner() const { return planner_; }

  // From now on these rules stand where XYLEM_ALGORITHM's stood, and no tuning file decides. All ranks do so between the same
  // calls, while none is outstanding: for who measures.
  void force(const std::string& rules);

  // Runs one collective to its end, after those that are outstanding. Arguments have been checked. On failure error() says
  // why in words; a communicator that failed in the middle of a call refuses all further ones.
  xylem_status run(const Call& call);
  const std::string& error() const { return error_; }

  // What has come so far of calls in streams, whose kernels may still run. Waits for nothing.
  xylem_status check();

  // See xylem_comm_register(). Throws Error.
  std::vector<cuda::HeldBuffer> hold(const void* buffer, std::size_t bytes);
  void release(std::vector<cuda::HeldBuffer>& held);

  // Starts a call of this communicator and returns, whatever other ranks do. The request must live until it is done; then it
  // says what came of the call. ProgressEngine waits for it. A call that cannot be started is done at once.
  xylem_status start(Request& request);

  // The same for what is to be started later: notes what `buffer` has to wait for. Throws Error.
  void note_arrival(Arrivals& arrivals, const void* buffer, xylem_stream_t stream) const;

  // No calls are outstanding.
  bool quiet() const { return queue_.empty(); }

  // Its user has ended it and may end the bootstrap: from now on that is left alone.
  void leave_bootstrap() { left_bootstrap_ = true; }

  // In a forked child: what it stands for is the parent's, and is not to be touched or ended here.
  bool of_another_process() const { return engine_.of_another_process(); }

  // Goes on with the outstanding calls as far as they come now. False: nothing moved. Where another thread is at it already,
  // that one does it.
  bool drive();
  // The same for who only helps out: drives() does not count it.
  bool drive_unattended();
  std::uint64_t drives() const { return drives_.load(std::memory_order_relaxed); }

  // Drives until the request, one of this communicator's, is done; all waiting is done here.
  void wait_for(const Request& request);
  // One look, of a thread that may come again and again instead of waiting.
  void look_after();
  // Waits until no calls are outstanding.
  void complete();

 private:
  friend class DeviceAgreement;
  friend class DeviceHosts;
  friend class DevicePath;
  friend class ProgressEngine;

  Communicator(std::shared_ptr<Bootstrap> bootstrap, const Placement& placement, WiredUp wired, bool reachable);

  // What is wrong with the rules that choose algorithms: once in a job, by one rank.
  void tell_complaints() const;
  static void peer_ended(void* context, std::uint32_t rank, watch::End how);
  static void poke_network(void* context);
  void raise_failure_of_links();
  static void poke_engine(void* engine);
  static void poke_bootstrap(void* context);
  static bool connect(void* context, std::uint32_t peer, bool outbound);

  // device_calls.cpp: calls of a rank whose buffers may lie on a GPU
  xylem_status run_with_devices(const Call& call);
  xylem_status run_where_buffers_lie(const Call& call);
  xylem_status run_staged(const Call& call);
  xylem_status run_exchange_staged(const Call& call);
  static bool copy_on_device(const Call& call, void* to, const void* from, std::size_t bytes);
  xylem_status run_after_arrivals(const Request& request);
  xylem_status note_arrivals(Request& request);
  std::optional<xylem_status> go_on_with_devices(const Request& request);
  std::string earlier_title() const;

  // execution.cpp: one call, from its arguments to its end
  xylem_status run_on_host(const Call& call);
  xylem_status run_alone(const Call& call);
  const CallPlan* plan_for(const Call& call);
  Execution prepare(const Call& call, const CallPlan& plan);
  void announce(const Call& announced);
  xylem_status conclude(const Execution& done, exec::Fault sending);
  exec::Fault flush();
  std::byte* scratch(std::size_t bytes);

  // outstanding.cpp: calls that were started
  // The outcome of the first call in the queue; none: it waits.
  std::optional<xylem_status> go_on(const Call& call);
  std::optional<xylem_status> go_on_guarded(const Request& request);
  exec::Waiter polite_waiter();

  // failure.cpp: what becomes of a communicator when a call of it fails
  bool given_up() const { return broken_.load(std::memory_order_relaxed) != XYLEM_SUCCESS; }
  xylem_status fail(const Call& call, exec::Fault fault, std::uint32_t peer) { return fail(title(call), fault, peer); }
  xylem_status fail(const std::string& title, exec::Fault fault, std::uint32_t peer);
  xylem_status give_up(const Call& call, xylem_status status, const std::string& reason) {
    return give_up(title(call), status, reason);
  }
  xylem_status give_up(const std::string& title, xylem_status status, const std::string& reason);
  std::vector<int> ranks_elsewhere(std::uint32_t without) const;
  void tell_others(bool learned, std::uint32_t failed_rank);
  std::string title(const Call& call) const;
  std::string where(std::uint32_t rank) const;
  std::string deed(std::uint32_t peer, exec::Fault fault) const;
  std::string waited() const;
  struct Parting {
    shm::CallRecord own, other;
  };
  std::optional<Parting> parting_from(std::uint32_t peer) const;
  xylem_status refuse();
  void break_off(xylem_status status);

  // shrink.cpp
  survive::Contact contact(std::uint32_t peer) const;

  // lateness.cpp: who is waited for, and what all ranks of this host have done last
  static exec::Fault look_around(void* context, double seconds);
  void warn_of_late_rank();
  static std::vector<flight::Entry> entries(const void* context);
  const shm::CallLog& log_of(std::uint32_t rank) const;
  std::optional<std::uint32_t> awaited_by(std::uint32_t rank) const;
  std::uint32_t late_rank() const;
  std::string describe_record(const shm::CallRecord& record) const;
  flight::Entry entry(std::uint32_t rank, std::uint64_t now) const;

  std::shared_ptr<Bootstrap> bootstrap_;
  std::atomic<bool> left_bootstrap_{false};
  Placement placement_;
  AgreedSettings settings_;
  Members members_;
  std::vector<std::string> host_names_;
  std::unique_ptr<shm::HostMemory> memory_;
  std::unique_ptr<ofi::Links> links_;  // null where all ranks share a host
  plan::Planner planner_;
  CallPlans plans_;

  std::vector<exec::Channel> to_, from_;
  exec::Board board_;
  exec::Endpoints endpoints_;
  exec::Fiber half_;        // of a split
  exec::Fiber background_;  // what an outstanding call runs on
  ProgressEngine& engine_;
  bool crowded_;
  exec::Waiter waiter_;
  exec::CpuTeam team_;
  coll::Args args_;  // of the call that runs; who takes part where stays the same
  std::vector<std::byte> scratch_;
  std::vector<std::size_t> offsets_;  // of blocks that lie one behind the other
  shm::CallLog& log_;                 // this rank's

  std::uint64_t sequence_ = 0;             // calls begun
  std::uint32_t history_ = 0;              // of the signatures of all collectives that were run
  std::uint32_t ordinal_ = 0;              // how many they were
  std::optional<std::uint32_t> parted_{};  // a rank that called something else, as its log says
  std::atomic<xylem_status> broken_{XYLEM_SUCCESS};
  std::string error_;
  std::string connect_error_;
  bool devices_;                               // this rank's buffers may lie on a GPU
  std::unique_ptr<DevicePath> device_path_;    // null where it never can be taken
  std::unique_ptr<DeviceHosts> device_hosts_;  // likewise, where there are several hosts
  bool timed_;                                 // statistics with seconds were asked for
  std::int32_t pid_;
  Counters counters_;

  // All above that changes belongs to the thread that drives while calls are outstanding, and else to the user's thread.
  CallQueue queue_;
  std::mutex driving_;
  std::atomic<std::uint64_t> drives_{0};
  std::optional<Execution> execution_;  // of the first in the queue
  // The same where its buffers may lie on a GPU.
  struct InBackground {
    Communicator& communicator;
    const Request& request;
    xylem_status status;
  };
  std::optional<InBackground> in_background_;
  ProgressEngine::Place place_;
  std::uint64_t id_;                            // equal on all ranks
  std::vector<watch::Identity> processes_;      // by rank
  std::unique_ptr<std::atomic<bool>[]> ended_;  // by rank: its process has, as far as this rank has noticed
  std::shared_ptr<watch::Watch> watch_;
  std::unique_ptr<watch::Door> door_;  // null once shrunk
  mutable std::mutex failure_mutex_;
  std::string failure_text_;     // why broken_
  watch::Vigil vigil_;           // what it reports touches the above
  flight::Recording recording_;  // what it tells comes from the above
};

}  // namespace xylem
