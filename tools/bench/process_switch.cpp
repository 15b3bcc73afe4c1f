#include "bench/process_switch.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "bench/stopwatch.hpp"
#include "samples.hpp"

namespace xylem::tools {
namespace {

constexpr int repetitions = 20;
constexpr double budget_seconds = 0.1;  // on a busy machine fewer repetitions are enough

// A word that two processes pass to and fro.
struct alignas(64) Word {
  std::atomic<std::uint32_t> turn = 0;
};

using Wait = void (*)(std::atomic<std::uint32_t>& word, std::uint32_t old);
using Tell = void (*)(std::atomic<std::uint32_t>& word);

void wait_by_yield(std::atomic<std::uint32_t>& word, std::uint32_t old) {
  while (word.load(std::memory_order_acquire) == old) sched_yield();
}
void tell_nobody(std::atomic<std::uint32_t>& word) { static_cast<void>(word); }

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}
void wait_asleep(std::atomic<std::uint32_t>& word, std::uint32_t old) {
  while (word.load(std::memory_order_acquire) == old) futex(word, FUTEX_WAIT, old);
}
void wake(std::atomic<std::uint32_t>& word) { futex(word, FUTEX_WAKE, INT_MAX); }

constexpr std::uint32_t stop = UINT32_MAX;

// Until the word is `turn`; false if the other side has had enough.
bool await(std::atomic<std::uint32_t>& word, std::uint32_t turn, Wait wait) {
  for (std::uint32_t seen = 0; (seen = word.load(std::memory_order_acquire)) != turn;) {
    if (seen == stop) return false;
    wait(word, seen);
  }
  return true;
}

// Passes the word on at every second turn from `first` on, which are its own, until `last` or until the other has had enough.
void play(std::atomic<std::uint32_t>& word, std::uint32_t first, std::uint32_t last, Wait wait, Tell tell) {
  for (std::uint32_t turn = first; turn < last; turn += 2) {
    if (!await(word, turn, wait)) return;
    word.store(turn + 1, std::memory_order_release);
    tell(word);
  }
}

bool stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Seconds that the word takes from one process to the other, on the given cores. The other process is a child that calls
// nothing but the kernel.
std::vector<double> pass(int here, int there, Wait wait, Tell tell) {
  void* const memory = mmap(nullptr, sizeof(Word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  auto& word = (new (memory) Word)->turn;
  const pid_t child = fork();
  if (child == 0) {
    const bool placed = stay_on(there);
    play(word, 1, stop, wait, tell);
    _exit(placed ? 0 : 1);
  }
  const int error = errno;
  std::vector<double> times;
  if (child > 0) {
    std::thread parent([&] {
      stay_on(here);
      constexpr std::uint32_t turns = 50;
      const double start = monotonic_seconds();
      std::uint32_t next = 0;
      do {
        const double begin = monotonic_seconds();
        play(word, next, next + turns, wait, tell);
        times.push_back((monotonic_seconds() - begin) / turns);
        next += turns;
      } while (times.size() < repetitions && monotonic_seconds() - start < budget_seconds);
      await(word, next, wait);  // the other writes no more
      word.store(stop, std::memory_order_release);
      tell(word);
    });
    parent.join();
    int status = 0;
    waitpid(child, &status, 0);
  }
  munmap(memory, sizeof(Word));
  if (child < 0) throw std::system_error(error, std::generic_category(), "fork");
  return times;
}

double yield_alone(int core) {
  constexpr int yields = 500;
  std::vector<double> times;
  std::thread thread([&] {
    stay_on(core);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      const double begin = monotonic_seconds();
      for (int i = 0; i < yields; ++i) sched_yield();
      times.push_back((monotonic_seconds() - begin) / yields);
    }
  });
  thread.join();
  return percentile(times, 0);
}

}  // namespace

void probe_switches(Limits& limits) {
  const int first = limits.cores.front(), last = limits.cores.back();
  limits.yield_seconds = yield_alone(first);
  // What can be reached; but one who was about to sleep and need not is no measure of waking.
  constexpr double best = 0, usual = 0.5;
  limits.switch_seconds = percentile(pass(first, first, wait_by_yield, tell_nobody), best);
  limits.wake_here_seconds = percentile(pass(first, first, wait_asleep, wake), usual);
  if (last != first) limits.wake_seconds = percentile(pass(first, last, wait_asleep, wake), usual);
}

}  // namespace xylem::tools
