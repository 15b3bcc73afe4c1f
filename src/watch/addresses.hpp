// The IP addresses of this host, and connecting to those of another.
#pragma once

#include <array>
#include <cstdint>

#include "watch/descriptor.hpp"
#include "watch/identity.hpp"

namespace xylem::watch {

// Loopback's are the last: between ranks that only believe to be on different hosts.
std::array<Address, Identity::kAddresses> own_addresses();

// A socket that listens at all addresses of this host, and its port; or none.
Descriptor listen_everywhere(std::uint16_t& port);

// A socket that is being connected, or none.
Descriptor begin_connecting(const Address& address, std::uint16_t port);

// Makes the kernel find out within half a minute that the other end cannot be reached any more.
void keep_alive(int socket);

}  // namespace xylem::watch
