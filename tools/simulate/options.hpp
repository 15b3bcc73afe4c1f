// What `xylem simulate` can be asked for.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/shape.hpp"
#include "simulate/predict.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

struct SimulateOptions {
  std::string collective = "allreduce";
  std::string algorithm;  // empty: all
  std::pair<std::uint32_t, std::uint32_t> hosts = {1, 16};
  std::uint32_t ranks_per_host = 8;
  std::vector<std::size_t> bytes = {8, 64 << 10, 16 << 20};
  coll::Link network = plan::network_link("verbs");
  std::uint32_t rails = 1;
  plan::HostCosts inside;
  std::size_t chunk_bytes = 0;
  simulate::Depths depths;
  std::size_t most_steps = 100'000;
  std::string svg_file;
  bool json = false;
};

void add_simulate_options(CLI::App& app, SimulateOptions& options);

// The host counts to look at: from the first, doubled, to the last.
std::vector<std::uint32_t> host_counts(const SimulateOptions& options);

// The job on so many hosts, and the algorithms that were asked for.
simulate::Scenario scenario(const SimulateOptions& options, std::uint32_t hosts);

}  // namespace xylem::tools
