// A call that reduces, on Xylem, in whatever form the program called it. Arguments: collectives/reduce.hpp. Nothing is
// packed, as all elements of predefined types that Xylem reduces lie in memory as it wants them.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "backend/collectives/reduce.hpp"
#include "backend/errors.hpp"
#include "backend/reason.hpp"

namespace xylem::preload {

template <class Arguments>
class Folding {
 public:
  Folding(const Arguments& arguments, const Communicator& comm)
      : arguments_(arguments),
        peers_(Peers::of(comm, root_of(arguments))),
        comm_(comm.xylem),
        how_(find_reduction(arguments.datatype, arguments.op)) {}

  // Why the call is handed down.
  Reason reason() const {
    if (how_.reason != Reason::none) return how_.reason;
    const bool wrong = !has_root(arguments_, peers_) || !has_good_counts() || has_wrong_buffers();
    return wrong ? Reason::bad_argument : Reason::none;
  }
  int error() const { return MPI_SUCCESS; }

  // Of the signature of this rank's input.
  std::size_t bytes() const { return static_cast<std::size_t>(arguments_.elements(peers_)) * how_.size; }

  void keep() {}

  // Runs on that communicator, of the same ranks.
  void use(xylem_comm_t comm) { comm_ = comm; }

  // Legal order: (begin start finish)*.
  Outcome begin() {
    if constexpr (kUneven) lengths_.assign(arguments_.recvcounts, arguments_.recvcounts + peers_.size);
    return {};
  }
  xylem_status start(xylem_request_t* request) {
    if constexpr (kUneven)
      return arguments_.start(peers_, how_, lengths_.data(), comm_, request);
    else
      return arguments_.start(peers_, how_, nullptr, comm_, request);
  }
  Outcome finish() { return {}; }

 private:
  static constexpr bool kUneven = requires(Arguments a) { a.recvcounts; };
  struct Nothing {};

  bool has_good_counts() const {
    if constexpr (kUneven)
      return arguments_.recvcounts != nullptr &&
             std::all_of(arguments_.recvcounts, arguments_.recvcounts + peers_.size, [](auto count) { return count >= 0; });
    else
      return arguments_.elements(peers_) >= 0;
  }

  static bool is_wrong(const EvenBlocks& blocks) {
    return blocks.size() > 0 && blocks.count(0) > 0 && (blocks.buffer() == nullptr || blocks.buffer() == MPI_IN_PLACE);
  }
  bool has_wrong_buffers() const {
    const EvenBlocks in = arguments_.sent(peers_), out = arguments_.received(peers_);
    if (is_wrong(in) || is_wrong(out)) return true;
    return kRefusesAliases && in.size() > 0 && out.size() > 0 && in.count(0) > 0 && in.buffer() == out.buffer();
  }
  // All MPIs refuse them at the root of a reduce.
  static constexpr bool kRefusesAliases = kMpiRefusesAliases || Arguments::kCollective == Collective::reduce;

  Arguments arguments_;
  Peers peers_;
  xylem_comm_t comm_;
  Reduction how_;
  [[no_unique_address]] std::conditional_t<kUneven, std::vector<std::size_t>, Nothing> lengths_;
};

}  // namespace xylem::preload
