// One collective call, checked and freed of notation: in place and "ignored at this rank" are resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/exchange.hpp"
#include "exec/board.hpp"
#include "exec/reduce.hpp"
#include "xylem/xylem.h"

namespace xylem {

// Blocks of differing lengths, by rank, in elements. Owned by the caller until the call has ended.
struct BlockList {
  const std::size_t* counts = nullptr;
  const std::size_t* offsets = nullptr;  // null: one behind the other
};

struct Call {
  coll::Collective collective;
  const void* input = nullptr;  // equals output where the call works in place
  void* output = nullptr;       // null where this rank receives nothing
  std::size_t count = 0;        // elements of the vector, or of a block: of this rank's own where blocks differ, and of all
                                // that it sends where it sends and receives differing blocks
  xylem_type type = XYLEM_BYTE;
  xylem_op op = XYLEM_OP_COUNT;  // XYLEM_OP_COUNT: reduces nothing
  std::uint32_t root = 0;        // 0 where there is none
  xylem_stream_t stream = XYLEM_STREAM_NONE;
  bool internal = false;               // Xylem's own: not counted
  bool arrived = false;                // what device buffers wait for is done, whatever streams have got since
  const Call* on_behalf_of = nullptr;  // of an internal one: the call that ranks which find something else are told of
  BlockList sent{}, received{};        // the blocks of the input and of the output, where these are blocks and may differ
  const coll::Exchange* exchange = nullptr;  // sends and receives, in place of a collective; then nothing else counts
};

// "allreduce(count 1000, float, sum)", for messages.
std::string describe(const Call& call, std::uint32_t ranks);

// What tells calls apart on the wire: equal on all ranks of one call, different (but for a chance of 1 in 16 million) between
// calls of other collective, bytes, root, or where there is a reduction type or op. Only of what MPI makes equal on all
// ranks.
std::uint32_t call_signature(const Call& call, std::uint32_t ranks);

// The same in two steps: of all but the root, which calls alike have in common, and then of one call.
std::uint64_t signature_of_kind(const Call& call, std::uint32_t ranks);
inline std::uint32_t signature_of_call(std::uint64_t of_kind, std::uint32_t root) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // Fibonacci hashing: small differences reach the upper bits
  // What a board's word has room for.
  return static_cast<std::uint32_t>(((of_kind ^ root) * kSpread) >> (64 - exec::BoardWord::kSignatureBits));
}

// Bytes of the vector, or of all blocks together; the same on all ranks. 0 where no rank but its own knows the lengths.
std::size_t agreed_bytes(const Call& call, std::uint32_t ranks);

// Bytes that this rank receives, or sends where it receives nothing: for statistics.
inline std::size_t own_bytes(const Call& call) { return call.count * exec::type_bytes(call.type); }

// Whether the call's operation on its elements rounds, so that a result depends on the order in which it is folded.
inline bool rounds(const Call& call) {
  return call.op != XYLEM_OP_COUNT && call.type >= XYLEM_FLOAT16 && call.type <= XYLEM_COMPLEX_LONG_DOUBLE;
}

// Whether all ranks know that there is nothing to do for any.
bool moves_nothing(const Call& call, std::uint32_t ranks);

// Sets the buffers of `args`: input, output, how they are laid out, the size of elements, the root. `args` may be those of an
// earlier call. Where the call says "one behind the other", the offsets are put into `offsets`, which must live as long as
// the arguments.
void set_buffers(coll::Args& args, const Call& call, std::uint32_t ranks, std::vector<std::size_t>& offsets);

}  // namespace xylem
