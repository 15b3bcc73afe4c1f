#include "verify/call_setup.hpp"

#include <algorithm>

#include "plan/catalogue.hpp"
#include "verify/recorder.hpp"

namespace xylem::verify {

namespace {

using coll::Buffer;
using coll::Collective;

std::vector<std::uint64_t> host_ids(const std::vector<std::uint32_t>& host_of) { return {host_of.begin(), host_of.end()}; }

// The number of an element of a rank's input: block and place in it. A vector is block 0.
std::uint64_t element_number(std::uint32_t block, std::uint64_t index) { return (std::uint64_t{block} << 32U) + index; }

// What an element of a block of the output must be made of.
struct Origin {
  std::uint32_t first, last;  // the contributions of the ranks first ... last - 1
  std::uint32_t block;        // of their inputs
};

Origin origin(Collective collective, std::uint32_t ranks, std::uint32_t rank, std::uint32_t root, std::uint32_t block) {
  const coll::CollectiveFacts& facts = coll::facts(collective);
  if (collective == Collective::scan) return {0, rank + 1, 0};
  if (collective == Collective::exscan) return {0, rank, 0};
  if (facts.reduces) return {0, ranks, facts.input == Buffer::blocks ? rank : 0};
  if (collective == Collective::bcast) return {root, root + 1, 0};
  if (facts.output == Buffer::own) return {root, root + 1, rank};  // scatter
  return {block, block + 1, facts.input == Buffer::blocks ? rank : 0};
}

// The input of a block that is sent to rank `to`.
std::uint32_t input_block(Buffer kind, std::uint32_t to) { return kind == Buffer::blocks ? to : 0; }

}  // namespace

CallSetup::CallSetup(const CallSpec& call, const std::vector<std::uint32_t>& host_of, std::span<const topo::Locality> parts,
                     std::uint32_t rank)

    : call_(call),
      collective_(plan::catalogue()[call.algorithm].collective),
      rank_(rank),
      members_(rank, host_ids(host_of), parts) {
  const coll::CollectiveFacts& facts = coll::facts(collective_);
  in_place_ = collective_ == Collective::bcast || (call.in_place && (!facts.rooted || rank == call.root));
  sent_ = layout(facts.input, true);
  received_ = layout(facts.output, false);
  if (alone_in(coll::only_root_sends(collective_))) sent_.size = 0;
  if (alone_in(coll::only_root_receives(collective_))) received_.size = 0;
  if (in_place_) {
    if (facts.input == Buffer::own) input_at_ = received_.blocks.at(rank).first;
    if (coll::only_root_sends(collective_)) output_at_ = sent_.blocks.at(rank).first;
    received_.size = std::max(received_.size, sent_.size);
  }

  args_.output = Recorder::address(Space::output) + output_at_;
  args_.input = in_place_ ? Recorder::address(Space::output) + input_at_ : Recorder::address(Space::input);
  args_.scratch = Recorder::address(Space::scratch);
  args_.sent = sent_.blocks;
  args_.received = received_.blocks;
  args_.chunk_bytes = call.chunk;
  if (members_.hosts() == 1) args_.loans = {call.loan, call.loan};
  args_.rank = rank;
  args_.ranks = members_.size();
  args_.root = call.root;
  args_.all = call.by_rank ? members_.by_rank() : members_.all();
  args_.host = members_.host();
  args_.inside = members_.inside();
  members_.set_leaders(args_, facts.rooted);
}

// Differing lengths: some blocks are empty, and an allgatherv's block is as long for all.
std::size_t CallSetup::length(std::uint32_t from, std::uint32_t to) const {
  const coll::CollectiveFacts& facts = coll::facts(collective_);
  if (!facts.uneven) return call_.count;
  if (facts.output == Buffer::own || facts.input == Buffer::own) from = to = facts.input == Buffer::own ? from : to;
  if (call_.in_place && from > to) std::swap(from, to);  // what two ranks send each other changes places
  return (from * 5 + to * 3 + call_.count) % (call_.count + 2);
}

CallSetup::Layout CallSetup::layout(Buffer kind, bool sent) const {
  const std::uint32_t ranks = members_.size();
  Layout made;
  if (kind == Buffer::none) return made;
  if (kind == Buffer::vector) {
    made.size = made.blocks.length = call_.count;
    return made;
  }
  const auto block_of = [&](std::uint32_t peer) { return sent ? length(rank_, peer) : length(peer, rank_); };
  if (kind == Buffer::own) {
    made.size = made.blocks.length = block_of(coll::facts(collective_).rooted ? call_.root : rank_);
    return made;
  }
  if (!coll::facts(collective_).uneven) {
    made.blocks.length = made.blocks.stride = call_.count;
    made.size = call_.count * ranks;
    return made;
  }
  // In any order and with room between them, where the caller says where they lie.
  const bool packed = coll::facts(collective_).reduces;
  made.lengths.resize(ranks);
  made.offsets.resize(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::uint32_t peer = packed ? i : ranks - 1 - i;
    made.lengths[peer] = block_of(peer);
    made.offsets[peer] = made.size;
    made.size += made.lengths[peer] + (packed ? 0 : 1);
  }
  made.blocks.lengths = made.lengths.data();
  made.blocks.offsets = made.offsets.data();
  return made;
}

// Whether the algorithm promises the association of sums that is called canonical.
bool CallSetup::canonical() const {
  return (call_.by_rank || members_.in_rank_order()) &&
         coll::sums_canonically(plan::catalogue()[call_.algorithm].traits, members_.hosts(), members_.ranks_per_host(),
                                members_.in_rank_order());
}

coll::Args CallSetup::args(std::uint32_t lane) const { return args_.of_lane({lane, call_.lanes, call_.lanes}); }

Machine::Buffers CallSetup::before(Terms& terms, std::uint32_t number) const {
  const coll::CollectiveFacts& facts = coll::facts(collective_);
  Machine::Buffers made;
  made.input.assign(in_place_ ? 0 : sent_.size, Terms::kGarbage);
  made.output.assign(received_.size, Terms::kGarbage);
  made.scratch.assign(plan::catalogue()[call_.algorithm].scratch_bytes(args_), Terms::kGarbage);
  if (facts.input == Buffer::none) {
    std::fill(made.scratch.begin(), made.scratch.end(), terms.leaf(number, rank_, 0));
    return made;
  }
  if (alone_in(coll::only_root_sends(collective_) || collective_ == Collective::bcast)) return made;
  std::vector<Term>& memory = in_place_ ? made.output : made.input;
  const std::uint32_t blocks = facts.input == Buffer::blocks ? members_.size() : 1;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const coll::Range range = sent_.blocks.at(block);
    for (std::size_t i = 0; i < range.length; ++i) {
      memory[input_at_ + range.first + i] = terms.leaf(number, rank_, element_number(input_block(facts.input, block), i));
    }
  }
  return made;
}

std::optional<std::string> CallSetup::wrong(const Terms& terms, const std::vector<Term>& output, std::uint32_t number) const {
  const coll::CollectiveFacts& facts = coll::facts(collective_);
  if (facts.output == Buffer::none || alone_in(coll::only_root_receives(collective_))) return std::nullopt;
  std::vector<bool> expected(output.size());
  const std::uint32_t blocks = facts.output == Buffer::blocks ? members_.size() : 1;
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const coll::Range range = received_.blocks.at(block);
    const Origin from = origin(collective_, members_.size(), rank_, call_.root, block);
    for (std::size_t i = 0; i < range.length && from.first != from.last; ++i) {
      const std::size_t at = output_at_ + range.first + i;
      expected[at] = true;
      const auto text = [&] { return "element " + std::to_string(i) + " of output block " + std::to_string(block); };
      if (!terms.is_sum(output[at], number, from.first, from.last, element_number(from.block, i))) {
        return text() + (facts.reduces ? " is not the sum of all contributions" : " is not what it should be");
      }
      const bool scans = collective_ == Collective::scan || collective_ == Collective::exscan;
      const bool shall_be_canonical = facts.reduces && canonical();
      if ((scans || shall_be_canonical) && !terms.is_in_rank_order(output[at])) {
        return text() + " is not summed in the order of ranks";
      }
      if (shall_be_canonical && !(scans ? terms.is_left_fold(output[at]) : terms.is_complete_tree(output[at]))) {
        return text() + " is not summed along the canonical tree";
      }
    }
  }
  if (in_place_) return std::nullopt;
  for (std::size_t at = 0; at < output.size(); ++at) {
    if (!expected[at] && output[at] != Terms::kGarbage) return "writes to output+" + std::to_string(at) + ", between blocks";
  }
  return std::nullopt;
}

}  // namespace xylem::verify
