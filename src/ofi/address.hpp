// What an endpoint's address says: how far it reaches, and how to write it for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace xylem::ofi {

// In order of preference.
enum class Reach {
  network,     // other hosts, as far as one can tell
  bridge,      // an interface that containers or virtual machines of this host use, by its name
  link_local,  // IPv6 without a router: needs the interface beside the address
  loopback,    // this network namespace
  shared_memory,
};

// `format` is fi_info's addr_format.
Reach reach_of(std::uint32_t format, std::span<const std::byte> address, const std::string& nic);

// "192.0.2.2", "::1", or the text of a provider's own format; "?" when it has no text.
std::string address_text(std::uint32_t format, std::span<const std::byte> address);

// Both are one IP address, whatever the ports. False for addresses of another kind.
bool same_ip(std::uint32_t format, std::span<const std::byte> a, std::span<const std::byte> b);

// A number that ranks must have in common to reach each other at an address of this kind; 0 for those that reach other hosts.
std::uint64_t meeting_place(Reach reach);

}  // namespace xylem::ofi
