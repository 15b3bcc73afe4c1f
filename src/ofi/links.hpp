// The channels of one communicator that cross the network. Each end of such a channel has slots of its own; Links carries
// what the sender publishes over to the receiver's slots, and tells the sender what has been read.
//
// Legal use: Links; all ranks exchange info(); connect; (sender | receiver | progress | idle)*; give_up
// By one thread at a time, except failed(), failure(), failed_rank() and told(). Communicators of one Network may be used by
// several threads at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "exec/channel.hpp"
#include "exec/fault.hpp"
#include "ofi/connect_info.hpp"
#include "ofi/network.hpp"

namespace xylem::ofi {

class Farewell;
class InLink;
class OutLink;
struct Data;
struct Tag;

class Links {
 public:
  // The most that a slot may hold: the size of the buffers that receive what was not expected.
  static constexpr std::uint32_t kMaxSlotBytes = 64 * 1024;

  // slot_bytes: a multiple of 64; the least that any rank says counts. From here on messages of the peers can arrive. Throws
  // Error.
  Links(std::shared_ptr<Network> network, int rank, int size, std::uint32_t slot_bytes);
  // Bounded in time. What idle() said is sent reaches the peers. Channels must not be used after. Peers hear of an end in the
  // middle: with something published and not sent, or received and not read.
  ~Links();
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;

  // This rank's part of the one allgather that must come before connect().
  const ConnectInfo& info() const { return info_; }
  // `peers`: of all ranks, in rank order. Nothing is sent yet: connections are made at first use. Throws Error when the ranks
  // cannot reach each other: other providers, addresses that only mean something on one host, or one address on several.
  void connect(std::span<const ConnectInfo> peers);

  // Of a slot of any channel, after connect(): no more than the provider takes in one message.
  std::uint32_t slot_bytes() const { return slot_bytes_; }

  // This rank's end of the channel to `rank`, or from it, at position 0. Ask once for each; the caller keeps it. Both ranks
  // may ask at any time, early or late. Throws Error: no memory, an address that the provider refuses.
  exec::Channel sender(int rank);
  exec::Channel receiver(int rank);

  // Sends what was published, receives what has come, tells what was read. Never blocks. True when anything moved.
  bool progress() noexcept;
  // Drives the network once and says whether all that was published needs this thread no more. A call may return then.
  bool idle() noexcept;

  // Tells `peers` that this rank will not go on because of `failed_rank`, itself or another, and fails. Their Links fail with
  // that rank's name. Does not wait: the network carries it while this object lives, and its end sees to it.
  // `why`: Fault::aborted, or how that rank was lost. Any thread, after connect().
  void give_up(std::span<const int> peers, int failed_rank, exec::Fault why = exec::Fault::aborted) noexcept;

  // Once true it stays: the channels are dead, waiting for them is futile. Any thread.
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  // What went wrong first, and with which rank. Empty if nothing. Any thread.
  std::string failure() const;
  // The rank that failed, as far as we know. Any thread, after failed().
  int failed_rank() const { return failed_rank_; }
  // How it failed: see give_up(). Any thread, after failed().
  exec::Fault fault() const { return fault_; }
  // A peer told us of the failure, and tells the others. Any thread, after failed().
  bool told() const { return told_; }

  // --- For the other classes of this folder, with the hub's mutex held. ---
  void arrived(int from, const Tag& tag, const Data& data, std::span<const std::byte> payload) noexcept;
  // Posts what was published and tells what was read. True when the provider took anything.
  bool push(bool all_credits) noexcept;
  bool settled() const;
  // `failed_rank`: because of whom. Without it: this rank itself.
  void fail(const std::string& reason, int failed_rank, exec::Fault fault = exec::Fault::aborted) noexcept;
  void fail(const std::string& reason) noexcept { fail(reason, rank_); }
  InLink* in(int peer) const { return ins_[static_cast<std::size_t>(peer)].get(); }

 private:
  struct Peer {
    std::uint64_t first_link;
    std::uint32_t address;  // as the hub counts them
  };

  // Why no message could come to that peer's address; null: one may.
  const char* out_of_reach(const ConnectInfo& peer) const;
  Peer& peer(int rank);
  InLink& make_in(int rank);
  bool answer(InLink& link) noexcept;
  void granted(int from, OutLink* link, std::span<const std::byte> text);
  void give_up_to(std::span<const int> peers, int failed_rank, exec::Fault why) noexcept;
  void heard(int from, const Data& data) noexcept;
  bool unposted() const;
  bool unfinished() const;
  bool pending() const;
  bool farewell_told() const;
  void close(std::unique_lock<std::mutex>& lock) noexcept;

  std::shared_ptr<Network> network_;
  Hub& hub_;
  int rank_;
  std::uint32_t slot_bytes_;
  ConnectInfo info_{};
  std::vector<Peer> peers_;                     // empty before connect()
  std::vector<std::unique_ptr<OutLink>> outs_;  // by rank, null until used
  std::vector<std::unique_ptr<InLink>> ins_;    // likewise
  std::vector<OutLink*> active_outs_;           // changed by the owner's thread only
  std::vector<InLink*> active_ins_;
  std::uint32_t quiet_ = 0;             // polls in a row that moved nothing
  std::unique_ptr<Farewell> farewell_;  // null until this rank gives up
  // What failed_ (release) publishes; nobody writes it after.
  std::string failure_;
  int failed_rank_ = 0;
  exec::Fault fault_ = exec::Fault::aborted;
  bool told_ = false;
  std::atomic<bool> failed_ = false;
};

}  // namespace xylem::ofi
