// A Port that moves nothing and notes every step. Buffers are addresses that mean a Region and are never touched.
#pragma once

#include "exec/slice.hpp"
#include "verify/program.hpp"

namespace xylem::verify {

class Recorder {
 public:
  // `refuses`: no rank can read what another lends.
  explicit Recorder(Program& program, bool refuses = false) : program_(program), refuses_(refuses) {}

  static constexpr bool kLends = true;

  // The address that stands for a region, to be given to algorithms as a buffer.
  static std::byte* address(Space space, std::uint32_t peer = 0) {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): 40 of 64 bits
    const std::uint64_t of_peer = std::uint64_t{peer} << kPeerShift;
    return reinterpret_cast<std::byte*>((static_cast<std::uint64_t>(space) << kSpaceShift) | of_peer);
  }
  static Region region(const std::byte* address) {
    const auto bits = reinterpret_cast<std::uint64_t>(address);
    return {static_cast<Space>(bits >> kSpaceShift), static_cast<std::uint32_t>((bits >> kPeerShift) & kPeerMask),
            bits & kOffsetMask};
  }

  exec::Slice begin_send(std::uint32_t peer, std::size_t bytes) {
    note(Action::begin_send, peer, bytes);
    return {address(Space::slot_out, peer), bytes};
  }
  void end_send(std::uint32_t peer, std::size_t bytes) { note(Action::end_send, peer, bytes); }
  exec::View begin_recv(std::uint32_t peer, std::size_t bytes) {
    note(Action::begin_recv, peer, bytes);
    return {address(Space::slot_in, peer), bytes};
  }
  void end_recv(std::uint32_t peer) { note(Action::end_recv, peer, 0); }
  exec::Slice begin_publish(std::size_t bytes) {
    note(Action::begin_publish, kSelf, bytes);
    return {address(Space::board, kSelf), bytes};
  }
  void end_publish() { note(Action::end_publish, kSelf, 0); }
  exec::View fetch(std::uint32_t member, std::size_t bytes) {
    note(Action::fetch, member, bytes);
    return {address(Space::board, member), bytes};
  }
  void finish(bool all_fetched) { note(Action::finish, all_fetched ? 1 : 0, 0); }
  void lend(std::uint32_t peer, exec::View own) {
    program_.push_back({Action::lend, peer, own.bytes, {}, region(own.data), {}});
  }
  bool settle(std::uint32_t peer) {
    note(Action::settle, peer, 0);
    return !refuses_;
  }
  bool borrow(std::uint32_t peer, exec::Slice out) {
    program_.push_back({refuses_ ? Action::refuse : Action::borrow, peer, out.bytes, region(out.data), {}, {}});
    return !refuses_;
  }
  bool refused(std::uint32_t) const { return refuses_; }
  void copy(exec::Slice out, exec::View in) {
    program_.push_back({Action::copy, 0, out.bytes, region(out.data), region(in.data), {}});
  }
  void reduce(exec::Slice out, exec::View left, exec::View right) {
    program_.push_back({Action::reduce, 0, out.bytes, region(out.data), region(left.data), region(right.data)});
  }
  template <class First, class Second>
  void split(First first, Second second) {
    note(Action::fork, 0, 0);
    first(*this);
    note(Action::next, 0, 0);
    second(*this);
    note(Action::join, 0, 0);
  }

  // The member that stands for the own buffer while it is written.
  static constexpr std::uint32_t kSelf = 0xFFFF;

 private:
  static constexpr unsigned kSpaceShift = 56, kPeerShift = 40;
  static constexpr std::uint64_t kPeerMask = 0xFFFF, kOffsetMask = (std::uint64_t{1} << kPeerShift) - 1;

  void note(Action action, std::uint32_t peer, std::size_t bytes) { program_.push_back({action, peer, bytes, {}, {}, {}}); }

  Program& program_;
  bool refuses_;
};

}  // namespace xylem::verify
