#include "bench/block_lengths.hpp"

#include <cmath>

namespace xylem::tools {

std::vector<std::size_t> block_lengths(std::size_t mean, std::size_t ranks, double imbalance) {
  std::vector<std::size_t> lengths(ranks, mean);
  const auto last = static_cast<double>(ranks) - 1;
  for (std::size_t rank = 0; rank < ranks && ranks > 1; ++rank) {
    const double from_middle = (2 * static_cast<double>(rank) - last) / last;
    // Rounding is the same on both sides of the middle, so the sum stays.
    const double more = std::round(static_cast<double>(mean) * imbalance * from_middle);
    lengths[rank] = static_cast<std::size_t>(static_cast<double>(mean) + more);
  }
  return lengths;
}

std::vector<std::size_t> block_offsets(const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> offsets;
  std::size_t offset = 0;
  for (const std::size_t length : lengths) {
    offsets.push_back(offset);
    offset += length;
  }
  return offsets;
}

std::vector<std::size_t> exchanged_lengths(const std::vector<std::size_t>& lengths, std::size_t rank) {
  std::vector<std::size_t> exchanged;
  for (std::size_t peer = 0; peer < lengths.size(); ++peer) exchanged.push_back(lengths[(rank + peer) % lengths.size()]);
  return exchanged;
}

}  // namespace xylem::tools
