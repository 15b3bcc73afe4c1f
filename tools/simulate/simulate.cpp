#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "output_file.hpp"
#include "simulate/report.hpp"
#include "usage.hpp"

namespace xylem::tools {
namespace {

SimulatedHosts simulate_hosts(const SimulateOptions& options, std::uint32_t hosts) {
  const simulate::Scenario scenario = tools::scenario(options, hosts);
  SimulatedHosts simulated{hosts, scenario.shape.ranks, {}, {}};
  for (const std::size_t bytes : options.bytes) simulated.sizes.push_back({bytes, simulate::predict(scenario, bytes)});
  const auto [least, most] = std::minmax_element(options.bytes.begin(), options.bytes.end());
  const bool any = std::any_of(simulated.sizes.begin(), simulated.sizes.end(),
                               [](const SimulatedSize& size) { return !size.predictions.empty(); });
  if (any && *least > 0 && *least < *most) simulated.fastest = simulate::stretches(scenario, *least, *most);
  return simulated;
}

}  // namespace

int run_simulate(const SimulateOptions& options) {
  if (scenario(options, options.hosts.first).algorithms.empty()) {
    return usage_error(fmt::format("xylem simulate: {} has no algorithm '{}'", options.collective, options.algorithm));
  }
  if (options.hosts.second == 1 && options.ranks_per_host == 1) {
    return usage_error("xylem simulate: one rank alone moves nothing");
  }
  if (!options.svg_file.empty()) check_writable(options.svg_file);
  if (!options.json) fmt::print("{}", simulation_head(options));
  std::vector<SimulatedHosts> all;
  for (const std::uint32_t hosts : host_counts(options)) {
    if (hosts * options.ranks_per_host < 2) continue;
    all.push_back(simulate_hosts(options, hosts));
    if (options.json) continue;
    fmt::print("{}", simulation_block(all.back()));
    std::fflush(stdout);
  }
  fmt::print("{}", options.json ? simulation_json(all, options) : simulation_foot(all, options));
  if (!options.svg_file.empty()) write_file(options.svg_file, simulation_svg(all, options));
  return 0;
}

}  // namespace xylem::tools
