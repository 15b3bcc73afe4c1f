#include "watch/addresses.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace xylem::watch {
namespace {

constexpr int kKeepIdleSeconds = 10;
constexpr int kKeepIntervalSeconds = 5;
constexpr int kKeepProbes = 4;

// One address in the kernel's form. Family 0 stands for all addresses of this host.
class SocketAddress {
 public:
  SocketAddress(const Address& address, bool v6, std::uint16_t port) {
    if (!v6) {
      storage_.v4.sin_family = AF_INET;
      storage_.v4.sin_port = htons(port);
      std::memcpy(&storage_.v4.sin_addr, address.bytes.data(), sizeof storage_.v4.sin_addr);
      length_ = sizeof storage_.v4;
      return;
    }
    storage_.v6.sin6_family = AF_INET6;
    storage_.v6.sin6_port = htons(port);
    std::memcpy(&storage_.v6.sin6_addr, address.bytes.data(), sizeof storage_.v6.sin6_addr);
    length_ = sizeof storage_.v6;
  }
  sockaddr* get() { return &storage_.any; }
  socklen_t& length() { return length_; }
  std::uint16_t port() const {
    return ntohs(storage_.any.sa_family == AF_INET ? storage_.v4.sin_port : storage_.v6.sin6_port);
  }

 private:
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } storage_{};
  socklen_t length_ = 0;
};

// Link-local addresses mean nothing without the interface of whoever uses them.
bool read_address(const sockaddr* from, Address& into) {
  if (from == nullptr) return false;
  if (from->sa_family == AF_INET) {
    into.family = 4;
    std::memcpy(into.bytes.data(), &reinterpret_cast<const sockaddr_in*>(from)->sin_addr, 4);
    return true;
  }
  if (from->sa_family != AF_INET6) return false;
  const in6_addr& address = reinterpret_cast<const sockaddr_in6*>(from)->sin6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&address)) return false;
  into.family = 6;
  std::memcpy(into.bytes.data(), &address, sizeof address);
  return true;
}

Descriptor open_socket(bool v6) {
  return Descriptor::opened([&] { return socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); });
}

}  // namespace

std::array<Address, Identity::kAddresses> own_addresses() {
  std::vector<Address> others;
  std::vector<Address> loopback;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) == 0) {
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
      Address address{};
      if ((each->ifa_flags & IFF_UP) == 0 || !read_address(each->ifa_addr, address)) continue;
      ((each->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : others).push_back(address);
    }
    freeifaddrs(list);
  }
  std::array<Address, Identity::kAddresses> result{};
  // One place stays for loopback.
  others.resize(std::min(others.size(), result.size() - 1));
  std::copy(others.begin(), others.end(), result.begin());
  if (!loopback.empty()) result[others.size()] = loopback.front();
  return result;
}

Descriptor listen_everywhere(std::uint16_t& port) {
  // An IPv6 socket takes IPv4 connections too; some sites have no IPv6.
  Descriptor listener = open_socket(true);
  const bool v6 = listener.is_open();
  if (v6) {
    const int no = 0;
    setsockopt(listener.number(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  } else {
    listener = open_socket(false);
  }
  SocketAddress own({}, v6, 0);
  if (bind(listener.number(), own.get(), own.length()) != 0 || listen(listener.number(), SOMAXCONN) != 0 ||
      getsockname(listener.number(), own.get(), &own.length()) != 0)
    return {};
  port = own.port();
  return listener;
}

Descriptor begin_connecting(const Address& address, std::uint16_t port) {
  Descriptor connecting = open_socket(address.family == 6);
  SocketAddress to(address, address.family == 6, port);
  if (connect(connecting.number(), to.get(), to.length()) == 0 || errno == EINPROGRESS) return connecting;
  return {};
}

void keep_alive(int socket) {
  const auto set = [&](int level, int name, int value) { setsockopt(socket, level, name, &value, sizeof value); };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kKeepIdleSeconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kKeepIntervalSeconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, kKeepProbes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * (kKeepIdleSeconds + kKeepIntervalSeconds * kKeepProbes));
}

}  // namespace xylem::watch
