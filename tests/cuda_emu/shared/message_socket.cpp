#include "shared/message_socket.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace cuda_emu {
namespace {

constexpr std::size_t kMaxFiles = 4;

ssize_t again(auto call) {
  ssize_t done = call();
  while (done < 0 && errno == EINTR) done = call();
  return done;
}

}  // namespace

bool send_message(int socket, const Message& message, std::span<const std::byte> payload, std::span<const int> files) {
  std::array<iovec, 2> parts{iovec{const_cast<Message*>(&message), sizeof message},
                             iovec{const_cast<std::byte*>(payload.data()), payload.size()}};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = payload.empty() ? 1 : 2;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFiles * sizeof(int))> control{};
  if (!files.empty()) {
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(files.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(files.size_bytes());
    std::memcpy(CMSG_DATA(part), files.data(), files.size_bytes());
  }
  return again([&] { return sendmsg(socket, &header, MSG_NOSIGNAL); }) >= 0;
}

bool receive_message(int socket, Received& received) {
  std::array<std::byte, kMaxParameterBytes> payload;
  std::array<iovec, 2> parts{iovec{&received.message, sizeof received.message}, iovec{payload.data(), payload.size()}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFiles * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = parts.data();
  header.msg_iovlen = parts.size();
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t bytes = again([&] { return recvmsg(socket, &header, MSG_CMSG_CLOEXEC); });
  if (bytes < static_cast<ssize_t>(sizeof received.message)) return false;
  received.payload.assign(payload.begin(), payload.begin() + (bytes - static_cast<ssize_t>(sizeof received.message)));
  received.files.clear();
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    received.files.resize((part->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(received.files.data(), CMSG_DATA(part), received.files.size() * sizeof(int));
  }
  return true;
}

bool send_answer(int socket, const Answer& answer) {
  return again([&] { return send(socket, &answer, sizeof answer, MSG_NOSIGNAL); }) == static_cast<ssize_t>(sizeof answer);
}

bool receive_answer(int socket, Answer& answer) {
  return again([&] { return recv(socket, &answer, sizeof answer, 0); }) == static_cast<ssize_t>(sizeof answer);
}

}  // namespace cuda_emu
