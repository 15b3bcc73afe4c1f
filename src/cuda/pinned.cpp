#include "cuda/pinned.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "cuda/context.hpp"
#include "cuda/driver.hpp"

namespace xylem::cuda {
namespace {

constexpr std::size_t kSmallest = std::size_t{64} << 10;
// A larger piece is made for its call alone.
constexpr std::size_t kLargestKept = std::size_t{64} << 20;
constexpr std::size_t kMostKept = std::size_t{256} << 20;

using Piece = PinnedMemory::Piece;

struct Pool {
  std::mutex mutex;
  std::vector<Piece> unused;
  std::size_t unused_bytes = 0;
};

// Never destroyed: communicators may end in destructors of the program that run after those of this library.
Pool& pool() {
  static Pool& it = *new Pool;
  return it;
}

// Locks memory; returns where it is locked.
Memory pin(const Driver& driver, void* memory, std::size_t bytes, const Memory& near) {
  try {
    const Memory here = kept(driver, near);
    const ContextScope scope(driver, here);
    check(driver, driver.mem_host_register(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
          "cuMemHostRegister");
    return here;
  } catch (const Error& error) {
    if (log::enabled(log::Level::info)) {
      log::info(std::to_string(bytes) +
                " bytes of host memory are not locked, copies of device buffers are slower: " + error.what());
    }
    return near;
  }
}

// The memory is our own mapping and only locked by the driver: it stays valid, if slower, when the program resets its device.
Piece make(std::size_t bytes, const Memory& near) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw system_error("host memory of " + std::to_string(bytes) + " bytes for a copy of a device buffer");
  }
  const Driver* const driver = driver_in_process();
  return {static_cast<std::byte*>(mapped), bytes, driver != nullptr ? pin(*driver, mapped, bytes, near) : near};
}

// What was locked in a context that the program has ended is so no more.
void pin_again(Piece& piece, const Memory& near) {
  const Driver* const driver = driver_in_process();
  if (driver == nullptr || lives(*driver, piece.near)) return;
  piece.near = pin(*driver, piece.data, piece.bytes, near);
}

void release(const Piece& piece) {
  if (const Driver* const driver = driver_in_process(); driver != nullptr) {
    try {
      const ContextScope scope(*driver, piece.near);
      driver->mem_host_unregister(piece.data);  // fails where it was never locked, which is as good
    } catch (const Error&) {
      // The program has ended the context, and with it what was locked.
    }
  }
  munmap(piece.data, piece.bytes);
}

}  // namespace

PinnedMemory::PinnedMemory(std::size_t bytes, const Memory& near) {
  const std::size_t wanted = bytes <= kLargestKept ? std::bit_ceil(std::max(bytes, kSmallest)) : bytes;
  {
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    const auto found =
        std::find_if(all.unused.begin(), all.unused.end(), [&](const Piece& piece) { return piece.bytes == wanted; });
    if (found != all.unused.end()) {
      piece_ = *found;
      *found = all.unused.back();
      all.unused.pop_back();
      all.unused_bytes -= wanted;
    }
  }
  if (piece_.data == nullptr) {
    piece_ = make(wanted, near);
  } else {
    pin_again(piece_, near);
  }
}

PinnedMemory::~PinnedMemory() {
  if (piece_.data == nullptr) return;
  if (piece_.bytes <= kLargestKept) {
    Pool& all = pool();
    const std::lock_guard lock(all.mutex);
    if (all.unused_bytes + piece_.bytes <= kMostKept) {
      all.unused.push_back(piece_);
      all.unused_bytes += piece_.bytes;
      return;
    }
  }
  release(piece_);
}

PinnedMemory::PinnedMemory(PinnedMemory&& other) noexcept : piece_(std::exchange(other.piece_, {})) {}

PinnedMemory& PinnedMemory::operator=(PinnedMemory&& other) noexcept {
  std::swap(piece_, other.piece_);
  return *this;
}

}  // namespace xylem::cuda
