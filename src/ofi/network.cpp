#include "ofi/network.hpp"

#include <sys/mman.h>

#include <map>
#include <mutex>
#include <utility>

#include "base/log.hpp"
#include "ofi/candidates.hpp"
#include "ofi/hub.hpp"
#include "ofi/library.hpp"

namespace xylem::ofi {

std::shared_ptr<Network> Network::open(const NetworkOptions& options) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::weak_ptr<Network>> networks;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<Network>& known = networks[{options.provider, options.nic}];
  std::shared_ptr<Network> network = known.lock();
  if (network == nullptr) {
    network = std::make_shared<Network>(options);
    known = network;
  }
  return network;
}

Network::Network(const NetworkOptions& options) {
  Choice choice = choose_provider(options);
  provider_ = choice.info->fabric_attr->prov_name;
  description_ = "libfabric provider " + provider_ + " on " + choice.info->domain_attr->name;
  hub_ = std::make_unique<Hub>(std::move(choice.info));
  const fi_info& info = hub_->endpoint().info();
  reach_ = reach_of(info.addr_format, hub_->endpoint().address(), info.domain_attr->name);
  description_ += " (" + hub_->endpoint().address_text() + "): " + choice.reason;
  log::info("network: " + description_);
}

Network::~Network() = default;

void Network::seal() {
  // Since libfabric 2 memory is opened by its name when it is first sent to.
  constexpr int kOpensLater = 2;
  if (reach_ != Reach::shared_memory || FI_MAJOR(library().version()) >= kOpensLater) return;
  const std::string address = ofi::address_text(hub_->endpoint().info().addr_format, hub_->endpoint().address());
  // fi_shm://NAME, and shm_unlink takes /NAME.
  shm_unlink(address.substr(address.rfind('/')).c_str());
}

}  // namespace xylem::ofi
