// Stands in for the whole room in a build without libfabric's headers: everything is refused, and says why.
#include <utility>

#include "base/error.hpp"
#include "ofi/links.hpp"

namespace xylem::ofi {

class Farewell {};
class Hub {};
class InLink {};
class OutLink {};

namespace {

[[noreturn]] void refuse() {
  throw Error(
      XYLEM_ERROR_UNSUPPORTED,
      "this Xylem was built without libfabric: it serves ranks of one host only. Build it where libfabric's headers are "
      "installed (Debian: libfabric-dev)");
}

}  // namespace

void check_names(const NetworkOptions&) {}
std::vector<ProviderInfo> list_providers() { refuse(); }

std::shared_ptr<Network> Network::open(const NetworkOptions&) { refuse(); }
Network::Network(const NetworkOptions&) : reach_{} { refuse(); }
Network::~Network() = default;
void Network::seal() {}

Links::Links(std::shared_ptr<Network> network, int, int, std::uint32_t)
    : network_(std::move(network)), hub_(network_->hub()) {
  refuse();
}
Links::~Links() = default;
void Links::connect(std::span<const ConnectInfo>) { refuse(); }
exec::Channel Links::sender(int) { refuse(); }
exec::Channel Links::receiver(int) { refuse(); }
bool Links::progress() noexcept { return false; }
bool Links::idle() noexcept { return true; }
void Links::give_up(std::span<const int>, int, exec::Fault) noexcept {}
std::string Links::failure() const { return failure_; }

}  // namespace xylem::ofi
