#include "driver/address_space.hpp"

namespace cuda_emu {

AddressSpace::AddressSpace(std::uint64_t begin, std::uint64_t bytes)
    : begin_(begin), bytes_(bytes), gaps_{{begin, begin + bytes}} {}

std::optional<std::uint64_t> AddressSpace::take(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t wanted = round_up(bytes, kPage) + kPage;
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    const std::uint64_t address = round_up(gap->first, alignment);
    if (address + wanted > gap->second) continue;
    remove(gap, address, wanted);
    return address;
  }
  return std::nullopt;
}

bool AddressSpace::take_at(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t wanted = round_up(bytes, kPage) + kPage;
  auto gap = gaps_.upper_bound(address);
  if (gap == gaps_.begin()) return false;
  --gap;
  if (address + wanted > gap->second) return false;
  remove(gap, address, wanted);
  return true;
}

void AddressSpace::remove(std::map<std::uint64_t, std::uint64_t>::iterator gap, std::uint64_t address, std::uint64_t bytes) {
  const auto [begin, end] = *gap;
  gaps_.erase(gap);
  if (begin < address) gaps_.emplace(begin, address);
  if (address + bytes < end) gaps_.emplace(address + bytes, end);
}

void AddressSpace::give_back(std::uint64_t address, std::uint64_t bytes) {
  std::uint64_t begin = address;
  std::uint64_t end = address + round_up(bytes, kPage) + kPage;
  auto next = gaps_.upper_bound(begin);
  if (next != gaps_.end() && next->first == end) {
    end = next->second;
    next = gaps_.erase(next);
  }
  if (next != gaps_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second == begin) {
      begin = previous->first;
      gaps_.erase(previous);
    }
  }
  gaps_[begin] = end;
}

}  // namespace cuda_emu
