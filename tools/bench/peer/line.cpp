#include "bench/peer/line.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace xylem::tools {
namespace {

bool known(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string to_text(const CallKind& kind, const BenchEffort& effort) {
  return nlohmann::json{{"line",
                         {{"collective", coll::collective_name(kind.collective)},
                          {"bytes", kind.bytes},
                          {"type", kind.type},
                          {"op", kind.op},
                          {"imbalance", kind.imbalance},
                          {"buffers", buffer_state_name(effort.buffers)},
                          {"skew_seconds", effort.skew_seconds},
                          {"histogram", effort.histogram}}}}
      .dump();
}

PeerQuestion read_question(const std::string& line) try {
  const nlohmann::json json = nlohmann::json::parse(line);
  PeerQuestion question;
  if (json.contains("round")) {
    question.batch = json["round"].get<int>();
    if (question.batch < 1) throw std::runtime_error("a round has at least one call");
    return question;
  }
  const nlohmann::json& wanted = json.at("line");
  const auto collective = coll::find_collective(wanted.at("collective").get<std::string>());
  const auto buffers = find_buffer_state(wanted.at("buffers").get<std::string>());
  question.kind.type = wanted.at("type").get<std::string>();
  question.kind.op = wanted.at("op").get<std::string>();
  if (!collective || !buffers || !known(bench_types(), question.kind.type) || !known(bench_ops(), question.kind.op))
    throw std::runtime_error("a name is not known");
  question.kind.collective = *collective;
  wanted.at("bytes").get_to(question.kind.bytes);
  wanted.at("imbalance").get_to(question.kind.imbalance);
  question.effort.buffers = *buffers;
  wanted.at("skew_seconds").get_to(question.effort.skew_seconds);
  wanted.at("histogram").get_to(question.effort.histogram);
  return question;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("is no question of the benchmark's protocol: ") + error.what());
}

}  // namespace xylem::tools
