#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core_list.hpp"
#include "info_facts.hpp"

namespace xylem::tools {
namespace {

using Json = nlohmann::ordered_json;

// Unknown is null and no number that somebody might add up.
template <class Number>
Json known(Number number, bool is_known) {
  return is_known ? Json(number) : Json(nullptr);
}
template <class Number>
Json known(Number number) {
  return known(number, number != 0);
}
Json known(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json as_json(const topo::Device& device) {
  return {{"kind", device.kind},
          {"name", device.name},
          {"pci", known(device.pci)},
          {"numa_node", known(device.numa_node, device.numa_node >= 0)}};
}

Json as_json(const ofi::ProviderInfo& provider) {
  return {{"name", provider.name},       {"nic", provider.nic},       {"fabric", provider.fabric},
          {"address", provider.address}, {"usable", provider.usable}, {"reason", provider.reason}};
}

Json as_json(const cuda::DeviceInfo& device) {
  return {{"name", device.name},
          {"uuid", device.uuid},
          {"memory_bytes", device.memory_bytes},
          {"architecture", device.architecture}};
}

Json as_json(const SettingInfo& setting) {
  return {{"name", setting.name},
          {"type", setting.type},
          {"takes", setting.accepts},
          {"value", known(setting.value)},
          {"default", known(setting.default_value)},
          {"agreed", setting.agreed},
          {"help", setting.help}};
}

template <class T>
Json as_json(const std::vector<T>& list) {
  Json array = Json::array();
  for (const T& element : list) array.push_back(as_json(element));
  return array;
}

}  // namespace

std::string facts_as_json(const Facts& facts) {
  const topo::Machine& machine = facts.machine;
  const Json json = {
      {"version", facts.version},
      {"host", {{"name", facts.host.name}, {"id", fmt::format("{:016x}", facts.host.id)}}},
      {"cores",
       {{"allowed", facts.cores.allowed},
        {"online", facts.cores.online},
        {"list", core_list(facts.cores.mask)},
        {"cpu_quota", known(facts.cores.cpu_quota)}}},
      {"machine",
       {{"packages", known(machine.packages)},
        {"numa_nodes", known(machine.numa_nodes)},
        {"numa_node", known(machine.numa_node, machine.numa_node >= 0)},
        {"l2_bytes", known(machine.l2_bytes)},
        {"l3_bytes", known(machine.l3_bytes)},
        {"l3_groups", known(machine.l3_groups)},
        {"source", machine.source}}},
      {"devices", as_json(facts.devices)},
      {"providers", as_json(facts.providers)},
      {"no_providers", known(facts.no_providers)},
      {"mpi", {{"preload_library", known(facts.preload_library)}, {"back_ends", facts.back_ends}}},
      {"device_support", facts.cuda_built_in},
      {"cuda",
       {{"driver", known(facts.cuda.driver)}, {"devices", as_json(facts.cuda.list)}, {"none", known(facts.cuda.none)}}},
      {"settings", as_json(facts.settings)},
      {"problems", facts.problems},
  };
  // Names may come from the environment and need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace xylem::tools
