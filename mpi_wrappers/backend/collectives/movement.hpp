// A call that moves data, on Xylem, in whatever form the program called it. `Arguments` is what the program gave, and tells
// what of it means what:
// - Signature: that of the MPI's blocking function; kCollective: its name;
// - sent(), received(): what the buffers hold of the call on this rank: no blocks where they mean nothing, or for
// MPI_IN_PLACE;
// - own(): which block of those that this rank sends it receives itself, as which;
// - kExchanges, where it is there: every rank has a block for every other;
// - start(): the call on Xylem;
// - pass_on(): a function of the MPI with these arguments, other buffers, and perhaps more arguments behind.
#pragma once

#include <utility>

#include "backend/collectives/peers.hpp"
#include "backend/collectives/side.hpp"
#include "backend/collectives/xylem_call.hpp"
#include "backend/reason.hpp"

namespace xylem::preload {

struct OwnBlock {
  int sent = -1;  // -1: there is none
  int received = -1;
};

template <class Arguments>
class Movement {
 public:
  Movement(const Arguments& arguments, const Communicator& comm)
      : arguments_(arguments),
        peers_(Peers::of(comm, root_of(arguments))),
        comm_(comm.xylem),
        sent_(arguments.sent(peers_)),
        received_(arguments.received(peers_)) {}

  // Why the call is handed down.
  Reason reason() const {
    const bool wrong = !has_root(arguments_, peers_) || sent_.wrong() || received_.wrong() || is_refused_alias();
    return wrong ? Reason::bad_argument : Reason::none;
  }

  // Bytes of the signature of what this rank sends, or gets if it sends nothing.
  std::size_t bytes() const { return sent_.used() ? sent_.total() : received_.total(); }

  // For a call that goes on after the program's has returned.
  void keep() {
    sent_.keep();
    received_.keep();
  }

  // Runs on that communicator, of the same ranks.
  void use(xylem_comm_t comm) { comm_ = comm; }
  xylem_comm_t comm() const { return comm_; }

  // Legal order: (begin start finish)*. What start() or its request came to is given to finish().
  Outcome begin() {
    const OwnBlock own = arguments_.own(peers_);
    if (!keeps_its_own()) {
      sent_.leave_out(own.sent);
      received_.leave_out(own.received);
    }
    const Outcome outcome = sent_.give(sent_.overlaps(received_));
    if (!outcome.good()) return outcome;
    if (sent_.any() || own.received < 0) return received_.expect(0, 0);
    // In place: all of the blocks that this rank would send.
    return kExchanges ? received_.expect(0, peers_.peers) : received_.expect(own.received, own.received + 1);
  }
  // Where even blocks cannot be served, other ranks shall not wait for this one: they find that it has called something else.
  xylem_status start(xylem_request_t* request) {
    if (kEven && !keeps_its_own()) return call_xylem(xylem_barrier, xylem_ibarrier, request, comm_);
    return arguments_.start(peers_, sent_, received_, comm_, request);
  }
  Outcome finish(xylem_status status) {
    if (kEven && !keeps_its_own()) return {MPI_ERR_TRUNCATE};
    if (status != XYLEM_SUCCESS) return {MPI_SUCCESS, status};
    const Outcome outcome = received_.receive();
    return outcome.good() && !keeps_its_own() ? Outcome{MPI_ERR_TRUNCATE} : outcome;
  }

 private:
  using Sent = Side<decltype(std::declval<Arguments>().sent(Peers{}))>;
  using Received = Side<decltype(std::declval<Arguments>().received(Peers{}))>;

  static constexpr bool kEven = Sent::kEven && Received::kEven;
  static constexpr bool kExchanges = requires { Arguments::kExchanges; };
  // Whether as much comes back to this rank as it sends to itself. Else the call has failed. Where other blocks may have
  // other lengths, it is made without this one.
  bool keeps_its_own() const {
    const OwnBlock own = arguments_.own(peers_);
    return own.sent < 0 || !sent_.any() || !received_.any() || sent_.bytes(own.sent) == received_.bytes(own.received);
  }

  // The MPI compares the two places of this rank's own block, if it has one datatype.
  bool is_refused_alias() const {
    const OwnBlock own = arguments_.own(peers_);
    if (!refuses_aliases(Arguments::kCollective, 1) || own.sent < 0 || !sent_.any() || !received_.any()) return false;
    if (sent_.bytes(own.sent) == 0 || received_.bytes(own.received) == 0) return false;
    return sent_.datatype(own.sent) == received_.datatype(own.received) &&
           sent_.address(own.sent) == received_.address(own.received);
  }

  Arguments arguments_;
  Peers peers_;
  xylem_comm_t comm_;
  Sent sent_;
  Received received_;
};

}  // namespace xylem::preload
