// What the plan would know of a job that is not there.
#pragma once

#include <cstdint>

#include "plan/shape.hpp"

namespace xylem::tools {

// The shape of a job's first communicator: later ones may have smaller slots. `network` is of no account on one host.
plan::Shape job_shape(std::uint32_t ranks, std::uint32_t hosts, const coll::Link& network);

}  // namespace xylem::tools
