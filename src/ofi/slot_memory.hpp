// One end of a channel in private memory: the two lines, and the slots behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "exec/channel.hpp"
#include "ofi/memory.hpp"
#include "ofi/wire.hpp"

namespace xylem::ofi {

class SlotMemory {
 public:
  SlotMemory(Endpoint& endpoint, std::uint32_t slot_bytes)
      : memory_(endpoint, kLines + exec::kSlots * std::size_t{slot_bytes}),
        slot_bytes_(slot_bytes),
        tail_(new (memory_.data()) exec::ChannelTail{}),
        head_(new (memory_.data() + sizeof(exec::ChannelTail)) exec::ChannelHead{}) {}

  exec::ChannelTail& tail() const { return *tail_; }
  exec::ChannelHead& head() const { return *head_; }
  std::uint32_t slot_bytes() const { return slot_bytes_; }
  std::byte* slot(std::uint32_t index) const { return memory_.data() + kLines + index * std::size_t{slot_bytes_}; }
  Endpoint::Buffer buffer(std::uint32_t index, std::size_t bytes) const { return {slot(index), bytes, memory_.descriptor()}; }

  // For the sender: the provider may read the slots.
  void allow_sends() { memory_.allow(Endpoint::Access::local); }
  // For the receiver: its peer may write into the slots.
  void allow_writes() { memory_.allow(Endpoint::Access::remote); }
  RemoteSlots remote() const { return {memory_.remote_address(slot(0)), memory_.key(), slot_bytes_}; }
  // A message that tells the peer so.
  Endpoint::Buffer note(const RemoteSlots& text) {
    std::memcpy(memory_.data() + kNote, &text, sizeof text);
    return {memory_.data() + kNote, sizeof text, memory_.descriptor()};
  }

  exec::Channel channel() const {
    exec::Channel channel;
    channel.tail = tail_;
    channel.head = head_;
    channel.slots = slot(0);
    channel.slot_bytes = slot_bytes_;
    return channel;
  }

 private:
  static constexpr std::size_t kNote = sizeof(exec::ChannelTail) + sizeof(exec::ChannelHead);
  // A page, so that the slots begin on one.
  static constexpr std::size_t kLines = 4096;

  Memory memory_;
  std::uint32_t slot_bytes_;
  exec::ChannelTail* tail_;
  exec::ChannelHead* head_;
};

}  // namespace xylem::ofi
