// What a rank does in a call, as data: the steps that an algorithm's text asks of its Port, with no data moved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xylem::verify {

// Where bytes are, as one rank names it.
enum class Space : std::uint8_t {
  none,
  input,     // the send buffer: never written
  output,    // the receive buffer; also the input where the call works in place
  scratch,   // of this rank
  slot_out,  // the slot of the channel to `peer` that is being written
  slot_in,   // the slot of the channel from `peer` that is being read
  board,     // the buffer of member `peer` of the host in this epoch
};

struct Region {
  Space space = Space::none;
  std::uint32_t peer = 0;
  std::uint64_t offset = 0;  // bytes; an element of the vector is one byte here
};

enum class Action : std::uint8_t {
  begin_send,
  end_send,
  begin_recv,
  end_recv,
  begin_publish,
  end_publish,
  fetch,
  finish,
  lend,
  settle,
  borrow,
  refuse,  // what is lent: it is not copied
  copy,
  reduce,
  fork,  // the first half of a split begins
  next,  // ... the second half
  join,  // both halves end
};

const char* action_name(Action action);

struct Step {
  Action action;
  std::uint32_t peer = 0;  // of sends, receives, fetches, loans
  std::uint64_t bytes = 0;
  Region out, left, right;  // of copy (left), reduce, lend (left) and borrow

  std::string text() const;
};

using Program = std::vector<Step>;

}  // namespace xylem::verify
