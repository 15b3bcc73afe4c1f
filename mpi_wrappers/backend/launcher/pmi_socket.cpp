#include "backend/launcher/pmi_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace xylem::preload {
namespace {

// As recv(), past signals.
ssize_t receive(int socket, void* into, std::size_t bytes) {
  ssize_t got = 0;
  do got = recv(socket, into, bytes, 0);
  while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string receive_line(int socket) {
  std::string line;
  for (char c = 0; c != '\n'; line += c)
    if (receive(socket, &c, 1) <= 0) return {};
  return line;
}

std::string receive_bytes(int socket, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t have = 0; have < bytes;) {
    const ssize_t got = receive(socket, text.data() + have, bytes - have);
    if (got <= 0) return {};
    have += static_cast<std::size_t>(got);
  }
  return text;
}

bool pass_on(int from, int to) {
  std::array<char, 4096> bytes;
  const ssize_t got = receive(from, bytes.data(), bytes.size());
  return got > 0 && send_all(to, {bytes.data(), static_cast<std::size_t>(got)});
}

}  // namespace xylem::preload
