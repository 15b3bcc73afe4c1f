// What survivors write to each other (agreement.hpp), and its bytes on a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace xylem::survive {

using Bytes = std::vector<std::byte>;
// What each rank contributed. Who is missing has ended.
using Contributions = std::map<std::uint32_t, Bytes>;

struct Accepted {
  std::uint32_t leader;
  Contributions proposal;
};

struct Letter {
  enum class Kind : std::uint32_t {
    state,    // to the leader: where the sender stands
    propose,  // from the leader
    accept,   // to the leader
    commit,   // from the leader
  };

  Kind kind;
  std::uint64_t round;
  Bytes own{};                              // state: the sender's contribution
  std::optional<Accepted> accepted{};       // state: the proposal that it has accepted, if any. propose: what is proposed
  std::optional<Contributions> decision{};  // commit: the outcome. state, after a leader's end: that of the round before
};

// With its length in front.
Bytes pack(std::uint32_t from, const Letter& letter);

struct Received {
  std::uint32_t from;
  Letter letter;
};

// What an incoming stream of bytes has become. Throws Error where it makes no sense.
class Unpacker {
 public:
  void add(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  // The next letter that has come as a whole.
  std::optional<Received> next();

 private:
  Bytes bytes_;
};

}  // namespace xylem::survive
