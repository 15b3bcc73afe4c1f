#include "flight/signal.hpp"

#include <dlfcn.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <string_view>

#include "base/settings.hpp"

namespace xylem::flight {
namespace {

// Read by the handler. The bell is never closed: the handler may be about to ring it.
std::atomic<int> bell{-1};
std::atomic<pid_t> owner{0};
// What was there before: the default, or an MPI's handler.
struct sigaction before {};

// MPICH takes SIGUSR1: its mpirun tells survivors by it that a process has ended.
bool belongs_to_mpi(const struct sigaction& action) {
  Dl_info info{};
  void* const code = (action.sa_flags & SA_SIGINFO) != 0 ? reinterpret_cast<void*>(action.sa_sigaction)
                                                         : reinterpret_cast<void*>(action.sa_handler);
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return false;
  const std::string_view path = info.dli_fname;
  return path.substr(path.rfind('/') + 1).starts_with("libmp");
}

bool is_default(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

int wanted_signal() {
  switch (settings().dump_signal) {
    case DumpSignal::usr1:
      return SIGUSR1;
    case DumpSignal::usr2:
      return SIGUSR2;
    case DumpSignal::off:
      break;
  }
  return 0;
}

void ring(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  if (owner.load(std::memory_order_relaxed) == getpid()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(bell.load(std::memory_order_relaxed), &one, sizeof one);
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      before.sa_sigaction(signal, info, context);
    } else if (!is_default(before)) {
      before.sa_handler(signal);
    }
  } else {
    // A forked child has the handler, but nobody who listens: the signal does what it would without us.
    sigaction(signal, &before, nullptr);
    raise(signal);
  }
  errno = saved_errno;
}

}  // namespace

void take_signal() {
  const int signal = wanted_signal();
  struct sigaction now {};
  if (signal == 0 || sigaction(signal, nullptr, &now) != 0) return;
  const bool ignored = (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_IGN;
  if (ignored || (!is_default(now) && !belongs_to_mpi(now))) return;
  before = now;
  if (bell < 0) bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell < 0) return;
  owner = getpid();
  struct sigaction ours {};
  ours.sa_sigaction = ring;
  ours.sa_flags = SA_RESTART | SA_SIGINFO;
  sigaction(signal, &ours, nullptr);
}

void give_signal_back() {
  const int signal = wanted_signal();
  struct sigaction now {};
  if (signal == 0 || sigaction(signal, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == ring) sigaction(signal, &before, nullptr);
}

int signal_bell() { return bell; }

void silence_bell() {
  std::uint64_t rings = 0;
  [[maybe_unused]] const ssize_t bytes = read(bell, &rings, sizeof rings);
}

}  // namespace xylem::flight
