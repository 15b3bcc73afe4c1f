// A FIFO for small messages from one GPU to another: each word of data comes with a flag of its own, in one store of eight
// bytes that no reader sees half of. So there is no second store that would have to wait until the data is there, and no
// second look: whoever sees the flag of a word has its data.
//
// Legal use as that of exec::Channel; the two ends lie in the memory of the GPU that reads them, but for what is private.
#pragma once

#include "exec/channel.hpp"

namespace xylem::cuda {

// Four bytes of a message. The flag tells messages apart that come to lie in one place, one after the other: see flag_of().
struct alignas(8) FlaggedWord {
  std::uint32_t data;
  std::uint32_t flag;
};

// The longest message.
inline constexpr std::uint32_t kLineBytes = 8 * 1024;
// Before the data: the signature of the call, and the length.
inline constexpr std::uint32_t kHeaderWords = 2;
// Of a slot, with the header.
inline constexpr std::uint32_t kSlotWords = kHeaderWords + kLineBytes / sizeof(FlaggedWord::data);

// One end, as a kernel sees it. Private to its rank.
struct LineChannel {
  FlaggedWord* words = nullptr;       // exec::kSlots of kSlotWords each, zero at first; at the receiver
  exec::ChannelHead* head = nullptr;  // how many the receiver has read; at the sender
  std::byte* message = nullptr;       // kLineBytes, of this end alone: where a message is made, or taken apart
  std::uint64_t position = 0;         // messages used by this end so far
  std::uint64_t seen = 0;             // the sender's: the head when last looked at

  XYLEM_HD FlaggedWord* slot() const { return words + position % exec::kSlots * kSlotWords; }
};

// By peer.
struct LineEndpoints {
  LineChannel* to = nullptr;
  LineChannel* from = nullptr;
};

// Of the message at `position`. Words that later messages are too short for keep the flag of an earlier one, which comes
// again after 2^32 messages: so each slot is filled to its end twice before that.
XYLEM_HD inline std::uint32_t flag_of(std::uint64_t position) { return static_cast<std::uint32_t>(position + 1); }
XYLEM_HD inline bool fills_slot(std::uint64_t position) { return ((position + 1) & 0x7fffffffU) < exec::kSlots; }

// Both move eight bytes at once. Flag and data need no order to anything else, so there is none.
#if defined(__CUDACC__)
__device__ inline std::uint64_t load_flagged(const FlaggedWord* word) {
  return __nv_atomic_load_n(reinterpret_cast<std::uint64_t*>(const_cast<FlaggedWord*>(word)), __NV_ATOMIC_RELAXED,
                            __NV_THREAD_SCOPE_SYSTEM);
}
__device__ inline void store_flagged(FlaggedWord* word, std::uint64_t both) {
  __nv_atomic_store_n(reinterpret_cast<std::uint64_t*>(word), both, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_SYSTEM);
}
#else
inline std::uint64_t load_flagged(const FlaggedWord* word) {
  return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(const_cast<FlaggedWord*>(word)))
      .load(std::memory_order_relaxed);
}
inline void store_flagged(FlaggedWord* word, std::uint64_t both) {
  std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(word)).store(both, std::memory_order_relaxed);
}
#endif

XYLEM_HD inline void write_word(FlaggedWord* word, std::uint32_t data, std::uint32_t flag) {
  store_flagged(word, std::uint64_t{flag} << 32 | data);
}

// Whether the word has come; then its data too.
XYLEM_HD inline bool read_word(const FlaggedWord* word, std::uint32_t flag, std::uint32_t& data) {
  const std::uint64_t both = load_flagged(word);
  data = static_cast<std::uint32_t>(both);
  return both >> 32 == flag;
}

}  // namespace xylem::cuda
