#include <fmt/format.h>

#include <algorithm>

#include "core_list.hpp"
#include "info_facts.hpp"
#include "units.hpp"

namespace xylem::tools {
namespace {

using Row = std::vector<std::string>;

// One line for each row, the columns aligned, two spaces apart. The last column takes what room it wants.
std::vector<std::string> align(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1) + "\n");
  }
  return lines;
}

std::string table(const std::vector<Row>& rows) { return fmt::format("{}", fmt::join(align(rows), "")); }

std::string section(const std::string& title, const std::string& body) { return "\n" + title + "\n" + body; }

std::string or_unknown(std::size_t number) { return number == 0 ? "unknown" : std::to_string(number); }
std::string or_unknown(int number) { return or_unknown(static_cast<std::size_t>(std::max(number, 0))); }
std::string bytes_or_unknown(std::size_t bytes) { return bytes == 0 ? "unknown" : format_bytes(bytes); }

std::string join(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

std::string host_section(const Facts& facts) {
  const topo::Cores& cores = facts.cores;
  const topo::Machine& machine = facts.machine;
  std::string numa = or_unknown(machine.numa_nodes);
  if (machine.numa_node >= 0) numa += fmt::format(", all cores of this process on node {}", machine.numa_node);
  return section("Host",
                 table({
                     {"name", facts.host.name},
                     {"id", fmt::format("{:016x}", facts.host.id)},
                     {"cores", fmt::format("{} of {} allowed: {}", cores.allowed, cores.online, core_list(cores.mask))},
                     {"CPU quota", cores.cpu_quota == 0 ? "none" : fmt::format("{} cores' worth of time", cores.cpu_quota)},
                     {"packages", or_unknown(machine.packages)},
                     {"NUMA nodes", numa},
                     {"L2 cache", bytes_or_unknown(machine.l2_bytes)},
                     {"L3 cache", machine.l3_bytes == 0 ? "unknown"
                                                        : fmt::format("{}, {} in the machine",
                                                                      bytes_or_unknown(machine.l3_bytes), machine.l3_groups)},
                     {"known from", machine.source},
                 }));
}

std::string devices_section(const Facts& facts) {
  std::vector<Row> rows;
  for (const char* kind : {"nic", "gpu"}) {
    const std::string label = kind == std::string("nic") ? "NIC" : "GPU";
    const std::size_t before = rows.size();
    for (const topo::Device& device : facts.devices) {
      if (device.kind != kind) continue;
      const std::string node = device.numa_node < 0 ? "" : fmt::format("NUMA node {}", device.numa_node);
      rows.push_back({label, device.name, device.pci, node});
    }
    if (rows.size() == before) rows.push_back({label, "none"});
  }
  return section("Devices", table(rows));
}

// One row for each provider, with the reason of its best interface. The addresses are for programs: --json.
std::string providers_section(const Facts& facts) {
  const std::string title = "Network providers, best first";
  if (!facts.no_providers.empty()) return section(title, table({{"none: " + facts.no_providers}}));
  std::vector<Row> rows = {{"PROVIDER", "NICS", "USED", "WHY"}};
  for (const ofi::ProviderInfo& provider : facts.providers) {
    const auto row = std::find_if(rows.begin() + 1, rows.end(), [&](const Row& r) { return r[0] == provider.name; });
    if (row == rows.end()) {
      rows.push_back({provider.name, provider.nic, provider.usable ? "yes" : "if named", provider.reason});
    } else if ((", " + (*row)[1] + ",").find(", " + provider.nic + ",") == std::string::npos) {
      (*row)[1] += ", " + provider.nic;
    }
  }
  return section(title, table(rows));
}

std::string mpi_section(const Facts& facts) {
  const bool installed = !facts.preload_library.empty();
  return section("MPI", table({
                            {"preload library", installed ? facts.preload_library : "not found beside this tool"},
                            {"back ends", facts.back_ends.empty() ? "none" : join(facts.back_ends)},
                        }));
}

std::string cuda_section(const Facts& facts) {
  std::vector<Row> rows;
  if (!facts.cuda.driver.empty()) rows.push_back({"driver", "serves CUDA " + facts.cuda.driver});
  for (const cuda::DeviceInfo& device : facts.cuda.list) {
    rows.push_back({device.name, device.architecture, format_bytes(device.memory_bytes), device.uuid});
  }
  if (facts.cuda.list.empty()) rows.push_back({"none: " + facts.cuda.none});
  return section("CUDA devices", table(rows));
}

std::string settings_section(const Facts& facts) {
  std::vector<Row> rows = {{"NAME", "VALUE", "DEFAULT", "TAKES"}};
  for (const SettingInfo& setting : facts.settings) {
    const auto or_unset = [](const std::string& value) { return value.empty() ? "unset" : value; };
    rows.push_back({std::string(setting.name), or_unset(setting.value), or_unset(setting.default_value), setting.accepts});
  }
  const std::vector<std::string> lines = align(rows);
  std::string body = lines.front();
  for (std::size_t i = 0; i < facts.settings.size(); ++i) {
    const SettingInfo& setting = facts.settings[i];
    body += lines[i + 1] + fmt::format("      {}{}\n", setting.help, setting.agreed ? " Rank 0's value holds." : "");
  }
  return section("Settings", body);
}

std::string problems_section(const Facts& facts) {
  std::vector<Row> rows;
  for (const std::string& problem : facts.problems) rows.push_back({problem});
  return rows.empty() ? "" : section("Problems", table(rows));
}

}  // namespace

std::string facts_as_text(const Facts& facts) {
  return fmt::format("Xylem {}\n", facts.version) + host_section(facts) + devices_section(facts) + providers_section(facts) +
         mpi_section(facts) + cuda_section(facts) + settings_section(facts) + problems_section(facts);
}

}  // namespace xylem::tools
