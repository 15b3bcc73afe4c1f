// One worker for each stream that has been used: it runs the stream's operations in order.
#pragma once

#include "shared/message_socket.hpp"

namespace cuda_emu {

struct Disorder {
  std::uint32_t seed = 0;
  std::uint32_t microseconds = 0;  // each operation waits a random time up to this
};

void set_disorder(const Disorder& disorder);

// Appends an operation to the queue of its stream. Called by one thread.
void enqueue(Received&& operation);

// The application has run the host function that the stream in this slot waits for.
void host_function_done(const HostFunction& function);

}  // namespace cuda_emu
