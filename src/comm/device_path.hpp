// Calls whose buffers lie on GPUs on all ranks, run by kernels. All ranks agree, call by call, whether that can be; where it
// cannot, each rank stages its own buffers (comm/staging.hpp).
//
// Every rank says whether its buffers suit: one line of the host's board. If all do, there are two ways, by where the ranks
// are; a mixture of both is staged.
// - One GPU for all: its leader opens the other ranks' buffers and runs one kernel for all of them; all agree that it is
// done.
//   Meanwhile the other ranks wait on the host, for kernels of several processes on one GPU would wait for each other.
// - A GPU for each: every rank launches the algorithm that the plan chooses, over channels in device memory.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "comm/call.hpp"
#include "comm/staging.hpp"
#include "cuda/device_links.hpp"
#include "cuda/ipc.hpp"
#include "cuda/kernel_stream.hpp"
#include "plan/planner.hpp"

namespace xylem {

class Communicator;

class DevicePath {
 public:
  // The communicator's ranks share a host, and all of them may have device buffers.
  explicit DevicePath(Communicator& communicator);

  // Collective. Null: the call is left to the host, on all ranks. Throws Error where a kernel failed on this rank alone.
  std::optional<xylem_status> run(const Call& call);

 private:
  enum class Way {
    unknown,
    one_device,  // for all ranks
    own_device,  // for each rank
    none,        // the driver of some rank refuses, or devices are shared by some
  };
  // What a rank tells of its buffers where others open them.
  struct Card {
    cuda::ExportedBuffer input, output;
  };

  bool suits(const Call& call);
  bool make_stream(const cuda::Memory& near);
  bool make_card(const Call& call);
  Way find_way();
  bool connect();
  xylem_status run_on_one_device(const Call& call);
  void launch_for_all(const Call& call, const std::vector<Card>& cards);
  xylem_status run_on_own_device(const Call& call);
  cuda::KernelCall kernel_call(const Call& call) const;

  bool any(bool here);
  template <class T>
  std::vector<T> gather(const T& mine);
  exec::Fault wait_for_kernel();

  Communicator& communicator_;
  plan::Planner planner_;    // of algorithms over device channels
  Way way_ = Way::unknown;   // the same on all ranks
  bool no_kernels_ = false;  // on this rank
  std::unique_ptr<cuda::KernelStream> stream_;
  std::unique_ptr<cuda::DeviceLinks> links_;
  Card card_;
};

}  // namespace xylem
