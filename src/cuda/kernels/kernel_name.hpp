// What a kernel is called, in the modules too.
#pragma once

#include <string>

#include "coll/collective.hpp"

namespace xylem::cuda {

// "xylem_allreduce_ring"
inline std::string kernel_name(coll::Collective collective, const char* algorithm) {
  return std::string("xylem_").append(coll::collective_name(collective)).append("_").append(algorithm);
}

}  // namespace xylem::cuda
