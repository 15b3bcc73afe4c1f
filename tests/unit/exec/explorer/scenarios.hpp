// Small programs on channels and boards for the explorer, each with faults that can be planted. Compiled with
// -fsanitize=thread: see explorer.hpp.
#pragma once

#include <memory>
#include <vector>

#include "explorer.hpp"

namespace xylem::explorer {

enum class Misuse {
  none,
  publish_before_write,    // a slot or buffer
  release_before_read,     // a slot, or the epoch of a buffer
  no_release,              // of slots
  one_slot_too_many,       // the head tells of a slot that is not free
  one_epoch_too_many,      // a rank believes that all have finished an epoch more than they have
  claims_to_have_fetched,  // finish(true) by a rank that has fetched nothing
  deaf_to_abort,           // waits do not look at the abort word
  sleeps_until_woken,      // by a store, in place of naps that end
  no_settlement,           // the owner does not wait until what it lends is read
};

// Which lines a weakening is aimed at.
enum class Line { tail, head, board_word, board_done };

class Protocol : public Scenario {
 public:
  // The words of one kind, for weakenings.
  virtual std::vector<const void*> words(Line line) const = 0;
};

// Rank 0 sends `messages` messages to rank 1, over a channel whose counters begin at `start`.
std::unique_ptr<Protocol> stream(std::uint64_t start, std::uint32_t messages, Misuse misuse = Misuse::none);

// `ranks` ranks in a ring: in each round each sends a message, passes on one, and takes one (an allgather of three).
std::unique_ptr<Protocol> ring(std::uint64_t start, std::uint32_t ranks, std::uint32_t rounds);

// As stream, but after `messages` messages one of both raises the abort word in place of the next; the other has to end too.
std::unique_ptr<Protocol> abandoned_stream(std::uint64_t start, std::uint32_t messages, bool sender_gives_up,
                                           Misuse misuse = Misuse::none);

// Rank 0 lends rank 1 the same memory `rounds` times, with something else in it each time; where it cannot be read, slots
// carry it.
std::unique_ptr<Protocol> loans(std::uint64_t start, std::uint32_t rounds, bool readable, Misuse misuse = Misuse::none);

enum class Shows {
  all,    // every rank shows, and every rank fetches from all (an allreduce)
  one,    // rank 0 shows, the others fetch (a broadcast): rank 0 may run ahead
  turns,  // rank e % ranks shows in epoch e
};
// `ranks` ranks of a host go through `epochs` epochs of the board, from epoch `start` on.
std::unique_ptr<Protocol> board(std::uint64_t start, std::uint32_t ranks, std::uint32_t epochs, Shows shows,
                                Misuse misuse = Misuse::none);

// As board with Shows::all, but the last rank raises the abort word in place of its last epoch.
std::unique_ptr<Protocol> abandoned_board(std::uint64_t start, std::uint32_t ranks, std::uint32_t epochs,
                                          Misuse misuse = Misuse::none);

}  // namespace xylem::explorer
