#include "backend/statistics.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstring>

#include "backend/write_file.hpp"
#include "base/log.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {
namespace {

struct Counts {
  std::atomic<std::uint64_t> on_xylem;
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint64_t> nanoseconds;
  std::array<std::atomic<std::uint64_t>, kReasonNames.size()> handed_down;
};

constinit std::array<Counts, kCollectiveNames.size()> counts{};

Counts& counts_of(Collective collective) { return counts[static_cast<std::size_t>(collective)]; }

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

std::string counts_as_json(const Counts& c) {
  std::uint64_t handed_down = 0;
  std::string reasons;
  for (std::size_t r = 0; r < kReasonNames.size(); ++r) {
    const std::uint64_t n = c.handed_down[r];
    if (n == 0) continue;
    handed_down += n;
    reasons += (reasons.empty() ? "" : ", ") + quoted(kReasonNames[r]) + ": " + std::to_string(n);
  }
  std::array<char, 64> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.9f", static_cast<double>(c.nanoseconds) * 1e-9);
  return "{\"calls\": " + std::to_string(c.on_xylem + handed_down) + ", \"on_xylem\": " + std::to_string(c.on_xylem) +
         ", \"handed_down\": {" + reasons + "}, \"bytes\": " + std::to_string(c.bytes) + ", \"seconds\": " + seconds.data() +
         "}";
}

std::string collectives_as_json() {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i)
    text += (i == 0 ? "\n    " : ",\n    ") + quoted(kCollectiveNames[i]) + ": " + counts_as_json(counts[i]);
  return "{" + text + "\n  }";
}

std::string core_as_json() {
  std::size_t length = 0;
  xylem_statistics(nullptr, 0, &length);
  std::string text(length + 1, '\0');
  if (xylem_statistics(text.data(), text.size(), &length) != XYLEM_SUCCESS) return "null";
  text.resize(std::min(length, text.size() - 1));
  return text;
}

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return {text.data(), std::strcspn(text.data(), "\n")};
}

}  // namespace

void detail::count_on_xylem(Collective collective, std::size_t bytes, std::chrono::steady_clock::duration time) {
  Counts& c = counts_of(collective);
  c.on_xylem.fetch_add(1, std::memory_order_relaxed);
  c.bytes.fetch_add(bytes, std::memory_order_relaxed);
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  c.nanoseconds.fetch_add(static_cast<std::uint64_t>(ns), std::memory_order_relaxed);
}

void detail::count_handed_down(Collective collective, Reason reason) {
  counts_of(collective).handed_down[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
}

void write_statistics(const std::string& file, int ranks, const std::string& why_off) {
  const std::string text = "{\n  \"version\": " + quoted(xylem_version()) + ",\n  \"mpi\": " + quoted(mpi_library()) +
                           ",\n  \"ranks\": " + std::to_string(ranks) + ",\n  \"counted_on_rank\": 0" +
                           ",\n  \"active\": " + (why_off.empty() ? "true" : "false, \"why_off\": " + quoted(why_off)) +
                           ",\n  \"collectives\": " + collectives_as_json() + ",\n  \"core\": " + core_as_json() + "\n}\n";
  const std::string failure = write_file(file, text);
  if (!failure.empty()) log::warn("XYLEM_STATS: " + failure);
}

}  // namespace xylem::preload
