// A file descriptor that is closed when its owner goes.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <utility>

namespace cuda_emu {

class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

// Anonymous shared memory of so many bytes; throws Error.
File shared_memory(const char* name, std::uint64_t bytes);

}  // namespace cuda_emu
