// All that `xylem info` tells, gathered once; text and JSON say the same.
#pragma once

#include <string>
#include <vector>

#include "base/settings.hpp"
#include "cuda/devices.hpp"
#include "ofi/providers.hpp"
#include "topo/topology.hpp"

namespace xylem::tools {

struct Facts {
  std::string version;
  topo::Host host;
  topo::Cores cores;
  topo::Machine machine;
  std::vector<topo::Device> devices;
  cuda::Devices cuda;
  bool cuda_built_in = false;                // this build knows device buffers
  std::vector<ofi::ProviderInfo> providers;  // best first
  std::string no_providers;                  // why there are none, empty if there are
  std::string preload_library;               // its path, empty if it is not where it belongs
  std::vector<std::string> back_ends;        // of the preload library: "mpich", "openmpi"
  std::vector<SettingInfo> settings;
  std::vector<std::string> problems;  // rules in force that make no sense
};

Facts collect_facts();

std::string facts_as_text(const Facts& facts);
std::string facts_as_json(const Facts& facts);

}  // namespace xylem::tools
