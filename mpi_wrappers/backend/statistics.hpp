// What XYLEM_STATS asks for: how many calls of each collective ran on Xylem, how many were handed down and why. Counted only
// where the setting is there, so that other jobs pay one branch.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "backend/reason.hpp"

namespace xylem::preload {

enum class Collective : unsigned char {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,
  alltoallw,
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  reduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  scatter,
  scatterv
};

inline constexpr std::array<std::string_view, 17> kCollectiveNames = {
    "allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "alltoallw",      "barrier",
    "bcast",     "exscan",     "gather",    "gatherv",  "reduce",    "reduce_scatter", "reduce_scatter_block",
    "scan",      "scatter",    "scatterv"};

namespace detail {
inline constinit bool counting = false;
void count_on_xylem(Collective collective, std::size_t bytes, std::chrono::steady_clock::duration time);
void count_handed_down(Collective collective, Reason reason);
}  // namespace detail

// Called once, in MPI_Init, if a file is wanted.
inline void start_counting() { detail::counting = true; }

inline void count_handed_down(Collective collective, Reason reason) {
  if (detail::counting) detail::count_handed_down(collective, reason);
}

// Calls `collective_call`, which runs one collective on Xylem over `bytes` bytes of this rank's signature.
template <class Call>
auto counted(Collective collective, std::size_t bytes, Call&& collective_call) {
  if (!detail::counting) return collective_call();
  const auto begin = std::chrono::steady_clock::now();
  const auto result = collective_call();
  detail::count_on_xylem(collective, bytes, std::chrono::steady_clock::now() - begin);
  return result;
}

// Writes the counts of this process, which is rank 0 of MPI_COMM_WORLD, as one JSON object to `file`, which appears complete
// or not at all. `why_off`: why Xylem took no part in this job, or empty. Failures become warnings.
void write_statistics(const std::string& file, int ranks, const std::string& why_off);

}  // namespace xylem::preload
