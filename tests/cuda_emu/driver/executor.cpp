#include "driver/executor.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "driver/error.hpp"
#include "shared/futex.hpp"
#include "shared/message_socket.hpp"

namespace cuda_emu {
namespace {

constexpr std::uint64_t kArenaBytes = std::uint64_t{1} << 46;  // only what is touched takes memory
constexpr int kAboveInherited = 16;                            // descriptors that dup2 to the inherited ones does not hit

template <class T>
T* map_shared(const File& file, std::size_t count) {
  void* const memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  require(memory != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  return static_cast<T*>(memory);
}

struct SocketPair {
  File here, there;
};

SocketPair socket_pair() {
  std::array<int, 2> ends{};
  require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0, CUDA_ERROR_OPERATING_SYSTEM);
  return {File(ends[0]), File(ends[1])};
}

File moved_up(const File& file) { return File(fcntl(file.get(), F_DUPFD_CLOEXEC, kAboveInherited)); }

// The application's environment but for what is preloaded into it.
std::vector<char*> environment_of_executor() {
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!std::string_view(*variable).starts_with("LD_PRELOAD=")) environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  return environment;
}

// In a process group of its own: signals to the application's group are not meant for it.
pid_t start(const std::string& program, const File& commands, const File& host_functions) {
  const File self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  require(static_cast<bool>(self), CUDA_ERROR_OPERATING_SYSTEM);
  const File high_commands = moved_up(commands);
  const File high_host_functions = moved_up(host_functions);
  const File high_self = moved_up(self);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, high_commands.get(), kCommandSocket);
  posix_spawn_file_actions_adddup2(&files, high_host_functions.get(), kHostFunctionSocket);
  posix_spawn_file_actions_adddup2(&files, high_self.get(), kApplicationProcess);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::array<char*, 2> arguments{const_cast<char*>(program.c_str()), nullptr};
  pid_t process = 0;
  const int error =
      posix_spawn(&process, program.c_str(), &files, &attributes, arguments.data(), environment_of_executor().data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    std::fprintf(stderr, "cuda_emu: cannot start %s: %s\n", program.c_str(), std::strerror(error));
    throw Error{CUDA_ERROR_SYSTEM_NOT_READY};
  }
  // Where Yama restricts it, a child may not read its parent's memory unless the parent says so.
  prctl(PR_SET_PTRACER, static_cast<unsigned long>(process), 0, 0, 0);
  return process;
}

}  // namespace

Executor::Executor(const Settings& settings)
    : control_file_(shared_memory("cuda_emu_control", sizeof(Control))),
      events_file_(shared_memory("cuda_emu_events", kMaxEvents * sizeof(EventState))),
      arena_file_(shared_memory("cuda_emu_arena", kArenaBytes)),
      control_(map_shared<Control>(control_file_, 1)),
      events_(map_shared<EventState>(events_file_, kMaxEvents)) {
  auto [commands, commands_there] = socket_pair();
  auto [host_functions, host_functions_there] = socket_pair();
  commands_ = std::move(commands);
  host_functions_ = std::move(host_functions);
  process_ = start(settings.executor, commands_there, host_functions_there);
  commands_there = File();
  Message message{};
  message.kind = Kind::kHello;
  message.hello = {kRegion, kRegionBytes, settings.seed + static_cast<std::uint32_t>(getpid()), settings.delay_microseconds};
  const std::array<int, 3> files{control_file_.get(), events_file_.get(), arena_file_.get()};
  request(message, {}, files);
}

void Executor::stop() {
  if (control_->error.load() == CUDA_SUCCESS) control_->error.store(CUDA_ERROR_DEINITIALIZED);
  // A process that was reaped by the application's own wait() is no longer ours to kill.
  if (!ended() || errno != ECHILD) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

std::uint32_t Executor::submit(Message& message, std::span<const std::byte> payload) {
  check();
  const std::scoped_lock lock(sending_);
  message.number = ++submitted_[message.stream];
  if (!send_message(commands_.get(), message, payload)) declare_lost();
  return message.number;
}

void Executor::send(const Message& message) {
  const std::scoped_lock lock(sending_);
  if (!send_message(commands_.get(), message)) declare_lost();
}

Answer Executor::request(const Message& message, std::span<const std::byte> payload, std::span<const int> files) {
  check();
  Answer answer{};
  bool alive = false;
  {
    const std::scoped_lock lock(sending_);
    alive = send_message(commands_.get(), message, payload, files);
  }
  if (!alive || !receive_answer(commands_.get(), answer)) {
    declare_lost();
    check();
  }
  if (answer.result != CUDA_SUCCESS) throw Error{static_cast<CUresult>(answer.result)};
  return answer;
}

bool Executor::completed(std::uint32_t slot, std::uint32_t number) const {
  return reached(control_->streams[slot].completed.load(), number);
}

void Executor::wait_for_stream(std::uint32_t slot, std::uint32_t number) {
  StreamProgress& stream = control_->streams[slot];
  (void)wait(
      stream.completed, stream.waiters, [&](std::uint32_t now) { return reached(now, number); }, [&] { return lost(); });
  check();
}

void Executor::wait_for_event(EventState& event, std::uint32_t number) {
  (void)wait(
      event.completed, event.waiters, [&](std::uint32_t now) { return reached(now, number); }, [&] { return lost(); });
  check();
}

bool Executor::ended() const {
  siginfo_t info{};
  errno = 0;
  return waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == process_;
}

void Executor::declare_lost() {
  if (control_->error.load() != CUDA_SUCCESS) return;
  std::fprintf(stderr, "cuda_emu: process %d: its executor has ended\n", getpid());
  control_->error.store(CUDA_ERROR_LAUNCH_FAILED);
}

// An executor that ends without a word (it was killed) is noticed here.
bool Executor::lost() {
  if (control_->error.load() == CUDA_SUCCESS && ended()) declare_lost();
  return control_->error.load() != CUDA_SUCCESS;
}

void Executor::check() {
  const std::uint32_t error = control_->error.load();
  if (error != CUDA_SUCCESS) throw Error{static_cast<CUresult>(error)};
}

}  // namespace cuda_emu
