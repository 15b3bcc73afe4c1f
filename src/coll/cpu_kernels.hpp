// Every algorithm of the list, instantiated for a CPU thread.
#pragma once

#include <span>

#include "coll/args.hpp"
#include "exec/cpu_arithmetic.hpp"
#include "exec/lane.hpp"
#include "exec/port.hpp"

namespace xylem::coll {

using CpuPort = exec::MemoryPort<exec::CpuTeam, exec::CpuArithmetic>;
using CpuLane = exec::Lane<CpuPort>;
using CpuKernel = void (*)(CpuLane& lane, const Args& args);

// By the algorithm's place in the list.
std::span<const CpuKernel> cpu_kernels();

}  // namespace xylem::coll
