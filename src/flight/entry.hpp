// What a flight recorder tells of one rank in one communicator, and the line of text that it is dumped as:
//
//   xylem: record: comm=1f2e3d4c5b6a7988 ranks=8 rank=7 host=b pid=4711 ended=0 entered=1411 left=1411 left_ago=2.100
//     awaits=-1 waits_for=0.000 calls="1410 barrier|1411 bcast(count 8, double, root 0)"
//
// (in one line). Lines of this kind can stand among others, such as in the output of a job.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace xylem::flight {

struct Entry {
  std::uint64_t communicator = 0;  // names it: equal on all ranks
  std::uint32_t ranks = 0;
  std::uint32_t rank = 0;
  std::string host{};
  std::int32_t pid = 0;
  bool ended = false;                            // its process has
  std::uint64_t entered = 0;                     // the last call that it has begun; 0: none
  std::uint64_t left = 0;                        // the last call that has ended well; 0: none
  double left_ago = 0;                           // seconds
  std::int64_t awaits = -1;                      // the rank that it waits for; -1: it does not wait, or nobody knows
  double waits_for = 0;                          // seconds
  std::map<std::uint64_t, std::string> calls{};  // the last ones, by number

  bool operator==(const Entry&) const = default;
};

std::string print(const Entry& entry);
// Empty: it is another kind of line.
std::optional<Entry> parse(std::string_view line);

}  // namespace xylem::flight
