#include "shm/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

namespace xylem::shm {

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Mapping::Mapping(int fd, std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (data == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(data);
  bytes_ = bytes;
  owner_ = getpid();
  // Both are advice to the kernel that any Linux takes for such a mapping.
  madvise(data, bytes, MADV_DONTDUMP);
  madvise(data, bytes, MADV_DONTFORK);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)), owner_(other.owner_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(owner_, other.owner_);
  return *this;
}

Mapping::~Mapping() {
  // In a forked child the addresses are not ours: something else may be mapped there by now.
  if (data_ != nullptr && owner_ == getpid()) munmap(data_, bytes_);
}

}  // namespace xylem::shm
