// The sender's end of a channel to one peer: posts what was published, and moves the head when the peer has read it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "ofi/slot_memory.hpp"
#include "ofi/wire.hpp"

namespace xylem::ofi {

class Hub;
class Links;

class OutLink {
 public:
  // `link`: the number by which the peer knows our messages. Throws Error.
  OutLink(Links& links, Hub& hub, int peer, fi_addr_t address, std::uint64_t link, std::uint32_t slot_bytes);

  exec::Channel channel() const { return memory_.channel(); }

  // Something was published and not yet posted. The owner's thread, no mutex needed.
  bool unposted() const { return exec::load_acquire(memory_.tail().position) != posted_.load(std::memory_order_relaxed); }

  // --- With the hub's mutex held. ---

  // Posts what was published, as far as the provider takes it. True when it took anything.
  bool post();
  void sent(const Completion& done);
  void credited(const Credit& credit);

  // The provider holds none of our memory.
  bool quiet() const { return completed_ == posted_.load(std::memory_order_relaxed); }
  // The peer has read all that was posted.
  bool settled() const { return read_ == posted_.load(std::memory_order_relaxed); }
  // The Links are gone; completions may still come.
  void abandon() { links_ = nullptr; }

 private:
  void move_head();

  Links* links_;
  Hub& hub_;
  int peer_;
  fi_addr_t address_;
  std::uint64_t link_;
  SlotMemory memory_;
  std::array<Operation, kSlots> operations_{};
  // Slots counted since the channel was made: read_ and completed_ follow posted_.
  std::atomic<std::uint64_t> posted_ = 0;
  std::uint64_t completed_ = 0;       // all before it have left our memory
  std::uint64_t read_ = 0;            // the peer says so
  std::uint32_t complete_ahead_ = 0;  // bit i: slot i has left our memory, one before it has not
  bool direct_ = false;               // the peer has receives posted into its slots
};

}  // namespace xylem::ofi
