// A Board is what the ranks of one host show each other: each rank owns kBoardDepth buffers that only it writes and all read.
//
// Use goes in epochs, in which every rank of the group takes part in the same order (the plan is the same on all ranks):
//
//     ((write own buffer, publish)? ; (wait for a rank's buffer, read it)* ; finish)*
//
// Buffer e % kBoardDepth serves epoch e. A rank may run ahead of its readers by kBoardDepth epochs at most: it overwrites the
// buffer of epoch e - kBoardDepth only when every rank has finished that epoch. A rank that publishes in epoch e has finished
// all epochs before it, so reading its word tells that too; the done lines are read only where no such news has come.
#pragma once

#include "exec/platform.hpp"

namespace xylem::exec {

inline constexpr std::uint32_t kBoardDepth = 4;

// The head of a buffer; the payload follows in the same cache line, so that up to kBoardInlineBytes travel with the flag.
// word = epoch + 1 in the upper 40 bits (so that fresh memory means "never"), the call's signature in the lower 24. Its store
// (release) publishes the payload; its partner is the reader's load (acquire).
struct BoardWord {
  static constexpr unsigned kSignatureBits = 24;
  static XYLEM_HD std::uint64_t make(std::uint64_t epoch, std::uint32_t signature) {
    return ((epoch + 1) << kSignatureBits) | (signature & ((1U << kSignatureBits) - 1));
  }
  static XYLEM_HD bool is_of(std::uint64_t word, std::uint64_t epoch) {
    return (word >> kSignatureBits) == ((epoch + 1) & ((std::uint64_t{1} << (64 - kSignatureBits)) - 1));
  }
};
inline constexpr std::uint32_t kBoardInlineBytes = kCacheLine - sizeof(std::uint64_t);

// Written by its rank: the number of epochs it has finished. The store (release) says that its reads are over; its partner is
// the load (acquire) of a rank that wants to overwrite.
struct alignas(kCacheLine) BoardDone {
  std::uint64_t epochs;
};

// One rank's view. Plain, and private to its rank.
struct Board {
  std::byte* const* buffers = nullptr;  // by rank of the group: kBoardDepth buffers, `stride` bytes apart
  BoardDone* const* done = nullptr;     // by rank of the group
  std::uint32_t rank = 0;               // in the group
  std::uint32_t size = 0;
  std::uint32_t stride = 0;         // a multiple of the cache line
  std::uint32_t payload_bytes = 0;  // what a buffer holds: stride - 8, rounded down to 32
  std::uint64_t epoch = 0;          // the one under way
  std::uint64_t finished = 0;       // all ranks are known to have finished the epochs before this one

  XYLEM_HD std::byte* buffer(std::uint32_t of, std::uint64_t at) const { return buffers[of] + (at % kBoardDepth) * stride; }
  XYLEM_HD std::byte* buffer(std::uint32_t of) const { return buffer(of, epoch); }
  XYLEM_HD std::uint64_t& word(std::uint32_t of) const { return *reinterpret_cast<std::uint64_t*>(buffer(of)); }
  XYLEM_HD std::byte* payload(std::uint32_t of) const { return buffer(of) + sizeof(std::uint64_t); }
};

}  // namespace xylem::exec
