#include "core_list.hpp"

#include <fmt/format.h>

namespace xylem::tools {

std::string core_list(const topo::CoreMask& mask) {
  const std::size_t bits = mask.size() * 64;
  const auto has = [&](std::size_t core) { return core < bits && (mask[core / 64] >> (core % 64) & 1) != 0; };
  std::string text;
  for (std::size_t first = 0; first < bits; ++first) {
    if (!has(first)) continue;
    std::size_t last = first;
    while (has(last + 1)) ++last;
    if (!text.empty()) text += ',';
    text += last > first ? fmt::format("{}-{}", first, last) : fmt::format("{}", first);
    first = last;
  }
  return text;
}

}  // namespace xylem::tools
