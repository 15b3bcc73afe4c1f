// XYLEM_COLLECTIVES: which collectives the user wants on Xylem.
#pragma once

#include <cstdint>

#include "backend/statistics.hpp"

namespace xylem::preload {

namespace detail {
inline constinit std::uint32_t selected = ~std::uint32_t{0};  // a bit for each
}

inline bool is_selected(Collective collective) { return (detail::selected >> static_cast<unsigned>(collective) & 1) != 0; }

// Takes what rank 0 wants, in all of its processes alike. Called once, in MPI_Init. Collective over MPI_COMM_WORLD.
void agree_on_selection();

}  // namespace xylem::preload
