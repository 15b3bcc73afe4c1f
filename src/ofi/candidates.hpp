// The providers that libfabric offers for our kind of traffic, judged and sorted.
#pragma once

#include <string>
#include <vector>

#include "ofi/handles.hpp"
#include "ofi/providers.hpp"

namespace xylem::ofi {

struct Candidate {
  const fi_info* info;
  bool usable;  // without being named by the user
  std::string reason;
};

// All reliable endpoints with tagged messages and RMA, of one provider or (empty name) of all; null when there are none. Slow
// at the first call: libfabric looks for hardware. Throws Error.
Info offered(const std::string& provider);

// One candidate for each provider, interface and address in `list`, best first. They point into it.
std::vector<Candidate> judge(const fi_info* list);

// The one to use, and why. Throws Error with the names to choose from when the options name something that is not there.
struct Choice {
  Info info;
  std::string reason;
};
Choice choose_provider(const NetworkOptions& options);

}  // namespace xylem::ofi
