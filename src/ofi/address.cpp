#include "ofi/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fabric.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string_view>

namespace xylem::ofi {
namespace {

// The same address may exist on every host behind one of these.
bool is_bridge(std::string_view nic) {
  constexpr std::array<std::string_view, 6> kBridges = {"docker", "virbr", "br-", "cni", "lxc", "podman"};
  return std::any_of(kBridges.begin(), kBridges.end(), [&](std::string_view name) { return nic.starts_with(name); });
}

template <class Address>
bool read_as(std::span<const std::byte> bytes, Address& address) {
  if (bytes.size() < sizeof(Address)) return false;
  std::memcpy(&address, bytes.data(), sizeof(Address));
  return true;
}

std::uint64_t identity(const char* path) {
  struct stat status {};
  return stat(path, &status) == 0 ? status.st_ino ^ static_cast<std::uint64_t>(status.st_dev) << 32 : 0;
}

}  // namespace

Reach reach_of(std::uint32_t format, std::span<const std::byte> address, const std::string& nic) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (format == FI_ADDR_STR && address_text(format, address).starts_with("fi_shm")) return Reach::shared_memory;
  if (format == FI_SOCKADDR_IN && read_as(address, v4) && ntohl(v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET)
    return Reach::loopback;
  if (format == FI_SOCKADDR_IN6 && read_as(address, v6)) {
    if (IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr)) return Reach::loopback;
    if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr)) return Reach::link_local;
  }
  return is_bridge(nic) ? Reach::bridge : Reach::network;
}

std::string address_text(std::uint32_t format, std::span<const std::byte> address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (format == FI_SOCKADDR_IN && read_as(address, v4) && inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()))
    return text.data();
  if (format == FI_SOCKADDR_IN6 && read_as(address, v6) && inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()))
    return text.data();
  if (format == FI_ADDR_STR) {
    const auto* const begin = reinterpret_cast<const char*>(address.data());
    return {begin, strnlen(begin, address.size())};
  }
  return "?";
}

bool same_ip(std::uint32_t format, std::span<const std::byte> a, std::span<const std::byte> b) {
  return (format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6) && address_text(format, a) == address_text(format, b);
}

std::uint64_t meeting_place(Reach reach) {
  if (reach != Reach::loopback && reach != Reach::shared_memory) return 0;
  // Loopback ends at the network namespace, shared memory at the mounted /dev/shm; the boot id tells machines apart.
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  const std::uint64_t place = identity(reach == Reach::loopback ? "/proc/self/ns/net" : "/dev/shm");
  return (std::hash<std::string>{}(boot) ^ place * 0x9e3779b97f4a7c15U) | 1;
}

}  // namespace xylem::ofi
