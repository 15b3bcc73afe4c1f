// Every XYLEM_* variable is declared here and nowhere else: name, type, default, help. Read once, constant after.
// The only file of the project that calls getenv is settings.cpp.
//
// To add a setting, add a member with its default below and a row to the table in settings.cpp, then regenerate
// docs/settings.md with the build target settings_page.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"

namespace xylem {

// Whether ranks look for device buffers.
enum class CudaUse { automatic, off, on };
inline constexpr std::array<std::string_view, 3> kCudaUseNames = {"auto", "off", "on"};

// The signal that makes a process tell its last calls; only while the program leaves that signal to its default.
enum class DumpSignal { off, usr1, usr2 };
inline constexpr std::array<std::string_view, 3> kDumpSignalNames = {"off", "usr1", "usr2"};

// One setting per member. What must be equal on all ranks of a communicator (marked "agreed") is taken from rank 0 when the
// communicator is made.
struct Settings {
  bool disable = false;                     // XYLEM_DISABLE: leave every call to the MPI below
  log::Level log_level = log::Level::warn;  // XYLEM_LOG: off, warn, info, debug
  std::string stats_file;                   // XYLEM_STATS: rank 0 writes what was done here at MPI_Finalize
  std::string host_id;                      // XYLEM_HOSTID: the name of this host; wins over detection
  std::string provider;                     // XYLEM_PROVIDER: libfabric provider by name, such as tcp;ofi_rxm
  std::string nic;                          // XYLEM_NIC: network interface or device between hosts, such as eth0
  std::string collectives;                  // XYLEM_COLLECTIVES: names of those that the preload library takes over (agreed)
  std::string algorithm;                    // XYLEM_ALGORITHM: collective:name[,...] forces algorithms (agreed)
  std::string tuning_file;                  // XYLEM_TUNING_FILE: rules that `xylem tune` has written (agreed)
  bool reproducible = false;                // XYLEM_REPRODUCIBLE: sums do not depend on algorithm, chunks and hosts (agreed)
  std::size_t chunk_bytes = 0;              // XYLEM_CHUNK: bytes a channel slot carries at most, 0: the plan decides (agreed)
  std::size_t single_copy_bytes =
      64 << 10;                       // XYLEM_SINGLE_COPY: of the shortest block that is copied just once, 0: none (agreed)
  CudaUse cuda = CudaUse::automatic;  // XYLEM_CUDA: whether buffers may lie on a GPU
  double timeout_seconds = 0;         // XYLEM_TIMEOUT: how long a late rank is waited for, 0: for ever (agreed)
  double late_seconds = 60;           // XYLEM_LATE: after what time a late rank is warned of, 0: never
  DumpSignal dump_signal = DumpSignal::usr1;  // XYLEM_DUMP_SIGNAL: what makes a process dump its flight recorder
  std::string dump_file;                      // XYLEM_DUMP_FILE: where the flight recorder is dumped, in place of stderr
};

// Description of one setting for `xylem info` and docs/settings.md.
struct SettingInfo {
  std::string_view name;
  std::string_view type;      // "flag", "word", "path", "bytes", "seconds", "choice"
  std::string accepts;        // what a value looks like: "a size such as 64, 64K, 1M or 1G"
  std::string default_value;  // as a user would write it; empty: unset
  std::string value;          // as it is in force now
  std::string_view help;      // one sentence
  bool agreed;                // taken from rank 0 of each communicator
};

// The settings of this process. The first call reads the environment. Thread-safe.
const Settings& settings();

// What is wrong with this environment, one a line: unknown XYLEM_* names (with the nearest known one), and values that make
// no sense (then the default holds). Empty, as a rule.
const std::string& settings_complaints();
// Warns of it, the first time. `aloud`: not so where another rank does, which has the same environment.
void tell_settings_complaints(bool aloud = true);

// All settings in the order of their declaration.
std::span<const SettingInfo> setting_infos();

// The same as settings(), from a given environment ("NAME=VALUE" entries, null-terminated); complaints go to `complaints`,
// one a line. An empty value counts as unset. This is what tests call.
Settings parse_settings(const char* const* environment, std::string& complaints);

// What the launcher that started this process set for it, such as PMI_RANK; empty if it is not set. Not for settings.
std::string launcher_variable(const char* name);

// This process's environment without the variables whose names begin with one of `prefixes`: for a process that shall know
// nothing of the job that starts it.
std::vector<std::string> environment_without(std::span<const std::string_view> prefixes);

}  // namespace xylem
