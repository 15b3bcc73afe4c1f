#include "comm/call.hpp"

#include <numeric>

namespace xylem {

namespace {

using coll::Buffer;

// The lengths of blocks that all ranks know, or null where blocks are alike or the lengths are known to few.
const std::size_t* agreed_counts(const Call& call) {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  if (!facts.uneven || !facts.known_to_all) return nullptr;
  return facts.input == Buffer::blocks ? call.sent.counts : call.received.counts;
}

void mix(std::uint64_t& hash, std::uint64_t part) {
  hash = (hash ^ part) * 0x9E3779B97F4A7C15;
  hash ^= hash >> 29;
}

void lay_out(coll::Blocks& layout, Buffer kind, const BlockList& list, std::size_t bytes, std::size_t unit,
             std::uint32_t ranks, std::size_t* offsets) {
  if (kind != Buffer::blocks || list.counts == nullptr) {
    layout.lengths = nullptr;
    layout.length = bytes;
    layout.stride = kind == Buffer::blocks ? bytes : 0;
    return;
  }
  layout.lengths = list.counts;
  layout.offsets = list.offsets;
  layout.unit = unit;
  if (list.offsets == nullptr) {
    std::exclusive_scan(list.counts, list.counts + ranks, offsets, std::size_t{0});
    layout.offsets = offsets;
  }
}

}  // namespace

std::string describe(const Call& call, std::uint32_t ranks) {
  if (call.exchange != nullptr) {
    return std::to_string(call.exchange->sends.size()) + " sends and " + std::to_string(call.exchange->receives.size()) +
           " receives";
  }
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  std::string text = facts.name;
  if (facts.input == Buffer::none) return text;
  text += "(";
  if (const std::size_t* counts = agreed_counts(call)) {
    text += "counts " + std::to_string(std::accumulate(counts, counts + ranks, std::size_t{0})) + " in all, ";
  } else if (facts.known_to_all) {
    text += "count " + std::to_string(call.count) + ", ";
  }
  text += exec::type_name(call.type);
  if (facts.reduces) text += std::string(", ") + exec::op_name(call.op);
  if (facts.rooted) text += ", root " + std::to_string(call.root);
  return text + ")";
}

std::uint32_t call_signature(const Call& call, std::uint32_t ranks) {
  return signature_of_call(signature_of_kind(call, ranks), call.root);
}

std::uint64_t signature_of_kind(const Call& call, std::uint32_t ranks) {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const std::size_t unit = exec::type_bytes(call.type);
  std::uint64_t hash = 0;
  if (call.exchange != nullptr) {
    mix(hash, coll::kCollectives);
  } else if (const std::size_t* counts = agreed_counts(call)) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) mix(hash, counts[rank] * unit);
  } else if (facts.known_to_all) {
    hash = call.count * unit;
  }
  mix(hash, static_cast<std::uint64_t>(call.collective));
  mix(hash, facts.reduces ? static_cast<std::uint64_t>(call.type) + 1 : 0);
  mix(hash, facts.reduces ? static_cast<std::uint64_t>(call.op) + 1 : 0);
  return hash;
}

std::size_t agreed_bytes(const Call& call, std::uint32_t ranks) {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const std::size_t unit = exec::type_bytes(call.type);
  if (const std::size_t* counts = agreed_counts(call)) return unit * std::accumulate(counts, counts + ranks, std::size_t{0});
  if (!facts.known_to_all) return 0;
  const bool has_blocks = facts.input == Buffer::blocks || facts.output == Buffer::blocks;
  return call.count * unit * (has_blocks ? ranks : 1);
}

bool moves_nothing(const Call& call, std::uint32_t ranks) {
  if (call.exchange != nullptr) return false;
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  return facts.known_to_all && facts.input != Buffer::none && agreed_bytes(call, ranks) == 0;
}

void set_buffers(coll::Args& args, const Call& call, std::uint32_t ranks, std::vector<std::size_t>& offsets) {
  const coll::CollectiveFacts& facts = coll::facts(call.collective);
  const std::size_t unit = exec::type_bytes(call.type), bytes = call.count * unit;
  if (facts.uneven) offsets.resize(2 * std::size_t{ranks});
  args.input = static_cast<const std::byte*>(call.input);
  args.output = static_cast<std::byte*>(call.output);
  lay_out(args.sent, facts.input, call.sent, bytes, unit, ranks, offsets.data());
  lay_out(args.received, facts.output, call.received, bytes, unit, ranks, facts.uneven ? offsets.data() + ranks : nullptr);
  // Where nothing is reduced, bytes are bytes: ranks may describe them by different types.
  args.element_bytes = facts.reduces ? unit : 1;
  args.root = call.root;
}

}  // namespace xylem
