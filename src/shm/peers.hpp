// The arenas of the other processes of this host, each mapped once per process however many communicators use it, and
// unmapped with the last of them.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "shm/arena.hpp"
#include "shm/mapping.hpp"

namespace xylem::shm {

// Thread-safe.
class PeerArenas {
 public:
  static PeerArenas& of_process();

  // The first byte of the arena, valid as long as the pointer is held. The process's own arena is given as it is. Any other
  // is opened through /proc/PID/fd, which the kernel allows to processes of the same user, and is attached to only if it is
  // what `id` says. No descriptor stays open. Throws Error.
  std::shared_ptr<std::byte> open(const ArenaId& id);

 private:
  using Key = std::pair<std::int32_t, std::uint64_t>;  // pid, nonce

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<Mapping>> mapped_;
};

}  // namespace xylem::shm
