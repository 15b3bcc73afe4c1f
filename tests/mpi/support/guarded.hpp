// A buffer between two guard zones: a byte written before or behind it is noticed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace xylem::test {

class Guarded {
 public:
  // `shift` bytes move the buffer off its natural alignment to a cache line.
  Guarded(std::size_t bytes, std::size_t shift)
      : bytes_(bytes), shift_(shift), memory_(guard_ + shift + bytes + guard_, mark_) {}

  void* data() { return memory_.data() + guard_ + shift_; }
  const void* data() const { return memory_.data() + guard_ + shift_; }

  bool intact() const {
    const auto marked = [](unsigned char byte) { return byte == mark_; };
    return std::all_of(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(guard_ + shift_), marked) &&
           std::all_of(memory_.begin() + static_cast<std::ptrdiff_t>(guard_ + shift_ + bytes_), memory_.end(), marked);
  }

 private:
  static constexpr std::size_t guard_ = 128;
  static constexpr unsigned char mark_ = 0xa5;
  std::size_t bytes_;
  std::size_t shift_;
  std::vector<unsigned char> memory_;
};

}  // namespace xylem::test
