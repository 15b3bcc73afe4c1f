// What this process did, counted per collective and algorithm.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "coll/collective.hpp"

namespace xylem {

// The counters of one communicator: written by the thread that is in a call, read by any.
class Counters {
 public:
  Counters();
  ~Counters();  // adds what was counted to the process's total
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  // A call that an algorithm ran. `seconds` are 0 where they are not measured.
  void count(std::uint32_t algorithm, std::uint64_t bytes, double seconds) {
    Line& line = algorithms_[algorithm];
    line.count(bytes);
    if (seconds > 0) add(line.seconds, seconds);
  }
  // Calls that needed no algorithm: one rank, or nothing to move.
  void count_trivial(coll::Collective collective, std::uint64_t bytes) {
    trivial_[static_cast<std::size_t>(collective)].count(bytes);
  }
  // Calls that kernels ran.
  void count_on_device(coll::Collective collective, std::uint64_t bytes) {
    count_trivial(collective, bytes);
    add(on_device_, std::uint64_t{1});
  }
  // Calls of which a buffer was copied from or to a device.
  void count_staged() { add(staged_, std::uint64_t{1}); }

  // What the communicator looks like, for the report.
  void describe(std::uint32_t ranks, std::uint32_t hosts, const std::string& provider);

 private:
  friend struct Totals;

  // A single writer: no read-modify-write is needed.
  template <class T>
  static void add(std::atomic<T>& counter, T value) {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  struct Line {
    std::atomic<std::uint64_t> calls{0}, bytes{0};
    std::atomic<double> seconds{0};

    void count(std::uint64_t more) {
      add(calls, std::uint64_t{1});
      add(bytes, more);
    }
  };

  std::vector<Line> algorithms_;                  // by the algorithm's number
  std::array<Line, coll::kCollectives> trivial_;  // calls that no algorithm ran
  std::atomic<std::uint64_t> on_device_{0}, staged_{0};
};

// All counters of this process, ended communicators included, as the JSON object of xylem_statistics(). Thread-safe.
std::string statistics_json();

}  // namespace xylem
