// The copies of the data path. Not memcpy: glibc moves 4 KiB to 512 KiB with `rep movsb`, which on AMD's Zen 3 takes 5 times
// as long when the target lies a few bytes further into its page than the source, as a buffer of malloc beside a slot does.
#pragma once

#include <cstddef>

#include "exec/instruction_set.hpp"

namespace xylem::exec {

// For more than kInlineCopy bytes.
using CopyFunction = void (*)(std::byte* out, const std::byte* in, std::size_t bytes);
CopyFunction find_copy(InstructionSet set);

// As copy_bytes(), for more than kInlineCopy bytes.
void copy_many_bytes(std::byte* out, const std::byte* in, std::size_t bytes);

inline constexpr std::size_t kInlineCopy = 64;

// Copies kStep to 2 * kStep bytes as two steps, which may overlap. A step of a fixed size is one or a few moves, no call.
template <std::size_t kStep>
inline void copy_head_and_tail(std::byte* out, const std::byte* in, std::size_t bytes) {
  struct Step {
    std::byte data[kStep];
  };
  Step head;
  Step tail;
  __builtin_memcpy(&head, in, kStep);
  __builtin_memcpy(&tail, in + bytes - kStep, kStep);
  __builtin_memcpy(out, &head, kStep);
  __builtin_memcpy(out + bytes - kStep, &tail, kStep);
}

// Copies `bytes` bytes; the ranges do not overlap; any alignment. Either range may be shared with other processes.
inline void copy_bytes(void* out, const void* in, std::size_t bytes) {
  auto* const to = static_cast<std::byte*>(out);
  const auto* const from = static_cast<const std::byte*>(in);
  if (bytes > kInlineCopy) {
    copy_many_bytes(to, from, bytes);
  } else if (bytes >= 32) {
    copy_head_and_tail<32>(to, from, bytes);
  } else if (bytes >= 16) {
    copy_head_and_tail<16>(to, from, bytes);
  } else if (bytes >= 8) {
    copy_head_and_tail<8>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_head_and_tail<4>(to, from, bytes);
  } else if (bytes >= 2) {
    copy_head_and_tail<2>(to, from, bytes);
  } else if (bytes == 1) {
    *to = *from;
  }
}

}  // namespace xylem::exec
