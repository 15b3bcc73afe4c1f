#include "info_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/version.hpp"
#include "comm/tuning.hpp"
#include "cuda/presence.hpp"
#include "installation.hpp"
#include "plan/rules.hpp"

namespace xylem::tools {
namespace {

namespace fs = std::filesystem;

// "mpich" of lib/xylem/libxylem_mpi_mpich.so
std::vector<std::string> find_back_ends(const fs::path& folder) {
  constexpr std::string_view kPrefix = "libxylem_mpi_";
  std::vector<std::string> names;
  std::error_code missing;
  for (fs::directory_iterator it(folder, missing), end; !missing && it != end; it.increment(missing)) {
    const std::string stem = it->path().stem().string();
    if (stem.starts_with(kPrefix) && it->path().extension() == ".so") names.push_back(stem.substr(kPrefix.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Rules are read when a communicator is made: too late to be told by who looks before a job.
std::vector<std::string> wrong_rules() {
  std::vector<std::string> problems;
  for (const plan::RuleComplaint& complaint : plan::parse_rules(settings().algorithm).complaints)
    problems.push_back("XYLEM_ALGORITHM: '" + complaint.token + "' " + complaint.why);
  const std::string& file = settings().tuning_file;
  const std::string trouble = file.empty() ? "" : read_tuning(file).trouble;
  if (!trouble.empty()) problems.push_back("XYLEM_TUNING_FILE: " + trouble);
  return problems;
}

}  // namespace

Facts collect_facts() {
  Facts facts;
  facts.version = kVersion;
  facts.host = topo::host();
  facts.cores = topo::cores();
  facts.machine = topo::machine();
  facts.devices = topo::devices();
  facts.cuda = cuda::list_devices();
  facts.cuda_built_in = cuda::built_in();
  try {
    facts.providers = ofi::list_providers();
    if (facts.providers.empty()) facts.no_providers = "libfabric offers none";
  } catch (const Error& error) {
    facts.no_providers = error.what();
  }
  const fs::path preload = preload_library();
  facts.preload_library = preload.string();
  if (!preload.empty()) facts.back_ends = find_back_ends(back_end_folder(preload));
  const std::span<const SettingInfo> infos = setting_infos();
  facts.settings.assign(infos.begin(), infos.end());
  facts.problems = wrong_rules();
  return facts;
}

}  // namespace xylem::tools
