#include "simulate/call.hpp"

#include <algorithm>
#include <numeric>

#include "verify/recorder.hpp"

namespace xylem::simulate {

using coll::Buffer;
using verify::Recorder;
using verify::Space;

Call::Call(coll::Collective collective, const coll::Workload& work)
    : collective_(collective),
      ranks_(work.ranks),
      per_host_(work.ranks_per_host),
      chunk_(static_cast<std::size_t>(work.chunk_bytes)),
      vector_(static_cast<std::size_t>(work.bytes)),
      loans_(work.loans),
      all_(work.ranks) {
  const std::size_t element = element_bytes(collective);
  chunk_ = std::max(chunk_ / element, std::size_t{1}) * element;
  block_ = coll::even_part(vector_, ranks_, element);
  vector_ = coll::even_part(vector_, 1, element);
  std::iota(all_.begin(), all_.end(), 0U);
  for (std::uint32_t leader = 0; leader < ranks_; leader += per_host_) leaders_.push_back(leader);
}

coll::Args Call::args(std::uint32_t rank) const {
  const auto blocks = [this](Buffer kind) {
    coll::Blocks made;
    if (kind == Buffer::none) return made;
    made.length = kind == Buffer::vector ? vector_ : block_;
    made.stride = kind == Buffer::blocks ? block_ : 0;
    return made;
  };
  const coll::CollectiveFacts& facts = coll::facts(collective_);
  const std::uint32_t host = rank / per_host_, first = host * per_host_;
  const auto hosts = static_cast<std::uint32_t>(leaders_.size());
  coll::Args args;
  args.output = Recorder::address(Space::output);
  // What a broadcast works on is one buffer.
  args.input = collective_ == coll::Collective::bcast ? args.output : Recorder::address(Space::input);
  args.scratch = Recorder::address(Space::scratch);
  args.sent = blocks(facts.input);
  args.received = blocks(facts.output);
  args.element_bytes = element_bytes(collective_);
  args.chunk_bytes = chunk_;
  args.loans = loans_;
  args.rank = rank;
  args.ranks = ranks_;
  args.all = {nullptr, rank, ranks_};
  args.host = {all_.data() + first, rank - first, std::min(per_host_, ranks_ - first)};
  args.leaders = {leaders_.data(), rank == first ? host : hosts, hosts};
  args.host_leader = first;
  return args;
}

}  // namespace xylem::simulate
