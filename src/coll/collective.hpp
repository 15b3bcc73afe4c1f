// The collectives there are, and what each asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace xylem::coll {

enum class Collective : unsigned char { allreduce, reduce, bcast, allgather, reduce_scatter_block, barrier };
inline constexpr std::size_t kCollectives = 6;

// "allreduce": in messages, settings and statistics.
const char* collective_name(Collective collective);
std::optional<Collective> find_collective(std::string_view name);

}  // namespace xylem::coll
