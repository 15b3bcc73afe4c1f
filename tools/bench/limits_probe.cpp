#include "bench/limits_probe.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "bench/process_switch.hpp"
#include "bench/stopwatch.hpp"

namespace xylem::tools {
namespace {

constexpr std::size_t line_bytes = 64;
// Short, so that some of them meet nobody else on the core. The best one counts: what is looked for is what can be reached.
constexpr int repetitions = 40;

// On a busy machine some are enough: ranks wait for each other's share of a core then.
constexpr double budget_seconds = 0.1;

double best_of(const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); }

void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) throw std::runtime_error("a rank's core cannot be used for measuring");
}

// One way, of a word that goes to and fro between two cores.
double line_between(int here, int there) {
  constexpr unsigned hops = 200;
  struct alignas(2 * line_bytes) Word {
    std::atomic<unsigned> value = 0;
  } ping, pong;
  constexpr unsigned stop = 0, nothing_yet = hops * (repetitions + 1);  // no turns have these numbers
  ping.value = pong.value = nothing_yet;
  std::thread other([&] {
    stay_on(there);
    for (unsigned seen = nothing_yet, turn = 0; (turn = ping.value.load(std::memory_order_acquire)) != stop;) {
      if (turn == seen) continue;
      pong.value.store(seen = turn, std::memory_order_release);
    }
  });
  std::vector<double> times;
  std::thread one([&] {
    stay_on(here);
    unsigned turn = 0;
    const double start = monotonic_seconds();
    do {
      const double begin = monotonic_seconds();
      for (unsigned hop = 0; hop < hops; ++hop) {
        ping.value.store(++turn, std::memory_order_release);
        while (pong.value.load(std::memory_order_acquire) != turn) continue;
      }
      times.push_back((monotonic_seconds() - begin) / hops / 2);
    } while (times.size() < repetitions && monotonic_seconds() - start < budget_seconds);
    ping.value.store(stop, std::memory_order_release);
  });
  one.join();
  other.join();
  return best_of(times);
}

// Neighbours in the list, and the first with each: not all pairs, of which many cores have too many.
void probe_lines(Limits& limits) {
  const std::vector<int>& cores = limits.cores;
  std::vector<double> times;
  for (std::size_t i = 1; i < cores.size(); ++i) {
    times.push_back(line_between(cores[i - 1], cores[i]));
    if (i > 1) times.push_back(line_between(cores[0], cores[i]));
  }
  if (times.empty()) return;
  limits.line_seconds = *std::min_element(times.begin(), times.end());
  limits.far_line_seconds = *std::max_element(times.begin(), times.end());
}

// Bytes a second that the cores copy together, each `bytes` at a time between memory of its own.
double copy_rate(const std::vector<int>& cores, std::size_t bytes) {
  constexpr std::size_t at_least = 3 << 20;  // copied in one repetition
  const std::size_t times = std::max<std::size_t>(at_least / bytes, 1);
  std::atomic<std::size_t> ready = 0;
  std::atomic<std::size_t> end = repetitions + 1;  // the repetition that is not made
  const double start = monotonic_seconds();
  std::vector<std::vector<double>> seconds(cores.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    threads.emplace_back([&, i] {
      stay_on(cores[i]);
      std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
      for (std::size_t repetition = 1; repetition <= repetitions; ++repetition) {
        if (i == 0 && repetition > 1 && monotonic_seconds() - start > budget_seconds) end = repetition;
        ready.fetch_add(1);  // everybody sees what the first has said before
        while (ready.load() < repetition * cores.size()) std::this_thread::yield();
        if (repetition >= end) break;
        const double begin = monotonic_seconds();
        for (std::size_t time = 0; time < times; ++time) {
          std::memcpy(to.data(), from.data(), bytes);
          asm volatile("" : : "r"(to.data()) : "memory");  // somebody reads it
        }
        seconds[i].push_back(monotonic_seconds() - begin);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  double rate = 0;
  for (std::size_t repetition = 0; repetition < seconds.front().size(); ++repetition) {
    double together = 0;
    for (const std::vector<double>& taken : seconds) together += static_cast<double>(bytes * times) / taken[repetition];
    rate = std::max(rate, together);
  }
  return rate;
}

Limits::Copying copying(const std::vector<int>& cores, std::size_t bytes) {
  return {copy_rate({cores.front()}, bytes), copy_rate(cores, bytes)};
}

std::size_t largest_cache() {
  for (const int level : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (const long bytes = sysconf(level); bytes > 0) return static_cast<std::size_t>(bytes);
  constexpr std::size_t usual = 32 << 20;
  return usual;
}

}  // namespace

Limits probe_limits(const std::vector<int>& cores) {
  if (cores.empty()) throw std::runtime_error("there is no core to measure on");
  Limits limits;
  limits.cores = cores;
  limits.cache_bytes = largest_cache();
  probe_lines(limits);
  constexpr std::size_t resident = 96 << 10;  // two of them fit into a core's own caches
  limits.in_cache = copying(cores, resident);
  limits.in_memory = copying(cores, std::max<std::size_t>(limits.cache_bytes, resident));
  probe_switches(limits);
  return limits;
}

}  // namespace xylem::tools
