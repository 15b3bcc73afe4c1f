// Puts the signal handlers of the process back as they were. Some libraries set handlers of their own while they are loaded
// or asked for devices; a program's handlers are not ours to lose.
#pragma once

#include <array>
#include <csignal>

namespace xylem::ofi {

class SignalGuard {
 public:
  SignalGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &before_[i]);
  }
  ~SignalGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  static constexpr std::array kSignals = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT, SIGBUS, SIGFPE,
                                          SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace xylem::ofi
