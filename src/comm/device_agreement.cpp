#include "comm/device_agreement.hpp"

#include "comm/communicator.hpp"

namespace xylem {

std::size_t DeviceAgreement::ranks() const { return communicator_.size(); }

void DeviceAgreement::exchange(const void* mine, void* all, std::size_t bytes) const {
  const Call round{.collective = coll::Collective::allgather,
                   .input = mine,
                   .output = all,
                   .count = bytes,
                   .root = call_signature(call_, communicator_.size()),
                   .internal = true,
                   .on_behalf_of = &call_};
  if (communicator_.run_on_host(round) != XYLEM_SUCCESS) throw Broken{};
}

}  // namespace xylem
