#include "comm/device_groups.hpp"

#include <map>

namespace xylem {

DeviceGroups::DeviceGroups(std::uint32_t rank, std::span<const cuda::DeviceUuid> devices) : rank_(rank) {
  std::map<cuda::DeviceUuid, std::uint32_t> numbers;
  for (std::uint32_t r = 0; r < devices.size(); ++r) {
    const auto [entry, is_new] = numbers.try_emplace(devices[r], count());
    if (is_new) leaders_.push_back(r);
    group_of_.push_back(entry->second);
  }
  for (std::uint32_t r = 0; r < devices.size(); ++r) {
    if (group_of_[r] == own()) residents_.push_back(r);
  }
}

}  // namespace xylem
