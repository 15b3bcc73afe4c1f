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

  void count(coll::Collective collective, std::uint32_t algorithm, std::uint64_t bytes, double seconds);
  // Calls that needed no algorithm: one rank, or nothing to move.
  void count_trivial(coll::Collective collective, std::uint64_t bytes);
  // Calls that kernels ran.
  void count_on_device(coll::Collective collective, std::uint64_t bytes);
  // Calls of which a buffer was copied from or to a device.
  void count_staged();

  // What the communicator looks like, for the report.
  void describe(std::uint32_t ranks, std::uint32_t hosts, const std::string& provider);

 private:
  friend std::string statistics_json();
  struct Line {
    std::atomic<std::uint64_t> calls{0}, bytes{0};
    std::atomic<double> seconds{0};
  };
  std::array<Line, coll::kCollectives> lines_;
  std::vector<std::atomic<std::uint64_t>> algorithms_;
  std::atomic<std::uint64_t> on_device_{0}, staged_{0};
};

// All counters of this process, ended communicators included, as the JSON object of xylem_statistics(). Thread-safe.
std::string statistics_json();

}  // namespace xylem
