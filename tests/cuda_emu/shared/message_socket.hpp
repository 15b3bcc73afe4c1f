// Messages with a payload and, at times, file descriptors, over a socket that keeps them whole and in order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shared/protocol.hpp"

namespace cuda_emu {

struct Received {
  Message message{};
  std::vector<std::byte> payload;
  std::vector<int> files;  // the receiver's to close
};

// False: the other end has gone.
[[nodiscard]] bool send_message(int socket, const Message& message, std::span<const std::byte> payload = {},
                                std::span<const int> files = {});
[[nodiscard]] bool receive_message(int socket, Received& received);

[[nodiscard]] bool send_answer(int socket, const Answer& answer);
[[nodiscard]] bool receive_answer(int socket, Answer& answer);

}  // namespace cuda_emu
