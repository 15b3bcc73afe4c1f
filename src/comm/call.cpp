#include "comm/call.hpp"

#include "exec/board.hpp"
#include "exec/reduce.hpp"

namespace xylem {

std::string describe(const Call& call) {
  std::string text = coll::collective_name(call.collective);
  if (call.collective == coll::Collective::barrier) return text;
  text += "(count " + std::to_string(call.count) + ", " + exec::type_name(call.type);
  if (call.op != XYLEM_OP_COUNT) text += std::string(", ") + exec::op_name(call.op);
  if (call.collective == coll::Collective::bcast || call.collective == coll::Collective::reduce) {
    text += ", root " + std::to_string(call.root);
  }
  return text + ")";
}

std::uint32_t call_signature(const Call& call) {
  const bool reduces = call.op != XYLEM_OP_COUNT;
  const std::uint64_t bytes = call.count * exec::type_bytes(call.type);
  std::uint64_t hash = bytes;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(call.collective), std::uint64_t{call.root},
        reduces ? static_cast<std::uint64_t>(call.type) + 1 : 0, reduces ? static_cast<std::uint64_t>(call.op) + 1 : 0}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15;  // Fibonacci hashing: spreads small differences over the upper bits
    hash ^= hash >> 29;
  }
  // What a board's word has room for.
  return static_cast<std::uint32_t>(hash >> (64 - exec::BoardWord::kSignatureBits));
}

}  // namespace xylem
