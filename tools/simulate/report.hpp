// What was simulated, and how it is shown.
#pragma once

#include <string>
#include <vector>

#include "simulate/options.hpp"
#include "simulate/predict.hpp"

namespace xylem::tools {

// One size on one number of hosts.
struct SimulatedSize {
  std::size_t bytes;
  std::vector<simulate::Prediction> predictions;
};

struct SimulatedHosts {
  std::uint32_t hosts, ranks;
  std::vector<SimulatedSize> sizes;
  std::vector<simulate::Stretch> fastest;  // between the smallest and the largest size
};

std::string simulation_head(const SimulateOptions& options);
std::string simulation_block(const SimulatedHosts& simulated);
std::string simulation_foot(const std::vector<SimulatedHosts>& all, const SimulateOptions& options);
std::string simulation_json(const std::vector<SimulatedHosts>& all, const SimulateOptions& options);

// A drawing: a panel for each size over the numbers of ranks, or one over the sizes where there is one number of hosts.
std::string simulation_svg(const std::vector<SimulatedHosts>& all, const SimulateOptions& options);

}  // namespace xylem::tools
