// Calls whose buffers lie on GPUs on all ranks, run by kernels. The ranks agree, call by call, whether that can be
// (comm/device_agreement.hpp); where it cannot, each stages its own buffers (comm/staging.hpp).
//
// Ranks are grouped by GPU (comm/device_groups.hpp). The lowest rank of a GPU leads it: its kernel folds what the ranks of
// the GPU contribute, runs the algorithm with the leaders of the other GPUs over channels in device memory, and copies the
// result to the ranks of the GPU. So a rank alone on its GPU runs the algorithm only, and where all share one GPU there is
// nothing between fold and copy. A rank whose GPU another one leads launches nothing: kernels of several processes on one GPU
// would wait for each other. Its buffers are opened by the leader.
//
// Streams. Kernels run in a stream of Xylem's own. Two events keep the order: the kernel waits for what the streams of the
// GPU's ranks had when they came to the call (`arrived`, one of each rank), and their streams wait for the kernel
// (`finished`, the leader's). No host waits but that of a rank that gave no stream. Events of other processes are opened
// once.
// What may be used when:
// - Channels: by one kernel after the other, since all of a communicator's run in one stream on each GPU. Their memory is
//   kept until the kernels of all ranks have ended (cuda/device_links.hpp).
// - Buffers: until `finished`, whoever touches them; that is what the program's streams wait for.
// - Mappings of other ranks' buffers, scratch: the driver waits for the kernels under way where some are closed or made, so
//   the leader waits for them first, in its own polite way.
// No rank waits for a kernel when all have agreed to launch theirs: another communicator's kernel might be one that waits for
// a rank which waits here likewise. So buffers are opened before that, all kernels that wait are resident at once, and what
// else the driver does meanwhile in other threads (it waits for kernels to free memory) comes to its end.
// A kernel that meets a fault says so in memory that the host looks at in the next call, in check() or where it waits.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/call.hpp"
#include "comm/device_agreement.hpp"
#include "comm/device_groups.hpp"
#include "comm/staging.hpp"
#include "cuda/device_links.hpp"
#include "cuda/device_scratch.hpp"
#include "cuda/event.hpp"
#include "cuda/ipc.hpp"
#include "cuda/kernel_stream.hpp"
#include "plan/planner.hpp"

namespace xylem {

class Communicator;

class DevicePath {
 public:
  // The communicator's ranks share a host, and all of them may have device buffers.
  explicit DevicePath(Communicator& communicator);
  // Waits for the kernels under way.
  ~DevicePath();
  DevicePath(const DevicePath&) = delete;
  DevicePath& operator=(const DevicePath&) = delete;

  // Collective. Null: the call is left to the host, on all ranks. Throws Error where a kernel failed on this rank alone.
  std::optional<xylem_status> run(const Call& call);

  // Collective. The buffers that ranks of the own GPU have at `buffer`, held open where this rank launches its kernels; empty
  // where nothing is to be opened. Throws Error where the communicator broke.
  std::vector<cuda::HeldBuffer> hold(const void* buffer, std::size_t bytes);
  void release(std::vector<cuda::HeldBuffer>& held);

  // What a kernel met that has ended, if any did; told once. Throws Error where the driver reports a failure.
  struct Met {
    exec::Fault fault;
    std::uint32_t rank;
  };
  std::optional<Met> take_fault();

 private:
  enum class Way {
    unknown,
    kernels,
    none,  // the driver of some rank refuses
  };

  // What a rank says when it comes to a call.
  struct Offer {
    enum : std::uint32_t { refuses = 1, captured = 2, not_captured = 4, one_lane = 8, lost = 16 };
    std::uint32_t flags = 0;
    std::uint32_t unused = 0;
    std::uint64_t bytes = 0;             // of its larger buffer
    cuda::ExportedBuffer input, output;  // where another rank leads its GPU
  };
  // What all of them come to.
  struct Terms {
    explicit Terms(std::span<const Offer> offers);
    bool refused() const { return (flags & Offer::refuses) != 0; }
    // Some rank's context has ended since the ranks connected.
    bool lost() const { return (flags & Offer::lost) != 0; }
    bool captured() const { return (flags & Offer::captured) != 0; }
    bool captured_in_part() const { return captured() && (flags & Offer::not_captured) != 0; }

    std::uint32_t flags = 0;
    std::uint64_t bytes = 0;
  };

  // device_path.cpp: what is agreed, and waiting
  bool may_serve(const Call& call) const;
  bool serves(const Call& call) const;
  std::optional<xylem_status> run_agreed(const Call& call);
  Offer offer(const Call& call);
  bool suits(const Call& call, const BufferBytes& bytes);
  bool lost() const;
  void forget();
  std::optional<xylem_status> launch(const Call& call, std::span<const Offer> offers, const Terms& terms,
                                     const DeviceAgreement& agreement);
  std::optional<xylem_status> leave_to_host(const std::string& refusal);
  xylem_status conclude(const Call& call, const Terms& terms);
  exec::Fault wait_for_kernel();
  void finish_what_runs();

  // device_connect.cpp: once for a communicator
  bool make_stream(const cuda::Memory& near);
  bool connect(const DeviceAgreement& agreement);
  bool connect_devices(const DeviceAgreement& agreement);
  bool exchange_events(const DeviceAgreement& agreement);
  std::vector<cuda::HeldBuffer> hold_agreed(const void* buffer, std::size_t bytes, const DeviceAgreement& agreement);

  // device_launch.cpp: the leader's part
  void prepare(const Call& call, const BufferBytes& bytes, Offer& offer);
  void open_buffers(std::span<const Offer> offers);
  std::byte* open(const cuda::ExportedBuffer& buffer);
  void launch_kernel(const Call& call, const Terms& terms);
  void finish_unrecorded(const Call& call, const Error& error);
  cuda::KernelCall kernel_call(const Call& call, const Terms& terms);
  void add_residents(cuda::KernelCall& kernel, const Call& call);
  void add_channels(cuda::KernelCall& kernel, const Terms& terms) const;
  unsigned blocks_for(const Terms& terms, const std::string& kernel) const;

  Communicator& communicator_;
  Way way_ = Way::unknown;   // the same on all ranks
  bool no_kernels_ = false;  // on this rank
  std::optional<DeviceGroups> groups_;
  std::optional<plan::Planner> planner_;  // of algorithms over channels between GPUs

  std::unique_ptr<cuda::KernelStream> stream_;
  std::optional<cuda::Event> arrived_;
  std::optional<cuda::Event> finished_;         // of the own GPU's leader
  std::vector<cuda::Event> residents_arrived_;  // of the others on the GPU that this rank leads
  std::unique_ptr<cuda::DeviceScratch> scratch_;
  std::unique_ptr<cuda::DeviceLinks> links_;
  bool under_way_ = false;  // a kernel may be that no call has waited for

  // This rank's buffers of the call that runs, where several share its GPU.
  cuda::BufferExport told_input_, told_output_;

  // Of the call that runs, at a leader.
  plan::Plan plan_;
  std::size_t lane_scratch_ = 0;      // bytes of each block
  std::size_t folded_scratch_ = 0;    // where what is folded has no place in a buffer
  std::vector<std::size_t> offsets_;  // of blocks that lie one behind the other
  struct Buffers {
    std::byte* input;
    std::byte* output;
  };
  std::vector<Buffers> buffers_;           // of the ranks of the GPU, as they lie here
  std::vector<cuda::BufferLease> leases_;  // no other communicator closes them before the kernel is launched
};

}  // namespace xylem
