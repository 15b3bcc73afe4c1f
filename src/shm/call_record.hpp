// One call of a rank, for its peers' diagnosis: "call 17, an allreduce of 8 bytes". The owner writes it when the call begins;
// any peer may read it at any time, and learns nothing where it meets the writer.
#pragma once

#include <atomic>
#include <cstdint>

#include "exec/platform.hpp"

namespace xylem::shm {

struct alignas(exec::kCacheLine) CallRecord {
  std::uint64_t sequence;  // calls of this communicator begun so far; 0: none yet
  std::uint64_t bytes;
  std::uint32_t history;  // a hash of all collectives so far, this one included: equal on ranks that called the same
  std::uint32_t collective;
  std::uint32_t op;
  std::uint32_t type;
  std::int32_t root;
  std::uint32_t ordinal;     // which collective of this communicator it is, from 1 on; 0: sends and receives, which are none
  std::uint32_t writes = 0;  // of this line, twice: odd while one is under way

  // Of the owner, into its line.
  void publish(const CallRecord& call) {
    const std::uint32_t before = writes;
    std::atomic_ref(writes).store(before + 1, std::memory_order_relaxed);
    transfer<true>(*this, call);
    std::atomic_ref(writes).store(before + 2, std::memory_order_release);
  }
  // Of a reader: one call's fields, or none.
  CallRecord snapshot() const {
    CallRecord call{};
    const std::uint32_t before = exec::load_acquire(writes);
    transfer<false>(call, *this);
    const bool whole = before % 2 == 0 && exec::load_acquire(writes) == before;
    return whole ? call : CallRecord{};
  }

 private:
  // Word by word, since the two sides may meet; `to_shared` says which of the two is the shared line. Who reads a word of a
  // write (acquire) has all that came before that word was written (release): then `writes` has changed.
  template <bool to_shared>
  static void transfer(CallRecord& to, const CallRecord& from) {
    move<to_shared>(to.sequence, from.sequence);
    move<to_shared>(to.bytes, from.bytes);
    move<to_shared>(to.history, from.history);
    move<to_shared>(to.collective, from.collective);
    move<to_shared>(to.op, from.op);
    move<to_shared>(to.type, from.type);
    move<to_shared>(to.root, from.root);
    move<to_shared>(to.ordinal, from.ordinal);
  }
  template <bool to_shared, class T>
  static void move(T& to, const T& from) {
    if constexpr (to_shared) {
      std::atomic_ref(to).store(from, std::memory_order_release);
    } else {
      to = std::atomic_ref(const_cast<T&>(from)).load(std::memory_order_acquire);
    }
  }
};
static_assert(sizeof(CallRecord) == exec::kCacheLine);

}  // namespace xylem::shm
