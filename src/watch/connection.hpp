// A TCP connection between two processes that watch each other. Its end without a goodbye is the end of the other process.
//
// Who connects does so to every address at once that the other has announced. Several may lead there, and some to quite
// another process (bridges of containers have the same address on every host). So each side shows that it knows the other's
// secret, and only the connection that was chosen counts:
//
//   connects   hello (listener's secret, own)   ->
//              <-  welcome (connecting's secret, own)          listens
//              chosen                           ->             once; the other connections are closed
//
// Who wants to speak to one rank (door.hpp) says `line` with the key of its door in place of hello, and is answered with
// welcome or goodbye. After a welcome the connection belongs to that rank.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "watch/descriptor.hpp"

namespace xylem::watch {

struct Message {
  enum class Kind : std::uint64_t { hello = 0x78796c656d2d3031, welcome, chosen, goodbye, line };  // "xylem-01"

  Kind kind;
  std::uint64_t to;    // secret of the process it is meant for
  std::uint64_t from;  // of the sender; of a line: the key of the door, also in the answer's `to`
};

class Connection {
 public:
  explicit Connection(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  int descriptor() const { return descriptor_.number(); }

  // False: the connection is of no use. Messages are so small that the kernel takes them or has lost the other end.
  bool send(const Message& message) const;

  enum class State { open, ended, lost };
  struct Heard {
    std::optional<Message> message;  // one that has come as a whole
    State state;                     // without a message: whether more may come. Lost: the network does not reach the other
  };
  Heard receive();

 private:
  Descriptor descriptor_;
  std::array<char, sizeof(Message)> bytes_{};
  std::size_t have_ = 0;
};

}  // namespace xylem::watch
