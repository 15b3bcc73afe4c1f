// Who is where, from what flight recorders told.
#pragma once

#include <span>
#include <string>

#include "flight/entry.hpp"

namespace xylem::flight {

// One paragraph for each communicator: how far its ranks are, and then a line for each rank that others wait for, such as
//   rank 7 on b has not entered allreduce(count 1, double, sum) #1412; last left bcast(count 8, double, root 0) #1411 2.1 s
//   ago
// Of several entries of one rank that which knows most counts. Empty where there are no entries.
std::string diagnose(std::span<const Entry> entries);

}  // namespace xylem::flight
