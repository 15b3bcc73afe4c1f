#include "executor/devices.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>

namespace cuda_emu {
namespace {

constexpr std::uint32_t kMaxDevices = 64;

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  Device device{};
  std::uint32_t used = 0;  // blocks
  std::uint32_t kernels = 0;
  std::uint64_t next_ticket = 0;
  std::uint64_t serving = 0;
};

State& state(std::uint32_t device) {
  static std::array<State, kMaxDevices> states;
  return states.at(device);
}

// Devices are bytes of one file beside the executor, and locks on them go with the process that holds them.
int lock_file() {
  static const int file = [] {
    std::array<char, 4096> program{};
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size() - 1);
    const std::string path = std::string(program.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))) + ".locks";
    const int opened = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
      std::fprintf(stderr, "cuda_emu: cannot open %s: kernels of several processes may share a device\n", path.c_str());
    return opened;
  }();
  return file;
}

void set_lock(const Device& device, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(device.lock);
  lock.l_len = 1;
  if (lock_file() < 0) return;
  while (fcntl(lock_file(), F_OFD_SETLKW, &lock) != 0 && errno == EINTR) {
  }
}

}  // namespace

void explain_device(const Device& device) { state(device.device).device = device; }

Room::Room(const Launch& launch) : device_(launch.device), blocks_(0) {
  State& room = state(device_);
  std::unique_lock lock(room.mutex);
  const std::uint32_t all = room.device.resident_blocks;
  const std::uint32_t wanted = launch.cooperative ? launch.blocks : 1;
  const std::uint64_t ticket = room.next_ticket++;
  room.changed.wait(lock, [&] { return room.serving == ticket && room.used + wanted <= all; });
  // Nobody else of this process has room when the lock is taken, so nobody is kept from giving room back meanwhile.
  if (room.kernels++ == 0) set_lock(room.device, F_WRLCK);
  blocks_ = std::min(launch.blocks, all - room.used);
  room.used += blocks_;
  ++room.serving;
  room.changed.notify_all();
}

Room::~Room() {
  State& room = state(device_);
  const std::scoped_lock lock(room.mutex);
  room.used -= blocks_;
  if (--room.kernels == 0) set_lock(room.device, F_UNLCK);
  room.changed.notify_all();
}

}  // namespace cuda_emu
