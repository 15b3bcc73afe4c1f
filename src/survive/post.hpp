// How survivors' letters travel: lines.hpp, or what a test puts in its place.
#pragma once

#include <optional>

#include "survive/letter.hpp"

namespace xylem::survive {

class Post {
 public:
  virtual ~Post() = default;
  // Never waits. What is sent to a rank that has gone is lost; all else arrives, in order, unless one of the two goes.
  virtual void send(std::uint32_t to, const Letter& letter) = 0;
  // The next letter. Waits for one for a while, or until it is noticed that a rank has gone.
  virtual std::optional<Received> receive() = 0;
  // From now on it is noticed when the rank goes.
  virtual void attend(std::uint32_t rank) = 0;
  // The rank's process has ended, cannot be reached, or takes no part any more. Stays true.
  virtual bool gone(std::uint32_t rank) const = 0;
};

}  // namespace xylem::survive
