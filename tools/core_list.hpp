#pragma once

#include <string>

#include "topo/topology.hpp"

namespace xylem::tools {

// The hardware threads of a mask as Linux writes lists: "0-3,8". Empty for none.
std::string core_list(const topo::CoreMask& mask);

}  // namespace xylem::tools
