// A call that reduces with a predefined operation, on Xylem, in whatever form the program called it. Arguments:
// collectives/reduce.hpp. Nothing is packed, as all elements of predefined types that Xylem reduces lie in memory as it wants
// them.
#pragma once

#include <type_traits>
#include <vector>

#include "backend/collectives/reduce.hpp"
#include "backend/collectives/reduction_arguments.hpp"
#include "backend/collectives/user_folding.hpp"
#include "backend/errors.hpp"
#include "backend/reason.hpp"

namespace xylem::preload {

template <class Arguments>
class Folding {
 public:
  // How the call runs where reason() is Reason::user_operation.
  using ByProgram = UserFolding<Arguments>;

  Folding(const Arguments& arguments, const Communicator& comm)
      : arguments_(arguments),
        peers_(Peers::of(comm, root_of(arguments))),
        comm_(comm.xylem),
        how_(find_reduction(arguments.datatype, arguments.op)) {}

  // Why the call is handed down.
  Reason reason() const {
    if (how_.reason != Reason::none) return how_.reason;
    return is_wrong(arguments_, peers_, false) ? Reason::bad_argument : Reason::none;
  }

  // Of the signature of this rank's input.
  std::size_t bytes() const { return static_cast<std::size_t>(arguments_.elements(peers_)) * how_.size; }

  void keep() { counts_.keep(arguments_, peers_); }

  // Runs on that communicator, of the same ranks.
  void use(xylem_comm_t comm) { comm_ = comm; }
  xylem_comm_t comm() const { return comm_; }

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
  static Outcome finish(xylem_status status) { return {MPI_SUCCESS, status}; }

 private:
  static constexpr bool kUneven = kHasRecvcounts<Arguments>;
  struct Nothing {};

  Arguments arguments_;
  [[no_unique_address]] KeptCounts<Arguments> counts_;
  Peers peers_;
  xylem_comm_t comm_;
  Reduction how_;
  [[no_unique_address]] std::conditional_t<kUneven, std::vector<std::size_t>, Nothing> lengths_;
};

}  // namespace xylem::preload
