#include "executor/application.hpp"

#include <cuda.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "shared/futex.hpp"

namespace cuda_emu {
namespace {

thread_local const char* current_work = "nothing";

void illegal_address(int signal, siginfo_t* info, void* /*registers*/) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), "%s: %s at %p", current_work,
                signal == SIGSEGV || signal == SIGBUS ? "illegal address" : strsignal(signal), info->si_addr);
  lose_contexts(signal == SIGILL ? CUDA_ERROR_ILLEGAL_INSTRUCTION : CUDA_ERROR_ILLEGAL_ADDRESS, text.data());
}

}  // namespace

EventState& Application::event(const EventOperation& operation) {
  const std::scoped_lock lock(event_tables_mutex);
  return event_tables.at(operation.table)[operation.slot];
}

Application& application() {
  static Application the_application;
  return the_application;
}

void lose_contexts(std::uint32_t result, const char* why) {
  std::array<char, 320> text;
  const int length = std::snprintf(text.data(), text.size(), "cuda_emu: process %d: %s\n", application().process, why);
  if (write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length)) < 0) {
    // Nobody is left to tell.
  }
  if (Control* control = application().control; control != nullptr) {
    control->error.store(result);
    for (StreamProgress& stream : control->streams) wake(stream.completed, stream.waiters);
  }
  _exit(1);
}

void now_doing(const char* what) { current_work = what; }

void catch_illegal_addresses() {
  struct sigaction action {};
  action.sa_sigaction = illegal_address;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}

}  // namespace cuda_emu
