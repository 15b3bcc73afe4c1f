// The executor: a process beside each application that uses the emulated GPU. It does what the card would: it runs the
// operations of streams, on memory that the application itself cannot touch. libcuda.so.1 starts it, and it ends with the
// application, however that ends.
#include <cuda.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "executor/application.hpp"
#include "executor/devices.hpp"
#include "executor/kernels.hpp"
#include "executor/memory.hpp"
#include "executor/streams.hpp"

namespace cuda_emu {
namespace {

// Pinned memory must have the same address here as in the application, so this process keeps away from where programs
// have theirs: libraries go to the lower part of the address space. Where that is not allowed, a clash is merely unlikely.
void move_out_of_the_way(char** arguments) {
  const int now = personality(0xffffffffU);
  if (now < 0 || (static_cast<unsigned>(now) & ADDR_COMPAT_LAYOUT) != 0) return;
  if (personality(static_cast<unsigned>(now) | ADDR_COMPAT_LAYOUT) < 0) return;
  execv("/proc/self/exe", arguments);
}

// Nothing of the application's stays open here: pipes would not end when it does.
void close_what_is_not_ours() { syscall(SYS_close_range, kApplicationProcess + 1, ~0U, 0); }

template <class T>
T* map_shared(int file, std::size_t count) {
  void* const memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    lose_contexts(CUDA_ERROR_OUT_OF_MEMORY, "the executor cannot map what it shares with the application");
  return static_cast<T*>(memory);
}

Answer hello(Received& received) {
  if (received.files.size() != 3) return {CUDA_ERROR_INVALID_VALUE, 0, 0};
  const Hello& message = received.message.hello;
  application().control = map_shared<Control>(received.files[0], 1);
  application().event_tables.push_back(map_shared<EventState>(received.files[1], kMaxEvents));
  set_disorder({message.random_seed, message.delay_microseconds});
  const std::uint32_t result = reserve_memory(message, received.files[2]);
  received.files.pop_back();  // the arena stays open
  return {result, 0, 0};
}

Answer map_events(const Received& received) {
  if (received.files.size() != 1) return {CUDA_ERROR_INVALID_VALUE, 0, 0};
  EventState* const table = map_shared<EventState>(received.files[0], kMaxEvents);
  const std::scoped_lock lock(application().event_tables_mutex);
  application().event_tables.push_back(table);
  return {CUDA_SUCCESS, static_cast<std::uint32_t>(application().event_tables.size() - 1), 0};
}

Answer look_up_kernel(const Received& received) {
  const auto* const name = reinterpret_cast<const char*>(received.payload.data());
  const int number = find_kernel(std::string(name, received.payload.size()));
  if (number < 0) return {CUDA_ERROR_NOT_FOUND, 0, 0};
  return {CUDA_SUCCESS, static_cast<std::uint32_t>(number), kernel(static_cast<std::uint32_t>(number)).parameter_bytes};
}

// False: the application has gone.
bool handle(Received&& received) {
  const Message& message = received.message;
  const auto answer = [](const Answer& value) { return send_answer(kCommandSocket, value); };
  bool alive = true;
  switch (message.kind) {
    case Kind::kHello:
      alive = answer(hello(received));
      break;
    case Kind::kMap:
      alive = answer({map_memory(message.mapping, received.files.empty() ? -1 : received.files[0]), 0, 0});
      break;
    case Kind::kUnmap:
      alive = answer({unmap_memory(message.mapping), 0, 0});
      break;
    case Kind::kMapEvents:
      alive = answer(map_events(received));
      break;
    case Kind::kFindKernel:
      alive = answer(look_up_kernel(received));
      break;
    case Kind::kExplainDevice:
      explain_device(message.device);
      alive = answer({CUDA_SUCCESS, 0, 0});
      break;
    case Kind::kHostFunctionDone:
      host_function_done(message.host_function);
      break;
    default:
      enqueue(std::move(received));
      return true;
  }
  for (const int file : received.files) close(file);
  return alive;
}

void serve() {
  Received received;
  for (;;) {
    std::array<pollfd, 2> waiting{pollfd{kCommandSocket, POLLIN, 0}, pollfd{kApplicationProcess, POLLIN, 0}};
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting[1].revents != 0) return;  // it has ended; a child of its may still hold the socket
    if (!receive_message(kCommandSocket, received) || !handle(std::move(received))) return;
  }
}

}  // namespace
}  // namespace cuda_emu

int main(int /*count*/, char** arguments) {
  using namespace cuda_emu;
  close_what_is_not_ours();
  move_out_of_the_way(arguments);
  prctl(PR_SET_NAME, "cuda_emu_exec");
  application().process = getppid();
  catch_illegal_addresses();
  if (const char* const kernels = std::getenv("CUDA_EMU_KERNELS")) open_kernel_libraries(kernels);
  serve();
  _exit(0);  // whatever its kernels do
}
