// What a line of the benchmark is about.
#pragma once

#include <cstddef>
#include <string>

#include "coll/collective.hpp"

namespace xylem::tools {

struct CallKind {
  coll::Collective collective;
  std::size_t bytes;  // of the whole vector, or of the mean block
  std::string type, op;
  double imbalance;  // of blocks that may differ (block_lengths.hpp)
};

}  // namespace xylem::tools
