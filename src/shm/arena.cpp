#include "shm/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "shm/per_process.hpp"

namespace xylem::shm {
namespace {

// Below this an arena is of no use.
constexpr std::size_t kMinArenaBytes = std::size_t{1} << 20;

constexpr std::size_t kShareOfAddressSpace = 512;

// A block up to this size is cleared by writing zeros, which keeps its pages; a larger one gives its pages back.
constexpr std::size_t kKeepPagesBytes = std::size_t{32} << 10;

// Programs expect the low numbers to be free, and some close or overwrite them blindly.
constexpr int kFirstDescriptor = 100;

Descriptor make_file() {
  // Since Linux 6.3: never executable. Hosts may demand it (vm.memfd_noexec); older kernels do not know it.
  constexpr unsigned kNoExecSeal = 0x0008U;
  Descriptor file(memfd_create("xylem", MFD_CLOEXEC | MFD_ALLOW_SEALING | kNoExecSeal));
  if (!file.valid() && errno == EINVAL) file = Descriptor(memfd_create("xylem", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid()) throw system_error("cannot create shared memory (memfd_create)");
  if (fchmod(file.get(), S_IRUSR | S_IWUSR) != 0) throw system_error("cannot make shared memory private (fchmod)");
  const int high = fcntl(file.get(), F_DUPFD_CLOEXEC, kFirstDescriptor);
  return high < 0 ? std::move(file) : Descriptor(high);
}

std::size_t within_limits(std::size_t bytes) {
  rlimit limit{};
  // A file beyond this would raise SIGXFSZ.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::size_t>(bytes, limit.rlim_cur);
  }
  // The peers have the same limit and arenas of this size, and all have to fit beside the program.
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min<std::size_t>(bytes, limit.rlim_cur / kShareOfAddressSpace);
  }
  return bytes / kPage * kPage;
}

Mapping map_what_fits(int file, std::size_t bytes) {
  for (; bytes >= kMinArenaBytes; bytes = bytes / 2 / kPage * kPage) {
    Mapping mapping(file, bytes);
    if (mapping.valid()) return mapping;
  }
  throw Error(XYLEM_ERROR_OUT_OF_MEMORY,
              "no room for shared memory within the limits of the process: raise them (ulimit -v, ulimit -f)");
}

std::uint64_t random_nonce() {
  std::uint64_t nonce = 0;
  if (getrandom(&nonce, sizeof nonce, 0) != static_cast<ssize_t>(sizeof nonce)) throw system_error("getrandom");
  return nonce;
}

}  // namespace

Arena& Arena::of_process() { return per_process<Arena>(); }

Arena::Arena(std::size_t bytes) : file_(make_file()), mapping_(map_what_fits(file_.get(), within_limits(bytes))) {
  if (ftruncate(file_.get(), static_cast<off_t>(mapping_.bytes())) != 0) throw system_error("cannot size shared memory");
  // Its size is final: no process can make another's access past the end fail.
  if (fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw system_error("cannot seal shared memory");
  }
  id_ = {random_nonce(), mapping_.bytes(), getpid(), file_.get()};
  const ArenaHead head{id_.nonce, id_.bytes, id_.pid, kLayoutVersion};
  std::memcpy(mapping_.data(), &head, sizeof head);
  blocks_.emplace(kPage, mapping_.bytes());
}

std::optional<Block> Arena::allocate(std::size_t bytes) {
  reclaim();
  const std::size_t rounded = round_up(bytes, kPage);
  const std::lock_guard lock(mutex_);
  const auto offset = blocks_->allocate(rounded);
  if (!offset) return std::nullopt;
  return Block{*offset, rounded};
}

void Arena::free(const Block& block) {
  clear(block);
  const std::lock_guard lock(mutex_);
  blocks_->free(block.offset, block.bytes);
}

void Arena::retire(const Block& block, std::uint32_t& closed, std::uint32_t readers) {
  {
    const std::lock_guard lock(mutex_);
    retired_.push_back({block, &closed, readers});
  }
  reclaim();
}

std::size_t Arena::free_bytes() const {
  const std::lock_guard lock(mutex_);
  return blocks_->free_bytes();
}

void Arena::reclaim() {
  std::vector<Retired> finished;
  {
    const std::lock_guard lock(mutex_);
    // The acquire load has the readers' increments (release) as partners: their last accesses come before our clearing.
    const auto first_finished = std::partition(retired_.begin(), retired_.end(), [](const Retired& entry) {
      return std::atomic_ref(*entry.closed).load(std::memory_order_acquire) < entry.readers;
    });
    finished.assign(first_finished, retired_.end());
    retired_.erase(first_finished, retired_.end());
  }
  for (const Retired& entry : finished) free(entry.block);
}

void Arena::clear(const Block& block) const {
  std::byte* const begin = mapping_.data() + block.offset;
  // Through the mapping and not through the descriptor, whose number the program may have closed and used again.
  if (block.bytes > kKeepPagesBytes && madvise(begin, block.bytes, MADV_REMOVE) == 0) return;
  std::memset(begin, 0, block.bytes);
}

}  // namespace xylem::shm
