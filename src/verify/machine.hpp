// Runs the programs of all ranks of a communicator over symbolic memory, with channels and boards of given depths, as
// exec/port.hpp would: a rank waits exactly where the port waits. Since programs never ask whether something is ready, one
// schedule stands for all (a Kahn network); the two halves of a split share memory, so the schedule prefers one of them, and
// the caller may run both preferences.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "verify/program.hpp"
#include "verify/terms.hpp"

namespace xylem::verify {

struct MachineShape {
  std::uint32_t slots = 4;
  std::uint32_t board_depth = 4;
  std::vector<std::uint32_t> host_of;  // by rank
  bool second_half_first = false;
};

// What was found wrong, and where.
struct Violation {
  std::uint32_t rank;
  std::uint32_t call;
  std::size_t step;  // in that rank's program of that call
  std::string text;
};

class Machine {
 public:
  Machine(const MachineShape& shape, Terms& terms);

  // A rank's memory for one call.
  struct Buffers {
    std::vector<Term> input;  // empty where the call works in place: the input is in `output`
    std::vector<Term> output, scratch;
  };

  // Adds a call to the row of calls that every rank makes, one program and one set of buffers per rank.
  void add_call(std::vector<Program> programs, std::vector<Buffers> buffers);

  // Runs all calls on all ranks to their end. Nothing: all went well, and no message was left behind.
  std::optional<Violation> run();

  const Buffers& buffers(std::uint32_t call, std::uint32_t rank) const { return calls_[call].buffers[rank]; }

  // Whether the rank ended the call only after every rank had begun it: news of that had reached it through other ranks.
  bool heard_of_all(std::uint32_t call, std::uint32_t rank) const;

 private:
  // Ranks that are known to have begun the call.
  using Heard = std::vector<bool>;
  struct Message {
    std::uint32_t call;
    std::vector<Term> data;
    Heard heard;
    bool loan;
  };
  // What the sender of a channel lends its receiver. Until it is settled the sender leaves it as it is.
  struct Loan {
    Region region;
    std::uint64_t bytes;
  };
  struct Channel {
    std::deque<Message> queue;                 // published, not yet given back
    std::optional<std::vector<Term>> writing;  // the slot between begin_send and end_send
    bool reading = false;                      // the front is between begin_recv and end_recv
    std::optional<Loan> loan;                  // between lend and settle
  };
  struct Shown {
    std::uint64_t epoch;
    std::uint32_t call;
    std::vector<Term> data;
    Heard heard;
  };
  struct Call {
    std::vector<Program> programs;
    std::vector<Buffers> buffers;
    std::vector<Heard> heard;  // by rank
  };
  // A place in a program: a half of a split is a thread of its own.
  struct Thread {
    std::size_t step = 0, end = 0;
    bool active = false;
  };
  struct Rank {
    std::uint32_t call = 0;
    Thread main, halves[2];
    std::uint64_t epoch = 0;
    std::optional<std::vector<Term>> publishing;
    std::vector<std::optional<Shown>> shown;  // by epoch % board_depth
    std::vector<bool> fetched;                // by member, in this epoch
    std::vector<std::uint32_t> borrowers;     // to whom it lends something
  };

  bool advance(std::uint32_t rank);
  bool advance_thread(std::uint32_t rank, Thread& thread);
  bool execute(std::uint32_t rank, std::size_t step_index);
  void begin_split(std::uint32_t rank, std::size_t fork);
  std::vector<Term>* memory(std::uint32_t rank, const Region& region, bool write);
  bool move(std::uint32_t rank, const Step& step);
  bool lend(std::uint32_t rank, const Step& step);
  bool settle(std::uint32_t rank, const Step& step);
  bool borrow(std::uint32_t rank, const Step& step);
  bool is_lent(std::uint32_t rank, const Region& region, std::uint64_t bytes);
  Heard& heard(std::uint32_t rank) { return calls_[ranks_[rank].call].heard[rank]; }
  void hear(std::uint32_t rank, const Heard& news);
  Channel& channel(std::uint32_t from, std::uint32_t to) { return channels_[from * ranks_.size() + to]; }
  std::uint32_t member_rank(std::uint32_t rank, std::uint32_t member) const { return members_[shape_.host_of[rank]][member]; }
  bool violate(std::uint32_t rank, const std::string& text);
  std::optional<Violation> stuck();

  MachineShape shape_;
  Terms& terms_;
  std::vector<Call> calls_;
  std::vector<Rank> ranks_;
  std::vector<Channel> channels_;
  std::vector<std::vector<std::uint32_t>> members_;  // by host
  std::optional<Violation> violation_;
  std::size_t current_step_ = 0;
};

}  // namespace xylem::verify
