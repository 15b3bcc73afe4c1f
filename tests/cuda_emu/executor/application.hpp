// The application that the executor works for: its sockets and the memory shared with it.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <vector>

#include "shared/protocol.hpp"

namespace cuda_emu {

struct Application {
  pid_t process = 0;
  Control* control = nullptr;
  std::vector<EventState*> event_tables;  // of this and of other processes; grows only
  std::mutex event_tables_mutex;

  EventState& event(const EventOperation& operation);
};

Application& application();

// Tells the application that its contexts are lost, says why on stderr, and ends the executor. May be called in a handler
// of a signal.
[[noreturn]] void lose_contexts(std::uint32_t result, const char* why);

// What this thread does, for the message if it touches an illegal address. `what` must live as long.
void now_doing(const char* what);
void catch_illegal_addresses();

}  // namespace cuda_emu
