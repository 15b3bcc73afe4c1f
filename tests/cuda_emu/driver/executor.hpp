// The application's side of its executor: starts it, sends it operations and requests, waits for what it completes.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "driver/file.hpp"
#include "driver/settings.hpp"
#include "shared/protocol.hpp"

namespace cuda_emu {

// Where the memory of devices lies in every process. Below the usual places of programs and libraries, above the shadow
// of the address sanitizer.
inline constexpr std::uint64_t kRegion = 0x200000000000;
inline constexpr std::uint64_t kRegionBytes = std::uint64_t{1} << 40;

// One thread at a time (the driver's lock), save for send() and the waits.
class Executor {
 public:
  explicit Executor(const Settings& settings);  // throws Error
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // At exit: kills it, whatever it does. Threads of the program that still wait are told that the driver has gone.
  void stop();

  // The number the operation got in its stream. Operations reach the executor in the order of these numbers.
  std::uint32_t submit(Message& message, std::span<const std::byte> payload = {});
  void send(const Message& message);  // of no stream, not answered

  // The executor's answer; throws Error if it is not CUDA_SUCCESS.
  Answer request(const Message& message, std::span<const std::byte> payload = {}, std::span<const int> files = {});

  // Both throw Error when the contexts are lost.
  void wait_for_stream(std::uint32_t slot, std::uint32_t number);
  void wait_for_event(EventState& event, std::uint32_t number);
  void check();

  std::uint32_t submitted(std::uint32_t slot) const { return submitted_[slot]; }
  bool completed(std::uint32_t slot, std::uint32_t number) const;
  bool idle(std::uint32_t slot) const { return completed(slot, submitted_[slot]); }

  EventState* events() const { return events_; }
  int events_file() const { return events_file_.get(); }
  int arena_file() const { return arena_file_.get(); }
  int host_function_socket() const { return host_functions_.get(); }

 private:
  bool ended() const;
  bool lost();
  void declare_lost();

  File control_file_, events_file_, arena_file_;
  File commands_, host_functions_;
  pid_t process_ = 0;
  Control* control_ = nullptr;
  EventState* events_ = nullptr;
  std::mutex sending_;
  std::array<std::uint32_t, kMaxStreams> submitted_{};
};

}  // namespace cuda_emu
