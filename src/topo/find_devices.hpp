// The search behind devices(), in a given tree.
#pragma once

#include <filesystem>
#include <vector>

#include "topo/topology.hpp"

namespace xylem::topo {

// NICs, then GPUs, each by name. `root` is where proc/ and sys/ are looked for: "/", or a tree made by a test.
std::vector<Device> find_devices(const std::filesystem::path& root);

}  // namespace xylem::topo
