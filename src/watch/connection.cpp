#include "watch/connection.hpp"

#include <sys/socket.h>

#include <bit>
#include <cerrno>

namespace xylem::watch {

bool Connection::send(const Message& message) const {
  return ::send(descriptor(), &message, sizeof message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof message);
}

Connection::Heard Connection::receive() {
  while (have_ < bytes_.size()) {
    const ssize_t got = recv(descriptor(), bytes_.data() + have_, bytes_.size() - have_, 0);
    if (got > 0) {
      have_ += static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else if (got < 0 && errno == EAGAIN) {
      return {std::nullopt, State::open};
    } else {
      // An end or a reset comes from the other host's kernel; anything else means that nothing comes from there.
      return {std::nullopt, got == 0 || errno == ECONNRESET || errno == EPIPE ? State::ended : State::lost};
    }
  }
  have_ = 0;
  return {std::bit_cast<Message>(bytes_), State::open};
}

}  // namespace xylem::watch
