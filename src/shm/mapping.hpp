// Owners of a file descriptor and of a shared mapping.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace xylem::shm {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_;
};

// A whole file, mapped shared for reading and writing. It is kept out of core dumps, and out of forked children: a child must
// not be able to write what other ranks read. In a child the object is therefore a dead value that owns nothing.
class Mapping {
 public:
  Mapping() = default;
  // Null and errno set when the system refuses: see valid().
  Mapping(int fd, std::size_t bytes);
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping();

  bool valid() const { return data_ != nullptr; }
  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  pid_t owner_ = 0;
};

}  // namespace xylem::shm
