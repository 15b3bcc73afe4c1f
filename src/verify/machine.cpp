#include "verify/machine.hpp"

#include <algorithm>

#include "verify/recorder.hpp"

namespace xylem::verify {

Machine::Machine(const MachineShape& shape, Terms& terms)
    : shape_(shape), terms_(terms), ranks_(shape.host_of.size()), channels_(ranks_.size() * ranks_.size()) {
  members_.resize(1 + *std::max_element(shape.host_of.begin(), shape.host_of.end()));
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) members_[shape.host_of[rank]].push_back(rank);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    ranks_[rank].shown.resize(shape.board_depth);
    ranks_[rank].fetched.resize(members_[shape.host_of[rank]].size());
  }
}

void Machine::add_call(std::vector<Program> programs, std::vector<Buffers> buffers) {
  std::vector<Heard> heard(ranks_.size(), Heard(ranks_.size()));
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) heard[rank][rank] = true;
  calls_.push_back({std::move(programs), std::move(buffers), std::move(heard)});
}

bool Machine::heard_of_all(std::uint32_t call, std::uint32_t rank) const {
  const Heard& known = calls_[call].heard[rank];
  return std::all_of(known.begin(), known.end(), [](bool one) { return one; });
}

void Machine::hear(std::uint32_t rank, const Heard& news) {
  Heard& known = heard(rank);
  for (std::size_t i = 0; i < news.size(); ++i) known[i] = known[i] || news[i];
}

std::optional<Violation> Machine::run() {
  bool moved = true;
  while (moved && !violation_) {
    moved = false;
    for (std::uint32_t rank = 0; rank < ranks_.size() && !violation_; ++rank) {
      while (advance(rank)) moved = true;
    }
  }
  if (violation_) return violation_;
  return stuck();
}

// One step of a rank if one is possible.
bool Machine::advance(std::uint32_t rank) {
  Rank& self = ranks_[rank];
  if (violation_ || self.call == calls_.size()) return false;
  if (self.halves[0].active || self.halves[1].active) {
    const int preferred = shape_.second_half_first ? 1 : 0;
    if (advance_thread(rank, self.halves[preferred]) || advance_thread(rank, self.halves[1 - preferred])) return true;
    return false;
  }
  const Program& program = calls_[self.call].programs[rank];
  if (self.main.step == program.size()) {
    if (!self.borrowers.empty()) {
      current_step_ = program.size() - 1;
      return violate(rank, "the call ends here, and what is lent is not settled");
    }
    ++self.call;
    self.main.step = 0;
    return true;
  }
  if (program[self.main.step].action == Action::fork) {
    begin_split(rank, self.main.step);
    return true;
  }
  if (!execute(rank, self.main.step)) return false;
  ++self.main.step;
  return true;
}

void Machine::begin_split(std::uint32_t rank, std::size_t fork) {
  Rank& self = ranks_[rank];
  const Program& program = calls_[self.call].programs[rank];
  std::size_t next = fork, join = fork;
  while (program[next].action != Action::next) ++next;
  join = next;
  while (program[join].action != Action::join) ++join;
  self.halves[0] = {fork + 1, next, next > fork + 1};
  self.halves[1] = {next + 1, join, join > next + 1};
  self.main.step = join + 1;
}

bool Machine::advance_thread(std::uint32_t rank, Thread& thread) {
  if (!thread.active || !execute(rank, thread.step)) return false;
  if (++thread.step == thread.end) thread.active = false;
  return true;
}

// False: the step has to wait, or is wrong (then violation_ is set).
bool Machine::execute(std::uint32_t rank, std::size_t step_index) {
  Rank& self = ranks_[rank];
  const Step& step = calls_[self.call].programs[rank][step_index];
  current_step_ = step_index;
  const auto depth = shape_.board_depth;
  switch (step.action) {
    case Action::begin_send: {
      Channel& out = channel(rank, step.peer);
      if (out.queue.size() >= shape_.slots) return false;
      if (out.writing) return violate(rank, "a slot is begun while another of the channel is open");
      out.writing.emplace(step.bytes, Terms::kGarbage);
      return true;
    }
    case Action::end_send: {
      Channel& out = channel(rank, step.peer);
      if (!out.writing) return violate(rank, "a slot is published that was not begun");
      out.queue.push_back({self.call, std::move(*out.writing), heard(rank), false});
      out.writing.reset();
      return true;
    }
    case Action::begin_recv: {
      Channel& in = channel(step.peer, rank);
      if (in.reading) return violate(rank, "a slot is read while another of the channel is open");
      if (in.queue.empty()) return false;
      const Message& message = in.queue.front();
      if (message.call != self.call) return violate(rank, "the slot is of call " + std::to_string(message.call));
      if (message.loan) return violate(rank, "the slot holds a loan");
      if (message.data.size() != step.bytes) {
        return violate(rank, "the slot holds " + std::to_string(message.data.size()) + " elements");
      }
      hear(rank, message.heard);
      in.reading = true;
      return true;
    }
    case Action::end_recv: {
      Channel& in = channel(step.peer, rank);
      if (!in.reading) return violate(rank, "a slot is given back that was not received");
      in.reading = false;
      in.queue.pop_front();
      return true;
    }
    case Action::begin_publish: {
      for (const std::uint32_t reader : members_[shape_.host_of[rank]]) {
        if (reader != rank && ranks_[reader].epoch + depth <= self.epoch) return false;
      }
      self.publishing.emplace(step.bytes, Terms::kGarbage);
      return true;
    }
    case Action::end_publish: {
      if (!self.publishing) return violate(rank, "a board buffer is published that was not begun");
      self.shown[self.epoch % depth] = Shown{self.epoch, self.call, std::move(*self.publishing), heard(rank)};
      self.publishing.reset();
      return true;
    }
    case Action::fetch: {
      const std::optional<Shown>& there = ranks_[member_rank(rank, step.peer)].shown[self.epoch % depth];
      if (!there || there->epoch < self.epoch) return false;
      if (there->epoch > self.epoch) return violate(rank, "the board buffer has been overwritten");
      if (there->call != self.call) return violate(rank, "the board buffer is of call " + std::to_string(there->call));
      if (there->data.size() < step.bytes) return violate(rank, "the board buffer holds less than is fetched");
      hear(rank, there->heard);
      self.fetched[step.peer] = true;
      return true;
    }
    case Action::finish: {
      if (step.peer != 0) {  // says that it has fetched from all: a later overwrite rests on that
        for (std::uint32_t member = 0; member < self.fetched.size(); ++member) {
          if (!self.fetched[member] && member_rank(rank, member) != rank) {
            return violate(rank, "finish claims a fetch of member " + std::to_string(member) + " that was not made");
          }
        }
      }
      self.fetched.assign(self.fetched.size(), false);
      ++self.epoch;
      return true;
    }
    case Action::lend:
      return lend(rank, step);
    case Action::settle:
      return settle(rank, step);
    case Action::borrow:
    case Action::refuse:
      return borrow(rank, step);
    case Action::copy:
    case Action::reduce:
      return move(rank, step);
    case Action::fork:
    case Action::next:
    case Action::join:
      break;
  }
  return violate(rank, "a split inside a split");
}

// The memory of a region, or null where the rank may not touch it now.
std::vector<Term>* Machine::memory(std::uint32_t rank, const Region& region, bool write) {
  Rank& self = ranks_[rank];
  Buffers& buffers = calls_[self.call].buffers[rank];
  switch (region.space) {
    case Space::input:
      return write ? nullptr : &buffers.input;
    case Space::output:
      return &buffers.output;
    case Space::scratch:
      return &buffers.scratch;
    case Space::slot_out: {
      Channel& out = channel(rank, region.peer);
      return out.writing ? &*out.writing : nullptr;
    }
    case Space::slot_in: {
      Channel& in = channel(region.peer, rank);
      return in.reading && !write ? &in.queue.front().data : nullptr;
    }
    case Space::board: {
      if (region.peer == Recorder::kSelf) return self.publishing ? &*self.publishing : nullptr;
      if (write || !self.fetched[region.peer]) return nullptr;
      std::optional<Shown>& there = ranks_[member_rank(rank, region.peer)].shown[self.epoch % shape_.board_depth];
      return there && there->epoch == self.epoch ? &there->data : nullptr;
    }
    case Space::none:
      break;
  }
  return nullptr;
}

bool Machine::move(std::uint32_t rank, const Step& step) {
  std::vector<Term>* out = memory(rank, step.out, true);
  const std::vector<Term>* left = memory(rank, step.left, false);
  const std::vector<Term>* right = step.action == Action::reduce ? memory(rank, step.right, false) : left;
  if (out == nullptr || left == nullptr || right == nullptr) return violate(rank, "touches memory that it does not hold");
  const Region& second = step.action == Action::reduce ? step.right : step.left;
  if (step.out.offset + step.bytes > out->size() || step.left.offset + step.bytes > left->size() ||
      second.offset + step.bytes > right->size()) {
    return violate(rank, "reaches beyond the end of a buffer");
  }
  const auto askew = [&](const Region& in) {
    return in.space == step.out.space && in.peer == step.out.peer && in.offset != step.out.offset &&
           in.offset < step.out.offset + step.bytes && step.out.offset < in.offset + step.bytes;
  };
  if (askew(step.left) || askew(second)) return violate(rank, "overlaps its own operand");
  if (is_lent(rank, step.out, step.bytes)) return violate(rank, "writes to what it lends");
  for (std::uint64_t i = 0; i < step.bytes; ++i) {
    const Term value = (*left)[step.left.offset + i];
    (*out)[step.out.offset + i] = step.action == Action::copy ? value : terms_.reduce(value, (*right)[second.offset + i]);
  }
  return true;
}

bool Machine::lend(std::uint32_t rank, const Step& step) {
  Channel& out = channel(rank, step.peer);
  if (out.queue.size() >= shape_.slots) return false;
  if (out.writing || out.loan) return violate(rank, "lends while a slot or a loan of the channel is open");
  const std::vector<Term>* own = memory(rank, step.left, false);
  if (own == nullptr) return violate(rank, "lends memory that it does not hold");
  if (step.left.offset + step.bytes > own->size()) return violate(rank, "reaches beyond the end of a buffer");
  out.loan = {step.left, step.bytes};
  out.queue.push_back({ranks_[rank].call, {}, heard(rank), true});
  ranks_[rank].borrowers.push_back(step.peer);
  return true;
}

bool Machine::settle(std::uint32_t rank, const Step& step) {
  Channel& out = channel(rank, step.peer);
  if (!out.loan) return violate(rank, "settles what it does not lend");
  if (!out.queue.empty()) return false;
  out.loan.reset();
  std::erase(ranks_[rank].borrowers, step.peer);
  return true;
}

// Copies what the sender has in its memory now, unless it refuses.
bool Machine::borrow(std::uint32_t rank, const Step& step) {
  Channel& in = channel(step.peer, rank);
  if (in.queue.empty()) return false;
  const Message& message = in.queue.front();
  if (message.call != ranks_[rank].call) return violate(rank, "the loan is of call " + std::to_string(message.call));
  if (!message.loan || in.reading) return violate(rank, "the slot holds no loan");
  if (in.loan->bytes != step.bytes) return violate(rank, "the loan is of " + std::to_string(in.loan->bytes) + " elements");
  hear(rank, message.heard);
  if (step.action == Action::borrow) {
    std::vector<Term>* out = memory(rank, step.out, true);
    if (out == nullptr) return violate(rank, "touches memory that it does not hold");
    if (step.out.offset + step.bytes > out->size()) return violate(rank, "reaches beyond the end of a buffer");
    if (is_lent(rank, step.out, step.bytes)) return violate(rank, "writes to what it lends");
    const std::vector<Term>& lent = *memory(step.peer, in.loan->region, false);
    for (std::uint64_t i = 0; i < step.bytes; ++i) (*out)[step.out.offset + i] = lent[in.loan->region.offset + i];
  }
  in.queue.pop_front();
  return true;
}

bool Machine::is_lent(std::uint32_t rank, const Region& region, std::uint64_t bytes) {
  const std::vector<std::uint32_t>& borrowers = ranks_[rank].borrowers;
  return std::any_of(borrowers.begin(), borrowers.end(), [&](std::uint32_t borrower) {
    const Loan& loan = *channel(rank, borrower).loan;
    return loan.region.space == region.space && loan.region.offset < region.offset + bytes &&
           region.offset < loan.region.offset + loan.bytes;
  });
}

bool Machine::violate(std::uint32_t rank, const std::string& text) {
  const Rank& self = ranks_[rank];
  violation_ =
      Violation{rank, self.call, current_step_, calls_[self.call].programs[rank][current_step_].text() + ": " + text};
  return false;
}

// After the last step that was possible: has everybody come to the end, and is nothing left in a channel?
std::optional<Violation> Machine::stuck() {
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const Rank& self = ranks_[rank];
    if (self.call == calls_.size()) continue;
    const std::size_t step = self.halves[0].active   ? self.halves[0].step
                             : self.halves[1].active ? self.halves[1].step
                                                     : self.main.step;
    return Violation{rank, self.call, step, "deadlock: waits for ever in " + calls_[self.call].programs[rank][step].text()};
  }
  for (std::uint32_t from = 0; from < ranks_.size(); ++from) {
    for (std::uint32_t to = 0; to < ranks_.size(); ++to) {
      const Channel& left = channel(from, to);
      if (left.queue.empty()) continue;
      return Violation{from, left.queue.front().call, 0, "a message to rank " + std::to_string(to) + " is never received"};
    }
  }
  return std::nullopt;
}

}  // namespace xylem::verify
