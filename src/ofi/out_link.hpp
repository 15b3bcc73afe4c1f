// The sender's end of a channel to one peer: posts what was published, and moves the head when the peer has read it.
//
// A small payload is one message. A large one is written into the peer's slot, once the peer has said where it is, and a
// message without payload follows: the provider need not ask the receiver first, and copies nothing there.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

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
  void credited(std::uint16_t read);
  // Where the peer's slots are.
  void granted(const RemoteSlots& slots) { remote_ = slots; }

  // The provider holds none of our memory.
  bool quiet() const;
  // The peer has read all that was posted.
  bool settled() const { return read_ == posted_.load(std::memory_order_relaxed); }
  // The Links are gone; completions may still come.
  void abandon() { links_ = nullptr; }

 private:
  struct Slot {
    Operation write;    // of a large payload, into the peer's slot
    Operation message;  // the payload, or that it was written
    bool written;       // not sent: by a write
  };

  bool took(PostResult code);
  bool write_ahead(std::uint64_t published);
  bool post_message(std::uint64_t position);
  void move_head();

  Links* links_;
  Hub& hub_;
  int peer_;
  fi_addr_t address_;
  std::uint64_t link_;
  SlotMemory memory_;
  std::optional<RemoteSlots> remote_;
  std::array<Slot, kSlots> slots_{};
  // Slots counted since the channel was made: completed_ and read_ follow posted_, posted_ follows begun_.
  std::uint64_t begun_ = 0;                // their write was posted, or they need none
  std::atomic<std::uint64_t> posted_ = 0;  // their message was, too
  std::uint64_t completed_ = 0;            // all before it have left our memory
  std::uint64_t read_ = 0;                 // the peer says so
};

}  // namespace xylem::ofi
