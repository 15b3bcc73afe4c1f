#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "units.hpp"

namespace xylem::tools {
namespace {

enum : std::size_t { xylem_side, mpi_side };

// Differences below this are the machine's and not the library's.
constexpr double equal_within = 0.03;

// "1 MiB"; a barrier has no size.
std::string size_of(const Row& row) { return row.collective == "barrier" ? "" : format_bytes(row.bytes); }

std::string microseconds(double seconds) { return format_microseconds(seconds * 1e6); }

std::string describe_calls(const nlohmann::json& collectives) {
  long calls = 0;
  std::string algorithms;
  for (const auto& [name, counts] : collectives.items()) {
    calls += counts.at("calls").get<long>();
    std::string list;
    for (const auto& [algorithm, times] : counts.at("algorithms").items())
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", algorithm, times.get<long>());
    if (!list.empty()) algorithms += fmt::format("  {}: {}\n", name, list);
  }
  return fmt::format("Xylem ran {} calls on rank 0{}\n{}", calls, algorithms.empty() ? "." : ", by algorithm:", algorithms);
}

}  // namespace

Summary Row::summary(std::size_t side) const { return summarize(measurement.sides[side].seconds); }

double Row::ratio() const { return summary(mpi_side).median / summary(xylem_side).median; }

bool Row::wrong() const {
  return std::any_of(measurement.sides.begin(), measurement.sides.end(), [](const Sample& s) { return s.wrong_calls > 0; });
}

bool Row::noisy() const { return tools::noisy(summary(xylem_side)) || tools::noisy(summary(mpi_side)); }

std::string table_head(const Setting& setting, const BenchOptions& options) {
  std::string head = fmt::format("{} ranks on {} host{}, {} cores; {} {}; Xylem {} against {}\n", setting.ranks,
                                 setting.hosts.size(), setting.hosts.size() == 1 ? "" : "s", setting.cores, options.type,
                                 options.op, setting.xylem_version, setting.mpi_version);
  if (!setting.xylem_loaded) head += "NOTE: Xylem is not loaded in this run: both sides are the MPI.\n";
  head += setting.load_warning;
  head += "Time of a call on the slowest rank in microseconds; ratio: MPI / Xylem, above 1 Xylem is faster.\n\n";
  head += fmt::format("{:<22}{:>10}{:>12}{:>10}{:>12}{:>10}{:>9}\n", "", "", "Xylem", "", "MPI", "", "");
  head += fmt::format("{:<22}{:>10}{:>12}{:>10}{:>12}{:>10}{:>9}\n", "collective", "size", "median", "p95", "median", "p95",
                      "ratio");
  return head;
}

std::string table_row(const Row& row) {
  const Summary xylem = row.summary(xylem_side), mpi = row.summary(mpi_side);
  std::string remark;
  if (row.ratio() < 1 - equal_within) remark = "  slower";
  if (row.noisy()) remark += "  noisy";
  for (std::size_t side = 0; side < side_names.size(); ++side)
    if (const long wrong = row.measurement.sides[side].wrong_calls; wrong > 0)
      remark += fmt::format("  WRONG RESULTS ({}: {})", side_names[side], wrong);
  return fmt::format("{:<22}{:>10}{:>12}{:>10}{:>12}{:>10}{:>9.2f}{}\n", row.collective, size_of(row),
                     microseconds(xylem.median), microseconds(xylem.p95), microseconds(mpi.median), microseconds(mpi.p95),
                     row.ratio(), remark);
}

std::string table_foot(const Setting& setting, const std::vector<Row>& rows, const std::string& core_statistics) {
  if (!setting.xylem_loaded) return "\nXylem was not loaded: nothing was compared.\n";
  const auto faster = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.ratio() > 1 + equal_within; });
  const auto slower = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.ratio() < 1 - equal_within; });
  std::string foot = fmt::format("\nXylem is faster in {}, slower in {}, within {:.0f}% in {} of {} lines.\n", faster, slower,
                                 equal_within * 100, static_cast<long>(rows.size()) - faster - slower, rows.size());
  const auto worst =
      std::min_element(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.ratio() < b.ratio(); });
  if (slower > 0) foot += fmt::format("Worst: {} {}, ratio {:.2f}.\n", worst->collective, size_of(*worst), worst->ratio());
  const auto noisy_rows = std::count_if(rows.begin(), rows.end(), [](const Row& r) { return r.noisy(); });
  if (noisy_rows > 0)
    foot += fmt::format(
        "NOTE: {} lines are noisy, with a p95 above twice the median: something else ran. Do not trust them.\n", noisy_rows);
  if (std::any_of(rows.begin(), rows.end(), [](const Row& r) { return r.wrong(); })) foot += "SOME RESULTS ARE WRONG.\n";
  if (core_statistics.empty()) return foot + "Xylem ran none of the calls: XYLEM_LOG=info tells why.\n";
  return foot + describe_calls(nlohmann::json::parse(core_statistics).at("collectives"));
}

std::string report_json(const Setting& setting, const BenchOptions& options, const std::vector<Row>& rows,
                        const std::string& core_statistics) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json line = {
        {"collective", row.collective}, {"bytes", row.bytes}, {"ratio", row.ratio()}, {"noisy", row.noisy()}};
    for (std::size_t side = 0; side < side_names.size(); ++side) {
      const Sample& sample = row.measurement.sides[side];
      const Summary summary = row.summary(side);
      line[side_names[side]] = {{"median_seconds", summary.median},  {"p95_seconds", summary.p95},
                                {"least_seconds", summary.least},    {"calls_per_sample", sample.batch},
                                {"wrong_calls", sample.wrong_calls}, {"samples_seconds", sample.seconds}};
    }
    lines.push_back(std::move(line));
  }
  const nlohmann::ordered_json report = {
      {"command", setting.command},
      {"ranks", setting.ranks},
      {"hosts", setting.hosts},
      {"processor", setting.processor},
      {"cores", setting.cores},
      {"kernel", setting.kernel},
      {"mpi", setting.mpi_version},
      {"xylem", setting.xylem_version},
      {"xylem_loaded", setting.xylem_loaded},
      {"busy_before", !setting.load_warning.empty()},
      {"type", options.type},
      {"op", options.op},
      {"core", core_statistics.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(core_statistics)},
      {"lines", std::move(lines)},
  };
  return report.dump(1) + "\n";
}

std::string report_csv(const std::vector<Row>& rows) {
  std::string text = "collective,bytes,xylem_median_us,xylem_p95_us,mpi_median_us,mpi_p95_us,ratio,wrong_calls\n";
  for (const Row& row : rows) {
    const Summary xylem = row.summary(xylem_side), mpi = row.summary(mpi_side);
    const long wrong = row.measurement.sides[xylem_side].wrong_calls + row.measurement.sides[mpi_side].wrong_calls;
    text += fmt::format("{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{}\n", row.collective, row.bytes, xylem.median * 1e6,
                        xylem.p95 * 1e6, mpi.median * 1e6, mpi.p95 * 1e6, row.ratio(), wrong);
  }
  return text;
}

}  // namespace xylem::tools
