#include "base/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <vector>

#include "base/parse.hpp"
#include "base/spelling.hpp"

namespace xylem {
namespace {

// The kinds of values: how each is named, read and printed.
struct Flag {
  static constexpr std::string_view type = "flag";
  static std::string accepts() { return "0 or 1"; }
  static std::optional<bool> read(std::string_view text) { return parse_flag(text); }
  static std::string print(bool value) { return value ? "1" : "0"; }
};

struct Word {
  static constexpr std::string_view type = "word";
  static std::string accepts() { return "a word"; }
  static std::optional<std::string> read(std::string_view text) { return std::string(text); }
  static std::string print(const std::string& value) { return value; }
};

struct Path : Word {
  static constexpr std::string_view type = "path";
  static std::string accepts() { return "the path of a file"; }
};

struct Bytes {
  static constexpr std::string_view type = "bytes";
  static std::string accepts() { return "a size such as 64, 64K, 1M or 1G"; }
  static std::optional<std::size_t> read(std::string_view text) { return parse_bytes(text); }
  static std::string print(std::size_t value) { return print_bytes(value); }
};

struct Seconds {
  static constexpr std::string_view type = "seconds";
  static std::string accepts() { return "seconds such as 30 or 0.5"; }
  static std::optional<double> read(std::string_view text) { return parse_seconds(text); }
  static std::string print(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }
};

// An enumeration whose values 0, 1, ... are called as `names` says.
template <class Enum, const auto& names>
struct Choice {
  static constexpr std::string_view type = "choice";
  static std::string accepts() {
    std::string text(names.front());
    for (std::size_t i = 1; i < names.size(); ++i) (text += i + 1 < names.size() ? ", " : " or ") += names[i];
    return text;
  }
  static std::optional<Enum> read(std::string_view text) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](std::string_view name) { return equal_in_any_case(name, text); });
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
  }
  static std::string print(Enum value) { return std::string(names[static_cast<std::size_t>(value)]); }
};

struct Row {
  std::string_view name;
  std::string_view type;
  std::string (*accepts)();
  bool (*read)(std::string_view text, Settings& into);  // false, and `into` is as before: the text makes no sense
  std::string (*print)(const Settings& from);
  bool agreed;
  std::string_view help;
};

enum Scope : bool { own, agreed };

template <class Kind, auto member>
constexpr Row row(std::string_view name, Scope scope, std::string_view help) {
  const auto read = [](std::string_view text, Settings& into) {
    auto value = Kind::read(text);
    if (!value) return false;
    into.*member = *std::move(value);
    return true;
  };
  const auto print = [](const Settings& from) { return Kind::print(from.*member); };
  return {name, Kind::type, Kind::accepts, read, print, scope == agreed, help};
}

// The one table: parsing, `xylem info`, docs/settings.md and the suggestions for unknown names all come from it.
constexpr std::array kRows = {
    row<Flag, &Settings::disable>(
        "XYLEM_DISABLE", own, "Leave every MPI call to the MPI below. Set on one rank, it holds for all ranks of the job."),
    row<Choice<log::Level, log::kLevelNames>, &Settings::log_level>("XYLEM_LOG", own, "What is reported on stderr."),
    row<Path, &Settings::stats_file>("XYLEM_STATS", own,
                                     "Rank 0 writes what Xylem did as one JSON object to this file at MPI_Finalize."),
    row<Word, &Settings::host_id>(
        "XYLEM_HOSTID", own,
        "The name of the host that this rank believes to be on. Ranks with other names use the network between them."),
    row<Word, &Settings::provider>(
        "XYLEM_PROVIDER", own, "The libfabric provider between hosts, such as tcp;ofi_rxm. Unset: the most suitable one."),
    row<Word, &Settings::nic>("XYLEM_NIC", own,
                              "The network interface or device between hosts, such as eth0 or mlx5_0. Unset: the fastest."),
    row<Word, &Settings::collectives>(
        "XYLEM_COLLECTIVES", agreed,
        "The collectives of an MPI program that run on Xylem, such as allreduce,bcast, in all their forms. Unset: all."),
    row<Word, &Settings::algorithm>("XYLEM_ALGORITHM", agreed,
                                    "Forces algorithms: collective:name, several with commas, such as "
                                    "allreduce:ring,bcast:flat. Conditions and chunks as in "
                                    "a tuning file."),
    row<Path, &Settings::tuning_file>("XYLEM_TUNING_FILE", agreed,
                                      "Rules that choose algorithms, as xylem tune writes them. One rank reads the file."),
    row<Bytes, &Settings::chunk_bytes>("XYLEM_CHUNK", agreed,
                                       "The most bytes that one slot of a channel carries. 0: the plan decides."),
    row<Bytes, &Settings::single_copy_bytes>("XYLEM_SINGLE_COPY", agreed,
                                             "Of this length on, blocks of alltoall, gather and scatter in all forms are "
                                             "copied straight from the memory of the rank "
                                             "that has them, where all ranks share a host whose system allows it. 0: none."),
    row<Flag, &Settings::reproducible>(
        "XYLEM_REPRODUCIBLE", agreed,
        "Sums of floating-point numbers have the same bits whatever the algorithm, the chunks and the hosts of the ranks."),
    row<Choice<CudaUse, kCudaUseNames>, &Settings::cuda>(
        "XYLEM_CUDA", own,
        "Whether buffers may lie on a GPU. auto: where this host has an NVIDIA GPU or the process has loaded the driver."),
    row<Seconds, &Settings::timeout_seconds>("XYLEM_TIMEOUT", agreed,
                                             "A collective fails when a rank is later than this. 0: it waits for ever."),
    row<Seconds, &Settings::late_seconds>("XYLEM_LATE", own,
                                          "A rank that has to be waited for so long brings one warning. 0: none."),
    row<Choice<DumpSignal, kDumpSignalNames>, &Settings::dump_signal>(
        "XYLEM_DUMP_SIGNAL", own,
        "The signal on which a process dumps its flight recorder, unless the program handles that signal itself."),
    row<Path, &Settings::dump_file>("XYLEM_DUMP_FILE", own,
                                    "Where flight recorders are dumped, for xylem diagnose; each process adds .HOST.PID to "
                                    "the name. Unset: stderr."),
};

// Names of the kind that module systems and CMake set for every package: not meant for us, and no mistake of the user.
constexpr std::array<std::string_view, 4> kForeignNames = {"XYLEM_DIR", "XYLEM_HOME", "XYLEM_ROOT", "XYLEM_VERSION"};

std::string suggested_setting(std::string_view name) {
  std::array<std::string_view, kRows.size()> names;
  std::transform(kRows.begin(), kRows.end(), names.begin(), [](const Row& r) { return r.name; });
  return suggestion(name, names);
}

struct Loaded {
  std::string complaints;
  Settings settings = parse_settings(environ, complaints);
};

// Never destroyed: a program may finalize MPI from a destructor that runs after those of this library.
const Loaded& loaded() {
  static const Loaded& it = *new Loaded;
  return it;
}

}  // namespace

Settings parse_settings(const char* const* environment, std::string& complaints) {
  Settings result;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with("XYLEM_") || equals == std::string_view::npos || equals + 1 == entry.size()) continue;
    const std::string_view name = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);

    const auto* const found = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
    if (found != kRows.end()) {
      if (found->read(value, result)) continue;
      const std::string kept = found->print(result);
      complaints +=
          std::string(name) + "=" + printable(value) + ": expected " + found->accepts() + "; it stays " + kept + "\n";
    } else if (std::find(kForeignNames.begin(), kForeignNames.end(), name) == kForeignNames.end()) {
      complaints += printable(name) + " is no setting of Xylem" + suggested_setting(name) + "\n";
    }
  }
  return result;
}

const Settings& settings() { return loaded().settings; }

const std::string& settings_complaints() { return loaded().complaints; }

void tell_settings_complaints(bool aloud) {
  if (!log::is_news(settings_complaints()) || !aloud) return;
  std::string_view rest = settings_complaints();
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
    log::warn(std::string(rest.substr(0, end)));
}

std::string launcher_variable(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> environment_without(std::span<const std::string_view> prefixes) {
  std::vector<std::string> kept;
  for (const char* const* variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (std::none_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) { return text.starts_with(prefix); }))
      kept.emplace_back(text);
  }
  return kept;
}

std::span<const SettingInfo> setting_infos() {
  static const std::vector<SettingInfo>& infos = *new std::vector<SettingInfo>([] {
    std::vector<SettingInfo> list;
    for (const Row& r : kRows)
      list.push_back({r.name, r.type, r.accepts(), r.print(Settings{}), r.print(settings()), r.help, r.agreed});
    return list;
  }());
  return infos;
}

}  // namespace xylem
