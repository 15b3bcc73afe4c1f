// One collective call, checked and freed of notation: in place and "ignored at this rank" are resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "coll/collective.hpp"
#include "xylem/xylem.h"

namespace xylem {

struct Call {
  coll::Collective collective;
  const void* input = nullptr;  // equals output where the call works in place
  void* output = nullptr;       // null where this rank receives nothing
  std::size_t count = 0;        // elements of the vector, or of one rank's block
  xylem_type type = XYLEM_BYTE;
  xylem_op op = XYLEM_OP_COUNT;  // XYLEM_OP_COUNT: reduces nothing
  std::uint32_t root = 0;        // 0 where there is none
  xylem_stream_t stream = XYLEM_STREAM_NONE;
};

// "allreduce(count 1000, float, sum)", for messages.
std::string describe(const Call& call);

// What tells calls apart on the wire: equal on all ranks of one call, different (but for a chance of 1 in 16 million) between
// calls of other collective, bytes, root, or where there is a reduction type or op.
std::uint32_t call_signature(const Call& call);

}  // namespace xylem
