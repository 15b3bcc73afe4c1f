#include "simulate/options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "algorithm_options.hpp"
#include "base/parse.hpp"
#include "job_shape.hpp"
#include "list_options.hpp"
#include "simulate/link_text.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

constexpr std::uint32_t most_hosts = 1U << 20, most_per_host = 1024, most_places = 1U << 10;

void add_link(CLI::App& app, const std::string& name, coll::Link& link, std::uint32_t* rails, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [=, &link](const std::string& text) {
           if (const std::string wrong = read_link(text, link, rails); !wrong.empty())
             throw CLI::ValidationError(name, wrong);
         },
         help + "; default: " + link_text(link))
      ->type_name("LINK");
}

void add_rate(CLI::App& app, const std::string& name, double& per_byte, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [=, &per_byte](const std::string& text) {
           const auto rate = parse_rate(text);
           if (!rate) throw CLI::ValidationError(name, "'" + text + "' is no rate such as 30GB/s");
           per_byte = 1 / *rate;
         },
         help)
      ->type_name("RATE");
}

}  // namespace

void add_simulate_options(CLI::App& app, SimulateOptions& options) {
  add_collective_option(app, options.collective);
  add_algorithm_option(app, options.algorithm);
  app.add_option_function<std::string>(
         "--hosts",
         [&options](const std::string& text) {
           const auto range = parse_range(text);
           if (!range || range->first < 1 || range->second > most_hosts)
             throw CLI::ValidationError(
                 "--hosts", "'" + text + "' is no number or range such as 1-64 up to " + std::to_string(most_hosts));
           options.hosts = *range;
         },
         "Hosts, such as 4, or 1-64 for all that come of doubling; default: 1-16")
      ->type_name("RANGE");
  app.add_option("--ranks-per-host", options.ranks_per_host, "Ranks of each host")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(1U, most_per_host));
  add_sizes_option(app, "--bytes", options.bytes,
                   "Bytes of the whole vector, or of all blocks of a rank together; default: 8,64K,16M");
  add_link(app, "--network", options.network, &options.rails,
           "The links between hosts, such as latency=1.5us,bandwidth=50GB/s,rails=4; bandwidth is of each rail");
  add_link(app, "--channel", options.inside.channel, nullptr, "From rank to rank inside a host");
  add_link(app, "--board", options.inside.board, nullptr, "From a rank to all of its host that look");
  add_rate(app, "--copy", options.inside.copy_per_byte, "How fast a core copies in its caches, such as 30GB/s");
  add_rate(app, "--reduce", options.inside.reduce_per_byte, "How fast a core reduces in its caches, such as 30GB/s");
  app.add_option_function<std::string>(
         "--chunk",
         [&options](const std::string& text) {
           const auto bytes = parse_bytes(text);
           if (!bytes) throw CLI::ValidationError("--chunk", "'" + text + "' is no size such as 64K");
           options.chunk_bytes = *bytes;
         },
         "The most bytes that one slot carries, as XYLEM_CHUNK")
      ->type_name("SIZE");
  app.add_option("--slots", options.depths.slots, "Slots of a channel")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(CLI::Range(1U, most_places));
  app.add_option("--most-steps", options.most_steps,
                 "What takes more steps, on all ranks together, is extrapolated from fewer bytes, or the cost formula tells")
      ->type_name("NUMBER")
      ->capture_default_str();
  app.add_option("--svg", options.svg_file,
                 "Draw the times to this file: by ranks where there are several host counts, else "
                 "by bytes")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "As one JSON object");
}

std::vector<std::uint32_t> host_counts(const SimulateOptions& options) {
  std::vector<std::uint32_t> counts = {options.hosts.first};
  while (counts.back() <= options.hosts.second / 2) counts.push_back(counts.back() * 2);
  return counts;
}

simulate::Scenario scenario(const SimulateOptions& options, std::uint32_t hosts) {
  plan::Shape shape = job_shape(hosts * options.ranks_per_host, hosts, options.network);
  shape.rails = options.rails;
  shape.inside = options.inside;
  return {.collective = *coll::find_collective(options.collective),
          .algorithms = chosen_algorithms(options.collective, options.algorithm),
          .shape = shape,
          .chunk_bytes = options.chunk_bytes,
          .depths = options.depths,
          .most_steps = options.most_steps};
}

}  // namespace xylem::tools
