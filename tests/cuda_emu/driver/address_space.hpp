// Which addresses of the reserved region are taken.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace cuda_emu {

inline constexpr std::uint64_t kPage = 4096;

inline std::uint64_t round_up(std::uint64_t bytes, std::uint64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

class AddressSpace {
 public:
  AddressSpace() = default;
  AddressSpace(std::uint64_t begin, std::uint64_t bytes);

  // The lowest fit, so that what was just freed is given out again. A page stays unused behind each range, so that
  // running over its end is caught.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment = kPage);
  bool take_at(std::uint64_t address, std::uint64_t bytes);
  void give_back(std::uint64_t address, std::uint64_t bytes);

  bool contains(std::uint64_t address) const { return address - begin_ < bytes_; }

 private:
  void remove(std::map<std::uint64_t, std::uint64_t>::iterator gap, std::uint64_t address, std::uint64_t bytes);

  std::uint64_t begin_ = 0;
  std::uint64_t bytes_ = 0;
  std::map<std::uint64_t, std::uint64_t> gaps_;  // begin -> end
};

}  // namespace cuda_emu
