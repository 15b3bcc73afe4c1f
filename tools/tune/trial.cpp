#include "tune/trial.hpp"

#include <algorithm>

namespace xylem::tools {

using coll::Buffer;

Trial::Trial(Communicator& comm, coll::Collective collective, std::size_t bytes) : comm_(comm), collective_(collective) {
  const coll::CollectiveFacts& facts = coll::facts(collective);
  const bool blocks = facts.input == Buffer::blocks || facts.output == Buffer::blocks;
  const std::size_t parts = blocks ? comm.size() : 1, unit = sizeof(float);
  count_ = facts.input == Buffer::none ? 0 : std::max<std::size_t>(bytes / parts / unit, 1);
  bytes_ = count_ * unit * parts;
  const auto size_of = [&](Buffer kind) { return kind == Buffer::blocks ? bytes_ : count_ * unit; };
  if (facts.uneven) {
    counts_.assign(comm.size(), count_);
    for (std::size_t rank = 0; rank < comm.size(); ++rank) offsets_.push_back(rank * count_);
  }
  input_.resize(size_of(facts.input));
  output_.resize(size_of(facts.output));
}

void Trial::run(unsigned number) {
  Call call{collective_};
  call.type = XYLEM_FLOAT;
  call.count = count_;
  if (coll::facts(collective_).reduces) call.op = XYLEM_SUM;
  if (coll::facts(collective_).rooted) call.root = number % comm_.size();
  const bool is_root = call.root == comm_.rank();
  call.output = is_root || !coll::only_root_receives(collective_) ? output_.data() : nullptr;
  call.input = is_root || !coll::only_root_sends(collective_) ? input_.data() : nullptr;
  if (collective_ == coll::Collective::bcast) call.input = call.output;
  if (!counts_.empty() && coll::facts(collective_).input == Buffer::blocks) {
    call.sent = {counts_.data(), coll::facts(collective_).reduces ? nullptr : offsets_.data()};
  }
  if (!counts_.empty() && coll::facts(collective_).output == Buffer::blocks)
    call.received = {counts_.data(), offsets_.data()};
  if (const xylem_status status = comm_.run(call); status != XYLEM_SUCCESS) throw Error(status, comm_.error());
}

}  // namespace xylem::tools
