#include "info_facts.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/version.hpp"
#include "cuda/presence.hpp"
#include "installation.hpp"

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
  const std::span<const SettingInfo> settings = setting_infos();
  facts.settings.assign(settings.begin(), settings.end());
  return facts;
}

}  // namespace xylem::tools
