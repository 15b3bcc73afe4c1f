// A Port is what moves data for one call on one rank. MemoryPort is the one that does so through memory: channels to other
// ranks and the board of the host. The recorder of src/coll/ is another Port. exec/lane.hpp builds the verbs that algorithms
// are written in on top of any Port.
//
// A Port offers
//   Slice begin_send(peer, bytes)    wait for a free slot of the channel to `peer`; write it; then
//   void  end_send(peer, bytes)      publish it
//   View  begin_recv(peer, bytes)    wait for the next slot from `peer`, which must carry `bytes` bytes; read it; then
//   void  end_recv(peer)             give it back
//   Slice begin_publish(bytes)       own buffer of the board in this epoch; write it; then
//   void  end_publish()              show it
//   View  fetch(member, bytes)       wait for the buffer of `member` of the host group in this epoch; valid until finish()
//   void  finish()                   end the epoch
//   void  lend(peer, View)           let `peer` copy that from this rank's memory, which stays as it is until
//   bool  settle(peer)               waits until `peer` has done so. False: it could not
//   bool  borrow(peer, Slice)        wait for what `peer` lends, which must be as long; copy it. False: it cannot be read
//   bool  refused(peer)              that was so of the last slot from `peer`
//   void  copy(Slice, View)          and
//   void  reduce(Slice, View, View)  of equal length; the result may be one of the operands
//   split(first, second)             both at the same time, each with a Port of its own
//
// A Team is the threads that execute one rank's share: a CPU thread (exec/cpu_team.hpp), or the threads of a CUDA block,
// which go through the algorithm side by side, each with a Port of its own. What they share (channels, board) is changed by
// the Team's first thread only, between syncs. A Team offers
//   bool kConnects                   whether channels may have to be connected at first use
//   bool kLends                      whether ranks may lend each other memory; then also
//   Fault look()                     the reason why waiting has no sense any more, if there is one by now
//   int  rank(), size()              of a thread in the Team
//   void sync()                      waits for all threads; what one wrote before, all see after
//   T    lead(function)              the first thread's function(), returned to all threads, with a sync; T: 16 bytes at most
//   Fault wait(ready)                first thread only: returns when ready() holds, or with the reason why it never may;
//                                    or wait(ready, peer, board), where the Team wants to know whom it waits for
//   void report(fault, peer, board)  first thread only: ends this rank's other waits too
//   Fault agree(fault)               some thread's fault where any has one, with a sync
//   split(first, second)             calls each on one half of the Team, at the same time
#pragma once

#include "exec/board.hpp"
#include "exec/channel.hpp"
#include "exec/fault.hpp"
#include "exec/slice.hpp"

namespace xylem::exec {

// What a port works on: the channels and the board of a communicator on one rank.
struct Endpoints {
  Channel* to = nullptr;    // by peer rank; connected when slots is not null
  Channel* from = nullptr;  // by peer rank
  Board* board = nullptr;
  // Makes to[peer] or from[peer] ready at first use; nullptr where all are.
  bool (*connect)(void* context, std::uint32_t peer, bool outbound) = nullptr;
  void* context = nullptr;
};

template <class Team, class Arithmetic>
class MemoryPort {
 public:
  // `signature` is equal on all ranks of a call and tells it from others.
  XYLEM_HD MemoryPort(Team& team, Endpoints& endpoints, Arithmetic arithmetic, std::uint32_t signature)
      : team_(team), endpoints_(endpoints), arithmetic_(arithmetic), signature_(signature) {}

  XYLEM_HD Fault fault() const { return fault_; }
  // Whom it was met at: a rank of the communicator, or, if fault_on_board(), a member of the host group.
  XYLEM_HD std::uint32_t fault_peer() const { return fault_peer_; }
  XYLEM_HD bool fault_on_board() const { return fault_on_board_; }

  static constexpr bool kLends = Team::kLends;

  XYLEM_HD_CALLED Slice begin_send(std::uint32_t peer, std::size_t bytes) {
    return {lead([&]() -> std::byte* {
              Channel& channel = endpoints_.to[peer];
              if (!connect(channel, peer, true)) return nullptr;
              if (channel.position - channel.seen >= kSlots) {
                await(peer, [&] {
                  channel.seen = load_acquire(channel.head->position);
                  return channel.position - channel.seen < kSlots;
                });
              }
              return channel.slot();
            }),
            bytes};
  }

  XYLEM_HD_CALLED void end_send(std::uint32_t peer, std::size_t bytes) {
    if (fault_ != Fault::none) return;
    team_.sync();
    if (team_.rank() != 0) return;
    Channel& channel = endpoints_.to[peer];
    const std::uint32_t slot = channel.position % kSlots;
    ++channel.position;
    channel.tail->bytes[slot] = static_cast<std::uint32_t>(bytes);
    channel.tail->signature[slot] = signature_;
    store_release(channel.tail->position, channel.position);
  }

  XYLEM_HD_CALLED View begin_recv(std::uint32_t peer, std::size_t bytes) {
    return {lead([&]() -> std::byte* {
              Channel& channel = endpoints_.from[peer];
              if (!connect(channel, peer, false)) return nullptr;
              if (channel.seen == channel.position) {
                await(peer, [&] {
                  channel.seen = load_acquire(channel.tail->position);
                  return channel.seen != channel.position;
                });
              }
              if (fault_ == Fault::none) {
                const std::uint32_t slot = channel.position % kSlots;
                if (channel.tail->signature[slot] != signature_) {
                  fail(Fault::mismatch, peer);
                } else if (channel.tail->bytes[slot] != bytes) {
                  fail(Fault::protocol, peer);
                }
              }
              return channel.slot();
            }),
            bytes};
  }

  XYLEM_HD_CALLED void end_recv(std::uint32_t peer) {
    if (fault_ != Fault::none) return;
    team_.sync();
    if (team_.rank() != 0) return;
    Channel& channel = endpoints_.from[peer];
    ++channel.position;
    store_release(channel.head->position, channel.position);
  }

  // One loan is under way on a channel at a time. Only where Team::kLends.
  void lend(std::uint32_t peer, View own) {
    const Slice slot = begin_send(peer, sizeof(Loan));
    if (fault_ != Fault::none || slot.data == nullptr) return;
    *reinterpret_cast<Loan*>(slot.data) = {own.data, own.bytes};
    end_send(peer, kLoanMark);
  }

  bool settle(std::uint32_t peer) {
    Channel& channel = endpoints_.to[peer];
    await(peer, [&] {
      channel.seen = load_acquire(channel.head->position);
      return channel.seen == channel.position;
    });
    return fault_ != Fault::none || channel.head->refused != channel.position;
  }

  bool borrow(std::uint32_t peer, Slice out) {
    const View slot = begin_recv(peer, kLoanMark);
    if (fault_ != Fault::none || slot.data == nullptr) return true;
    const Loan loan = *reinterpret_cast<const Loan*>(slot.data);
    if (loan.bytes != out.bytes) {
      fail(Fault::protocol, peer);
      return true;
    }
    Channel& channel = endpoints_.from[peer];
    const bool taken = arithmetic_.borrow(channel.process, out, loan.address);
    // A lender that has given up meanwhile may use its memory for something else: it says so before.
    if (const Fault fault = team_.look(); fault != Fault::none) fail(fault, peer);
    if (!taken) channel.head->refused = channel.position + 1;
    end_recv(peer);
    return taken;
  }

  bool refused(std::uint32_t peer) const {
    const Channel& channel = endpoints_.from[peer];
    return fault_ == Fault::none && channel.head->refused == channel.position;
  }

  XYLEM_HD_CALLED Slice begin_publish(std::size_t bytes) {
    return {lead([&] {
              Board& board = *endpoints_.board;
              // The buffer was last used kBoardDepth epochs ago: every rank must have finished that epoch.
              if (board.finished + kBoardDepth <= board.epoch) {
                std::uint64_t finished = board.epoch;
                for (std::uint32_t member = 0; member < board.size; ++member) {
                  if (member == board.rank) continue;
                  std::uint64_t epochs = 0;
                  await_member(member, [&] {
                    epochs = load_acquire(board.done[member]->epochs);
                    return epochs + kBoardDepth > board.epoch;
                  });
                  finished = epochs < finished ? epochs : finished;
                }
                if (fault_ == Fault::none) board.finished = finished;
              }
              return board.payload(board.rank);
            }),
            bytes};
  }

  XYLEM_HD_CALLED void end_publish() {
    if (fault_ != Fault::none) return;
    team_.sync();
    if (team_.rank() != 0) return;
    Board& board = *endpoints_.board;
    store_release(board.word(board.rank), BoardWord::make(board.epoch, signature_));
    // What others have read of the next buffer, some epochs ago, is still in their caches.
    prefetch_for_write(board.buffer(board.rank, board.epoch + 1));
  }

  XYLEM_HD_CALLED View fetch(std::uint32_t member, std::size_t bytes) {
    return {lead([&] {
              Board& board = *endpoints_.board;
              std::uint64_t word = 0;
              await_member(member, [&] {
                word = load_acquire(board.word(member));
                return BoardWord::is_of(word, board.epoch);
              });
              if (fault_ == Fault::none && word != BoardWord::make(board.epoch, signature_)) {
                fail(Fault::mismatch, member, true);
              }
              return board.payload(member);
            }),
            bytes};
  }

  // Pass `all_fetched` when every member's buffer of this epoch was fetched: then all are known to have finished the epochs
  // before it.
  XYLEM_HD_CALLED void finish(bool all_fetched) {
    if (fault_ != Fault::none) return;
    team_.sync();
    if (team_.rank() != 0) return;
    Board& board = *endpoints_.board;
    if (all_fetched) board.finished = board.epoch;
    ++board.epoch;
    store_release(board.done[board.rank]->epochs, board.epoch);
  }

  // A thread may read here what another one wrote in the verb before, or write what another one has read.
  XYLEM_HD_CALLED void copy(Slice out, View in) {
    if (fault_ != Fault::none) return;
    team_.sync();
    arithmetic_.copy(team_, out, in);
  }
  XYLEM_HD_CALLED void reduce(Slice out, View left, View right) {
    if (fault_ != Fault::none) return;
    team_.sync();
    arithmetic_.reduce(team_, out, left, right);
  }

  template <class First, class Second>
  XYLEM_HD void split(First first, Second second) {
    // Halves may be threads of their own: neither writes what the other reads.
    MemoryPort first_half = *this, second_half = *this;
    team_.split([&] { first(first_half); }, [&] { second(second_half); });
    adopt(first_half);
    adopt(second_half);
    fault_ = team_.agree(fault_);
  }

 private:
  // What the first thread did, told to all: `function` returns where its slot or buffer lies.
  template <class Function>
  XYLEM_HD std::byte* lead(Function function) {
    struct Granted {
      std::byte* data;
      Fault fault;
    };
    const Granted granted = team_.lead([&] {
      std::byte* const data = function();
      return Granted{data, fault_};
    });
    fault_ = granted.fault;
    return granted.data;
  }

  XYLEM_HD void adopt(const MemoryPort& half) {
    if (fault_ != Fault::none || half.fault_ == Fault::none) return;
    fault_ = half.fault_;
    fault_peer_ = half.fault_peer_;
    fault_on_board_ = half.fault_on_board_;
  }

  template <class Ready>
  XYLEM_HD void await(std::uint32_t peer, Ready ready) {
    if (fault_ != Fault::none) return;
    if (const Fault fault = wait(ready, peer, false); fault != Fault::none) fail(fault, peer);
  }
  template <class Ready>
  XYLEM_HD void await_member(std::uint32_t member, Ready ready) {
    if (fault_ != Fault::none) return;
    if (const Fault fault = wait(ready, member, true); fault != Fault::none) fail(fault, member, true);
  }
  template <class Ready>
  XYLEM_HD Fault wait(Ready ready, std::uint32_t peer, bool on_board) {
    if constexpr (requires { team_.wait(ready, peer, on_board); }) {
      return team_.wait(ready, peer, on_board);
    } else {
      return team_.wait(ready);
    }
  }
  // Makes a channel ready; said of one that is, too.
  XYLEM_HD bool connect(const Channel& channel, std::uint32_t peer, bool outbound) {
    if constexpr (Team::kConnects) {
      if (channel.slots != nullptr) return true;
      if (fault_ != Fault::none) return false;
      if (endpoints_.connect != nullptr && endpoints_.connect(endpoints_.context, peer, outbound)) return true;
      fail(Fault::protocol, peer);
      return false;
    }
    return true;
  }
  XYLEM_HD void fail(Fault fault, std::uint32_t peer, bool on_board = false) {
    if (fault_ != Fault::none) return;
    fault_ = fault;
    fault_peer_ = peer;
    fault_on_board_ = on_board;
    team_.report(fault, peer, on_board);
  }

  Team& team_;
  Endpoints& endpoints_;
  Arithmetic arithmetic_;
  std::uint32_t signature_;
  Fault fault_ = Fault::none;
  std::uint32_t fault_peer_ = 0;
  bool fault_on_board_ = false;
};

}  // namespace xylem::exec
