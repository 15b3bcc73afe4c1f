// A record as JSON, for machines and for later: every sample is in it.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bench/record.hpp"

namespace xylem::tools {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Interval& interval) { return Json::array({interval.low, interval.high}); }

Json json_of(const Limits::Copying& copying) {
  return {{"one_core_bytes_per_second", copying.one_core}, {"all_cores_bytes_per_second", copying.all_cores}};
}

void read(const Json& json, Limits::Copying& copying) {
  json.at("one_core_bytes_per_second").get_to(copying.one_core);
  json.at("all_cores_bytes_per_second").get_to(copying.all_cores);
}

// Every time of the limits by its name.
constexpr std::pair<const char*, double Limits::*> limit_times[] = {
    {"line_seconds", &Limits::line_seconds},   {"far_line_seconds", &Limits::far_line_seconds},
    {"yield_seconds", &Limits::yield_seconds}, {"switch_seconds", &Limits::switch_seconds},
    {"wake_seconds", &Limits::wake_seconds},   {"wake_here_seconds", &Limits::wake_here_seconds},
};

Json json_of(const Limits& limits) {
  Json json = {{"cores", limits.cores}, {"cache_bytes", limits.cache_bytes}};
  for (const auto& [name, member] : limit_times) json[name] = limits.*member;
  json["copying_in_cache"] = json_of(limits.in_cache);
  json["copying_in_memory"] = json_of(limits.in_memory);
  return json;
}

void read(const Json& json, Limits& limits) {
  json.at("cores").get_to(limits.cores);
  json.at("cache_bytes").get_to(limits.cache_bytes);
  for (const auto& [name, member] : limit_times) json.at(name).get_to(limits.*member);
  read(json.at("copying_in_cache"), limits.in_cache);
  read(json.at("copying_in_memory"), limits.in_memory);
}

Json json_of(const SideResult& side) {
  const Summary summary = summarize(side.seconds);
  Json json = {{"median_seconds", summary.median}, {"median_interval_seconds", json_of(median_interval(side.seconds))},
               {"p95_seconds", summary.p95},       {"least_seconds", summary.least},
               {"cpu_seconds", side.cpu_seconds},  {"calls_per_sample", side.batch},
               {"wrong_calls", side.wrong_calls},  {"samples_seconds", side.seconds}};
  if (side.calls.empty()) return json;
  Json classes = Json::array();
  for (const auto& [number, times] : side.calls.counts())
    classes.push_back({{"class", number}, {"from_seconds", Histogram::lower_bound(number)}, {"calls", times}});
  json["histogram"] = std::move(classes);
  return json;
}

void read(const Json& json, SideResult& side) {
  json.at("samples_seconds").get_to(side.seconds);
  if (side.seconds.empty()) throw std::runtime_error("a line without samples");
  json.at("cpu_seconds").get_to(side.cpu_seconds);
  json.at("calls_per_sample").get_to(side.batch);
  json.at("wrong_calls").get_to(side.wrong_calls);
  if (!json.contains("histogram")) return;
  for (const Json& entry : json["histogram"])
    side.calls.put(entry.at("class").get<int>(), entry.at("calls").get<std::size_t>());
}

Json json_of(const Row& row, const std::vector<std::string>& sides) {
  Json json = {{"collective", row.collective}, {"bytes", row.bytes}, {"least_seconds", row.least_seconds}};
  if (!row.measured()) {
    json["left_out"] = row.left_out;
    return json;
  }
  const std::size_t peer = row.best_peer();
  json["ratio"] = row.ratio(peer);
  json["ratio_interval"] = json_of(row.ratio_interval(peer));
  json["ratio_to"] = sides[peer];
  json["of_limit"] = row.of_limit();
  json["noisy"] = row.noisy();
  json["cut_short"] = row.cut_short;
  for (std::size_t side = 0; side < sides.size(); ++side) json[sides[side]] = json_of(row.sides[side]);
  return json;
}

Row row_of(const Json& json, const std::vector<std::string>& sides) {
  Row row;
  json.at("collective").get_to(row.collective);
  json.at("bytes").get_to(row.bytes);
  json.at("least_seconds").get_to(row.least_seconds);
  if (json.contains("left_out")) {
    json["left_out"].get_to(row.left_out);
    return row;
  }
  json.at("cut_short").get_to(row.cut_short);
  for (const std::string& side : sides) read(json.at(side), row.sides.emplace_back());
  return row;
}

}  // namespace

std::string side_to_json(const SideResult& side) { return json_of(side).dump(); }

SideResult side_from_json(const std::string& text) try {
  SideResult side;
  read(Json::parse(text), side);
  return side;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("is no result: ") + error.what());
}

std::string to_json(const Run& run) {
  Json lines = Json::array();
  for (const Row& row : run.rows) lines.push_back(json_of(row, run.sides));
  const Setting& setting = run.setting;
  const Json json = {
      {"command", setting.command},
      {"ranks", setting.ranks},
      {"hosts", setting.hosts},
      {"processor", setting.processor},
      {"cores", setting.cores},
      {"kernel", setting.kernel},
      {"mpi", setting.mpi_version},
      {"peers", setting.peers},
      {"xylem", setting.xylem_version},
      {"xylem_loaded", setting.xylem_loaded},
      {"busy_before", setting.load_warning},
      {"type", setting.type},
      {"op", setting.op},
      {"reproducible", setting.reproducible},
      {"limits", json_of(run.limits)},
      {"core", run.core_statistics.empty() ? Json() : Json::parse(run.core_statistics)},
      {"sides", run.sides},
      {"lines", std::move(lines)},
  };
  return json.dump(1) + "\n";
}

Run run_from_json(const std::string& text) try {
  const Json json = Json::parse(text);
  Run run;
  Setting& setting = run.setting;
  json.at("command").get_to(setting.command);
  json.at("ranks").get_to(setting.ranks);
  json.at("hosts").get_to(setting.hosts);
  json.at("processor").get_to(setting.processor);
  json.at("cores").get_to(setting.cores);
  json.at("kernel").get_to(setting.kernel);
  json.at("mpi").get_to(setting.mpi_version);
  if (json.contains("peers")) json["peers"].get_to(setting.peers);
  json.at("xylem").get_to(setting.xylem_version);
  json.at("xylem_loaded").get_to(setting.xylem_loaded);
  json.at("busy_before").get_to(setting.load_warning);
  json.at("type").get_to(setting.type);
  json.at("op").get_to(setting.op);
  setting.reproducible = json.value("reproducible", false);
  read(json.at("limits"), run.limits);
  if (const Json& core = json.at("core"); !core.is_null()) run.core_statistics = core.dump();
  json.at("sides").get_to(run.sides);
  if (run.sides.size() < 2) throw std::runtime_error("fewer than two sides");
  for (const Json& line : json.at("lines")) run.rows.push_back(row_of(line, run.sides));
  return run;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("is no record of xylem bench: ") + error.what());
}

}  // namespace xylem::tools
