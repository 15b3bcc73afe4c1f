#include "simulate/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "plan/catalogue.hpp"
#include "simulate/link_text.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

const char* name_of(std::uint32_t algorithm) { return plan::catalogue()[algorithm].name; }

// By simulate::Method.
constexpr std::array method_names = {"replay", "extrapolation", "formula"};

std::string cell(const simulate::Prediction& prediction, const SimulatedSize& size) {
  const bool fastest = prediction.algorithm == simulate::best(size.predictions).algorithm;
  const std::string time = format_microseconds(prediction.seconds * 1e6), mark = fastest ? " *" : "  ";
  switch (prediction.method) {
    case simulate::Method::replay:
      return time + mark;
    case simulate::Method::extrapolation:
      return "~" + time + mark;
    case simulate::Method::formula:
      return "(" + time + ")" + mark.substr(1);
  }
  return time;
}

// The prediction for an algorithm, where it can run.
const simulate::Prediction* find(const SimulatedSize& size, std::uint32_t algorithm) {
  for (const simulate::Prediction& prediction : size.predictions)
    if (prediction.algorithm == algorithm) return &prediction;
  return nullptr;
}

}  // namespace

std::string simulation_head(const SimulateOptions& options) {
  return fmt::format("{}, {} ranks on each host; network: {}, {} rail{}; microseconds, * the fastest\n", options.collective,
                     options.ranks_per_host, link_text(options.network), options.rails, options.rails == 1 ? "" : "s");
}

std::string simulation_block(const SimulatedHosts& simulated) {
  std::string text = fmt::format(
      "\n{:<24}", fmt::format("{} host{}, {} ranks", simulated.hosts, simulated.hosts == 1 ? "" : "s", simulated.ranks));
  for (const SimulatedSize& size : simulated.sizes) text += fmt::format("{:>14}  ", format_bytes(size.bytes));
  text += "\n";
  for (std::uint32_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    std::string line;
    bool runs = false;
    for (const SimulatedSize& size : simulated.sizes) {
      const simulate::Prediction* prediction = find(size, algorithm);
      runs = runs || prediction != nullptr;
      line += fmt::format("{:>16}", prediction == nullptr ? "-  " : cell(*prediction, size));
    }
    if (runs) text += fmt::format("  {:<22}{}\n", name_of(algorithm), line);
  }
  if (simulated.fastest.size() < 2) return text;
  text += "  fastest:";
  for (const simulate::Stretch& stretch : simulated.fastest) {
    text += stretch.bytes == simulated.fastest.front().bytes
                ? fmt::format(" {}", name_of(stretch.algorithm))
                : fmt::format(", from {} {}", format_bytes(stretch.bytes), name_of(stretch.algorithm));
  }
  return text + "\n";
}

std::string simulation_foot(const std::vector<SimulatedHosts>& all, const SimulateOptions& options) {
  bool used[method_names.size()] = {};
  for (const SimulatedHosts& simulated : all)
    for (const SimulatedSize& size : simulated.sizes)
      for (const simulate::Prediction& prediction : size.predictions)
        used[static_cast<std::size_t>(prediction.method)] = true;
  std::string text;
  if (used[1]) text += "\n~ extrapolated from fewer bytes";
  if (used[2]) text += fmt::format("{}( ) by the cost formula", text.empty() ? "\n" : ", ");
  return text.empty() ? text : text + fmt::format(", where a replay has more than {} steps.\n", options.most_steps);
}

std::string simulation_json(const std::vector<SimulatedHosts>& all, const SimulateOptions& options) {
  using Json = nlohmann::ordered_json;
  const auto link = [](const coll::Link& of) {
    return Json{{"latency_seconds", of.latency}, {"bytes_per_second", 1 / of.per_byte}, {"overhead_seconds", of.overhead}};
  };
  Json hosts = Json::array();
  for (const SimulatedHosts& simulated : all) {
    Json times = Json::array(), fastest = Json::array();
    for (const SimulatedSize& size : simulated.sizes)
      for (const simulate::Prediction& prediction : size.predictions)
        times.push_back({{"bytes", size.bytes},
                         {"algorithm", name_of(prediction.algorithm)},
                         {"seconds", prediction.seconds},
                         {"method", method_names[static_cast<std::size_t>(prediction.method)]}});
    for (const simulate::Stretch& stretch : simulated.fastest)
      fastest.push_back({{"from_bytes", stretch.bytes}, {"algorithm", name_of(stretch.algorithm)}});
    hosts.push_back({{"hosts", simulated.hosts}, {"ranks", simulated.ranks}, {"times", times}, {"fastest", fastest}});
  }
  const Json report = {{"collective", options.collective},
                       {"ranks_per_host", options.ranks_per_host},
                       {"network", link(options.network)},
                       {"rails", options.rails},
                       {"channel", link(options.inside.channel)},
                       {"board", link(options.inside.board)},
                       {"copy_bytes_per_second", 1 / options.inside.copy_per_byte},
                       {"reduce_bytes_per_second", 1 / options.inside.reduce_per_byte},
                       {"hosts", hosts}};
  return report.dump(1) + "\n";
}

}  // namespace xylem::tools
