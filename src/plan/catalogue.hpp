// The algorithms of coll/algorithms.hpp as data: what the plan chooses from and the tools print.
#pragma once

#include <span>

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"

namespace xylem::plan {

struct Algorithm {
  coll::Collective collective;
  const char* name;
  coll::Traits traits;
  double (*cost)(const coll::Workload& work);            // seconds
  std::size_t (*scratch_bytes)(const coll::Args& args);  // see coll/algorithms.hpp
};

// In the order of the list; an algorithm's index here is its number everywhere.
std::span<const Algorithm> catalogue();

}  // namespace xylem::plan
