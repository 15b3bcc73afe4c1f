// The program behind `xylem bench`, built once per MPI and started with Xylem preloaded.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <exception>

#include "bench/html/page.hpp"
#include "bench/limits_probe.hpp"
#include "bench/measure.hpp"
#include "bench/mpi_program.hpp"
#include "bench/options.hpp"
#include "bench/peer/command.hpp"
#include "bench/peer/server.hpp"
#include "bench/progress_line.hpp"
#include "bench/setting.hpp"
#include "bench/sides.hpp"
#include "bench/table.hpp"
#include "output_file.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

// The lines to measure, one after the other: a barrier has no size.
std::vector<CallKind> kinds_of(const BenchOptions& options) {
  std::vector<CallKind> kinds;
  for (const std::string& name : options.collectives) {
    const coll::Collective collective = *coll::find_collective(name);
    const bool sized = coll::facts(collective).output != coll::Buffer::none;
    for (const std::size_t bytes : sized ? options.sizes : std::vector<std::size_t>{0})
      kinds.push_back({collective, bytes, options.type, options.op, options.imbalance});
  }
  return kinds;
}

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// The ranks of a job at work on its lines. Rank 0 keeps the record.
class Job {
 public:
  Job(const BenchOptions& options, std::vector<std::string> command)
      : options_(options), command_(std::move(command)), group_(MPI_COMM_WORLD) {}

  Run run() {
    Run record;
    record.sides = {xylem_side, mpi_side};
    record.setting = collect_setting(MPI_COMM_WORLD, options_, command_);
    if (speaks() && options_.effort.skew_seconds > 0 && record.setting.hosts.size() > 1)
      throw std::runtime_error("--skew compares the clocks of the ranks, so it is for one host only");
    const std::vector<int> cores = cores_in_use(MPI_COMM_WORLD);
    if (speaks()) record.limits = probe_limits(cores);
    group_.await_first();
    if (options_.limits_only) {
      if (speaks()) print(limits_table(record.limits));
    } else {
      measure_lines(record, start_peers(record, cores));
    }
    return record;
  }

  bool speaks() const { return group_.rank() == 0; }

 private:
  // On rank 0; the others learn how many there are.
  std::vector<std::unique_ptr<PeerProcess>> start_peers(Run& record, const std::vector<int>& cores) {
    std::vector<std::unique_ptr<PeerProcess>> peers;
    if (speaks() && (record.setting.hosts.size() == 1 || !options_.peers.empty())) {
      for (const auto& [name, command] : peer_commands(options_.peers, mpi_name(), group_.size(), cores.size())) {
        peers.push_back(std::make_unique<PeerProcess>(name, command, cores, group_.size()));
        record.setting.peers[name] = peers.back()->title();
      }
    }
    group_.await_first();
    peers.resize(static_cast<std::size_t>(group_.largest(static_cast<double>(peers.size()))));
    for (const auto& [name, title] : record.setting.peers) record.sides.push_back(name);
    return peers;
  }

  void measure_lines(Run& record, std::vector<std::unique_ptr<PeerProcess>> peers) {
    int most_on_a_host = 1;
    for (const auto& [host, ranks] : record.setting.hosts) most_on_a_host = std::max(most_on_a_host, ranks);
    ranks_here_ = group_.largest(most_on_a_host);
    Bench bench(MPI_COMM_WORLD, group_, {program_calls(), mpi_calls()}, options_.effort, std::move(peers));
    ProgressLine progress(speaks());
    if (speaks()) print(table_head(record));
    const std::vector<CallKind> kinds = kinds_of(options_);
    for (std::size_t line = 0; line < kinds.size(); ++line) {
      const CallKind& kind = kinds[line];
      const auto show = [&](double fraction) {
        progress.show((static_cast<double>(line) + fraction) / static_cast<double>(kinds.size()),
                      fmt::format("{} {}", coll::collective_name(kind.collective), format_bytes(kind.bytes)));
      };
      Row& row = record.rows.emplace_back();
      measure(bench, kind, show, row);
      if (record.setting.hosts.size() == 1)
        row.least_seconds =
            least_seconds(record.limits, kind.collective, kind.bytes, static_cast<std::size_t>(group_.size()));
      progress.clear();
      if (speaks()) print(table_row(record, row) + histogram_lines(record, row));
    }
    if (!speaks()) return;
    record.core_statistics = xylem_core_statistics();
    print(table_foot(record));
  }

  void measure(Bench& bench, const CallKind& kind, const std::function<void(double)>& progress, Row& row) {
    row.collective = coll::collective_name(kind.collective);
    row.bytes = kind.bytes;
    if (const auto reason = too_long_for_mpi(kind, static_cast<std::size_t>(group_.size()))) {
      row.left_out = *reason;
      return;
    }
    const CollectiveCall call(kind, MPI_COMM_WORLD);
    const double jobs = 1 + static_cast<double>(bench.peers());
    const double memory = jobs * ranks_here_ *
                          static_cast<double>(BufferPool::bytes(call.send_bytes(), call.receive_bytes(),
                                                                options_.effort.buffers == BufferState::warm));
    const double there_is = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (group_.largest(memory / there_is) > memory_part) {
      row.left_out = "its buffers need " + format_bytes(static_cast<std::size_t>(group_.largest(memory))) + " of a host";
      return;
    }
    bench.measure(kind, call, progress, row);
  }

  static constexpr double memory_part = 0.5;  // MPIs take some for themselves

  const BenchOptions& options_;
  std::vector<std::string> command_;
  PoliteGroup group_;
  double ranks_here_ = 1;
};

int run(const BenchOptions& options, std::vector<std::string> command) {
  if (options.serves) {
    serve();
    return 0;
  }
  Job job(options, std::move(command));
  for (const std::string& file : {options.json_file, options.csv_file, options.report_file})
    if (job.speaks() && !file.empty()) check_writable(file);
  const Run record = job.run();
  if (job.speaks()) {
    if (!options.json_file.empty()) write_file(options.json_file, to_json(record));
    if (!options.csv_file.empty()) write_file(options.csv_file, report_csv(record));
    if (!options.report_file.empty()) write_file(options.report_file, html_page({record}));
  }
  return std::any_of(record.rows.begin(), record.rows.end(), [](const Row& row) { return row.wrong(); }) ? 1 : 0;
}

}  // namespace
}  // namespace xylem::tools

int main(int argc, char** argv) try {
  using namespace xylem::tools;
  BenchOptions options;
  CLI::App app("Compares Xylem's collectives with those of the MPI below.", "xylem bench");
  add_bench_options(app, options);
  return run_mpi_program(app, argc, argv, [&] { return run(options, {argv, argv + argc}); });
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
