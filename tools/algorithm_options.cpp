#include "algorithm_options.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string_view>

#include "list_options.hpp"
#include "plan/catalogue.hpp"

namespace xylem::tools {
namespace {

std::string check_algorithm(const std::string& name) {
  std::vector<std::string_view> known;
  for (const plan::Algorithm& algorithm : plan::catalogue()) known.emplace_back(algorithm.name);
  return check_name(name, known);
}

CLI::Validator validator(std::string (*check)(const std::string&)) {
  return {[check](std::string& name) { return check(name); }, ""};
}

}  // namespace

std::string check_collective(const std::string& name) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < coll::kCollectives; ++i) {
    known.emplace_back(coll::collective_name(static_cast<coll::Collective>(i)));
  }
  return check_name(name, known);
}

void add_collective_option(CLI::App& app, std::string& collective) {
  app.add_option("--collective,--collectives", collective, "Only this collective, such as allreduce")
      ->type_name("NAME")
      ->check(validator(check_collective));
}

void add_algorithm_option(CLI::App& app, std::string& algorithm) {
  app.add_option("--algorithm", algorithm, "Only this algorithm, such as ring")
      ->type_name("NAME")
      ->check(validator(check_algorithm));
}

std::vector<std::uint32_t> chosen_algorithms(const std::string& collective, const std::string& algorithm) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < plan::catalogue().size(); ++i) {
    const plan::Algorithm& candidate = plan::catalogue()[i];
    if (!collective.empty() && collective != coll::collective_name(candidate.collective)) continue;
    if (!algorithm.empty() && algorithm != candidate.name) continue;
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace xylem::tools
