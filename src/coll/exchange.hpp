// Sends and receives between pairs of ranks, run as one: what a group of xylem_send() and xylem_recv() comes to. In round r
// rank i sends to rank i + r and receives from rank i - r, chunk by chunk in turn. So the order in which a program names its
// messages matters between the same two ranks only. With P ranks: at most P steps, of which those without a message cost
// nothing; a rank sends its own messages and nothing else; latency one hop of each chunk of the longest. (The rounds are
// those of pairwise exchange, coll/pairwise.hpp.)
//
// Why it cannot deadlock: a rank in the lowest round that anybody is stuck in waits for one in the same round. There, chunk k
// is sent before chunk k is received. Who cannot send chunk k waits for a rank that has received less than k chunks; who
// cannot receive chunk k waits for a rank that has sent at most k, and has received fewer than it. Along such a row the
// number falls, so it does not close to a ring.
#pragma once

#include <cstdint>
#include <vector>

#include "coll/args.hpp"
#include "exec/lane.hpp"

namespace xylem::coll {

struct Message {
  std::byte* data;
  std::size_t bytes;
  std::uint32_t peer;
};

// Of one rank. Messages between the same two ranks follow each other as both name them.
struct Exchange {
  std::vector<Message> sends, receives;
};

// Walks over the chunks of the messages with one peer, in order.
class MessageChunks {
 public:
  MessageChunks(const std::vector<Message>& messages, std::uint32_t peer, std::size_t chunk)
      : at_(messages.begin()), end_(messages.end()), peer_(peer), chunk_(chunk) {
    settle();
  }
  bool more() const { return at_ != end_; }
  exec::Slice next() {
    const exec::Slice slice{at_->data + done_, smaller(chunk_, at_->bytes - done_)};
    done_ += slice.bytes;
    settle();
    return slice;
  }

 private:
  // Goes on to the next chunk that there is: messages of no bytes have none.
  void settle() {
    for (; at_ != end_ && (at_->peer != peer_ || done_ == at_->bytes); ++at_) done_ = 0;
  }

  std::vector<Message>::const_iterator at_, end_;
  std::uint32_t peer_;
  std::size_t chunk_;
  std::size_t done_ = 0;
};

template <class Lane>
void run_exchange(Lane& lane, const Exchange& exchange, std::uint32_t rank, std::uint32_t ranks, std::size_t chunk) {
  for (std::uint32_t round = 0; round < ranks; ++round) {
    const std::uint32_t to = (rank + round) % ranks, from = (rank + ranks - round) % ranks;
    MessageChunks sends(exchange.sends, to, chunk), receives(exchange.receives, from, chunk);
    if (round == 0) {
      while (sends.more() && receives.more()) lane.copy(receives.next(), sends.next());
      continue;
    }
    while (sends.more() || receives.more()) {
      if (sends.more()) lane.send(sends.next(), to);
      if (receives.more()) lane.recv(from, receives.next());
    }
  }
}

}  // namespace xylem::coll
