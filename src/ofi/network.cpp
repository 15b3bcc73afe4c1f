#include "ofi/network.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "base/log.hpp"
#include "ofi/candidates.hpp"
#include "ofi/hub.hpp"

namespace xylem::ofi {

std::shared_ptr<Network> Network::open(const NetworkOptions& options) {
  static std::mutex mutex;
  static std::map<std::tuple<std::string, std::string, bool>, std::weak_ptr<Network>> networks;
  const std::scoped_lock lock(mutex);
  std::weak_ptr<Network>& known = networks[{options.provider, options.nic, options.register_memory}];
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
  hub_ = std::make_unique<Hub>(std::move(choice.info), options.register_memory);
  description_ += " (" + hub_->endpoint().address_text() + "): " + choice.reason;
  log::info("network: " + description_);
}

Network::~Network() = default;

}  // namespace xylem::ofi
