// Sends and receives of small messages over LineChannels, as exec::MemoryPort has them over slots. A message is made in
// memory of the sender's own and taken apart into memory of the receiver's own; what goes from one to the other is its words.
#pragma once

#include "cuda/kernels/line_channel.hpp"
#include "exec/fault.hpp"
#include "exec/slice.hpp"

namespace xylem::cuda {

template <class Team>
class LinePort {
 public:
  XYLEM_HD LinePort(Team& team, const LineEndpoints* endpoints, std::uint32_t signature)
      : team_(team), endpoints_(endpoints), signature_(signature) {}

  // Whether this call goes over them.
  XYLEM_HD bool used() const { return endpoints_ != nullptr; }
  XYLEM_HD exec::Fault fault() const { return fault_; }

  XYLEM_HD_CALLED exec::Slice begin_send(std::uint32_t peer, std::size_t bytes) {
    return {lead([&]() -> std::byte* {
              LineChannel& channel = endpoints_->to[peer];
              if (channel.position - channel.seen >= exec::kSlots) {
                await(peer, [&] {
                  channel.seen = exec::load_acquire(channel.head->position);
                  return channel.position - channel.seen < exec::kSlots;
                });
              }
              return channel.message;
            }),
            bytes};
  }

  XYLEM_HD_CALLED void end_send(std::uint32_t peer, std::size_t bytes) {
    if (fault_ != exec::Fault::none) return;
    // All threads have written their part of the message when they know where it goes.
    const Place place = team_.lead([&] { return take(endpoints_->to[peer]); });
    const std::byte* const message = endpoints_->to[peer].message;
    const std::uint32_t flag = place.flag;
    const std::uint32_t words = place.fill != 0 ? kLineBytes / 4 : words_of(bytes);
    if (team_.rank() == 0) {
      write_word(place.words, signature_, flag);
      write_word(place.words + 1, static_cast<std::uint32_t>(bytes), flag);
    }
    for (std::uint32_t i = thread(); i < words; i += threads()) {
      write_word(place.words + kHeaderWords + i, word_at(message, i), flag);
    }
  }

  XYLEM_HD_CALLED exec::View begin_recv(std::uint32_t peer, std::size_t bytes) {
    std::byte* const message = lead([&]() -> std::byte* {
      const LineChannel& channel = endpoints_->from[peer];
      const FlaggedWord* const slot = channel.slot();
      std::uint32_t signature = 0, length = 0;
      await(peer, [&] { return read_word(slot, flag_of(channel.position), signature); });
      await(peer, [&] { return read_word(slot + 1, flag_of(channel.position), length); });
      if (fault_ == exec::Fault::none && signature != signature_) fail(exec::Fault::mismatch, peer);
      if (fault_ == exec::Fault::none && length != bytes) fail(exec::Fault::protocol, peer);
      return channel.message;
    });
    if (fault_ != exec::Fault::none) return {message, bytes};
    // The first thread moves on in end_recv() only, when all have been here.
    const LineChannel& channel = endpoints_->from[peer];
    const FlaggedWord* const slot = channel.slot() + kHeaderWords;
    const std::uint32_t flag = flag_of(channel.position), words = words_of(bytes);
    for (std::uint32_t i = thread(); i < words; i += threads()) {
      std::uint32_t data = 0;
      const exec::Fault fault = team_.wait([&] { return read_word(slot + i, flag, data); });
      if (fault != exec::Fault::none) {
        // The others find out where they wait. What is read here instead goes nowhere: the call has failed.
        team_.report(fault, peer, false);
        break;
      }
      put_word(message, i, data);
    }
    return {message, bytes};
  }

  XYLEM_HD_CALLED void end_recv(std::uint32_t peer) {
    if (fault_ != exec::Fault::none) return;
    team_.sync();
    if (team_.rank() != 0) return;
    LineChannel& channel = endpoints_->from[peer];
    ++channel.position;
    exec::store_release(channel.head->position, channel.position);
  }

  // After a split: what either half met.
  XYLEM_HD void adopt(const LinePort& half) {
    if (fault_ == exec::Fault::none) fault_ = half.fault_;
  }
  XYLEM_HD void agree() { fault_ = team_.agree(fault_); }

 private:
  struct Place {
    FlaggedWord* words;
    std::uint32_t flag;
    std::uint32_t fill;  // 1: all of the slot
  };

  static XYLEM_HD Place take(LineChannel& channel) {
    const Place place{channel.slot(), flag_of(channel.position), std::uint32_t{fills_slot(channel.position)}};
    ++channel.position;
    return place;
  }

  static XYLEM_HD std::uint32_t words_of(std::size_t bytes) { return static_cast<std::uint32_t>((bytes + 3) / 4); }
  // Messages are aligned, and have room for whole words.
  static XYLEM_HD std::uint32_t word_at(const std::byte* message, std::uint32_t i) {
    return reinterpret_cast<const std::uint32_t*>(message)[i];
  }
  static XYLEM_HD void put_word(std::byte* message, std::uint32_t i, std::uint32_t word) {
    reinterpret_cast<std::uint32_t*>(message)[i] = word;
  }
  XYLEM_HD std::uint32_t thread() const { return static_cast<std::uint32_t>(team_.rank()); }
  XYLEM_HD std::uint32_t threads() const { return static_cast<std::uint32_t>(team_.size()); }

  // What the first thread did, told to all.
  template <class Function>
  XYLEM_HD std::byte* lead(Function function) {
    struct Granted {
      std::byte* data;
      exec::Fault fault;
    };
    const Granted granted = team_.lead([&] {
      std::byte* const data = function();
      return Granted{data, fault_};
    });
    fault_ = granted.fault;
    return granted.data;
  }

  template <class Ready>
  XYLEM_HD void await(std::uint32_t peer, Ready ready) {
    if (fault_ != exec::Fault::none) return;
    if (const exec::Fault fault = team_.wait(ready); fault != exec::Fault::none) fail(fault, peer);
  }
  XYLEM_HD void fail(exec::Fault fault, std::uint32_t peer) {
    fault_ = fault;
    team_.report(fault, peer, false);
  }

  Team& team_;
  const LineEndpoints* endpoints_;  // null: this call goes over slots
  std::uint32_t signature_;
  exec::Fault fault_ = exec::Fault::none;
};

}  // namespace xylem::cuda
