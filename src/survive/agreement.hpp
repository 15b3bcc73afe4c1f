// Agreement among ranks of which any may end at any time: a two-phase commit led by the lowest living rank, and taken over by
// the next one where that ends.
//
//   every rank  -> leader     state: its contribution, and the proposal that it has accepted in this round, if there is one
//   leader      -> every rank propose: what was accepted under a leader before it; else the contributions of all that live
//   every rank  -> leader     accept
//   leader      -> every rank commit, once all that live have accepted; also from a rank that has learned the outcome from
//                             another, to those that took it for the leader and told it their state
//
// Each round gives the same contributions to all ranks that come to its end, also to those that end right after (uniform
// agreement): a leader decides when every living rank has accepted its proposal, so whoever leads next finds it there. A rank
// can be one round ahead of another at most, and then tells the outcome of the one before.
//
// This presumes that Post::gone() is right: it is said of every rank that has ended, after a while, and of no other. Where
// the network parts living ranks, each part may come to an outcome of its own.
//
// Legal use: agree()+, leave(), by one thread. All ranks call agree() equally often.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "survive/post.hpp"

namespace xylem::survive {

class Agreement {
 public:
  Agreement(Post& post, std::uint32_t rank, std::uint32_t ranks) : post_(post), rank_(rank), heard_(ranks) {}

  // What the living ranks have given. Waits for all of them; own contribution included.
  Contributions agree(Bytes own);

  // The last round, whose outcome nobody uses: when a rank leaves it, all that live know the outcome of those before, and
  // need this rank no more.
  void leave() { agree({}); }

 private:
  void find_leader();
  void report();
  bool lead();
  void tell();
  std::vector<std::uint32_t> followers();
  Contributions choose(const std::vector<std::uint32_t>& living) const;
  void handle(const Received& received);
  void handle_state(std::uint32_t from, const Letter& letter);

  Post& post_;
  std::uint32_t rank_;
  std::uint32_t leader_ = 0;
  std::uint64_t round_ = 0;
  Bytes own_;
  std::optional<Accepted> accepted_;
  std::optional<Contributions> decision_;
  Contributions last_;                        // of the round before
  std::vector<std::optional<Letter>> heard_;  // the last state of each rank
  bool proposed_ = false;                     // by this rank
  std::set<std::uint32_t> accepted_by_;
};

}  // namespace xylem::survive
