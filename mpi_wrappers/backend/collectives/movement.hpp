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
    const bool wrong = !has_root(arguments_, peers_) || sent_.wrong() || received_.wrong() || is_refused_alias() ||
                       (kAllAlike && !keeps_its_own());
    return wrong ? Reason::bad_argument : Reason::none;
  }
  // What is wrong that the MPI would find only together with other ranks, which may be running the call on Xylem.
  int error() const { return keeps_its_own() ? MPI_SUCCESS : MPI_ERR_TRUNCATE; }

  // Bytes of the signature of what this rank sends, or gets if it sends nothing.
  std::size_t bytes() const { return sent_.used() ? sent_.total() : received_.total(); }

  // For a call that goes on after the program's has returned.
  void keep() {
    sent_.keep();
    received_.keep();
  }

  // Runs on that communicator, of the same ranks.
  void use(xylem_comm_t comm) { comm_ = comm; }

  // Legal order: (begin start finish)*.
  Outcome begin() {
    const Outcome outcome = sent_.give(sent_.overlaps(received_));
    if (!outcome.good()) return outcome;
    const OwnBlock own = arguments_.own(peers_);
    if (sent_.any() || own.received < 0) return received_.expect(0, 0);
    // In place: all of the blocks that this rank would send.
    return kExchanges ? received_.expect(0, peers_.peers) : received_.expect(own.received, own.received + 1);
  }
  xylem_status start(xylem_request_t* request) { return arguments_.start(peers_, sent_, received_, comm_, request); }
  Outcome finish() { return received_.receive(); }

 private:
  using Sent = Side<decltype(std::declval<Arguments>().sent(Peers{}))>;
  using Received = Side<decltype(std::declval<Arguments>().received(Peers{}))>;

  static constexpr bool kExchanges = requires { Arguments::kExchanges; };
  // Whether all ranks send and receive blocks of one length.
  static constexpr bool kAllAlike = Sent::kEven && Received::kEven && !requires(Arguments a) { a.root; };

  // Whether as much comes back to this rank as it sends to itself.
  bool keeps_its_own() const {
    const OwnBlock own = arguments_.own(peers_);
    return own.sent < 0 || !sent_.any() || !received_.any() || sent_.bytes(own.sent) == received_.bytes(own.received);
  }

  // The MPI compares the two places of this rank's own block, if it has one datatype.
  bool is_refused_alias() const {
    const OwnBlock own = arguments_.own(peers_);
    if (!kMpiRefusesAliases || own.sent < 0 || !sent_.any() || !received_.any()) return false;
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
