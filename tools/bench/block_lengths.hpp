// How long the blocks are that ranks exchange.
#pragma once

#include <cstddef>
#include <vector>

namespace xylem::tools {

// Lengths that rise evenly with the rank, from (1 - imbalance) to (1 + imbalance) times `mean`, of which they are the mean.
// An imbalance of 0 makes all equal. REQUIRES: 0 <= imbalance <= 1.
std::vector<std::size_t> block_lengths(std::size_t mean, std::size_t ranks, double imbalance);

// Where each block begins if they lie one behind the other.
std::vector<std::size_t> block_offsets(const std::vector<std::size_t>& lengths);

// The blocks that `rank` exchanges with each rank, the same in both directions, in a call where all exchange with all. Ranks
// exchange as much with themselves and all others together as any other rank does.
std::vector<std::size_t> exchanged_lengths(const std::vector<std::size_t>& lengths, std::size_t rank);

}  // namespace xylem::tools
