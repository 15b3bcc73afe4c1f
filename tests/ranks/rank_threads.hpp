// Ranks as threads of this process: every rank runs the same body on its own communicator.
#pragma once

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/thread_bootstrap.hpp"

namespace xylem::test {

// Sanitizers make threads that wait for one another many times slower: the longest tests do less there.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Which made-up host each rank is on. Empty: all on one.
using Hosts = std::vector<int>;

inline Placement place_on(int host) { return {0x1000 + static_cast<std::uint64_t>(host), "host" + std::to_string(host)}; }

// Made-up hosts talk over the loopback interface, by the provider that every machine has, unless the environment names
// others.
inline void stay_on_loopback() {
  static const bool once = [] {
    setenv("XYLEM_PROVIDER", "tcp;ofi_rxm", 0);
    if (std::string(getenv("XYLEM_PROVIDER")) != "shm") setenv("XYLEM_NIC", "lo", 0);
    return true;
  }();
  static_cast<void>(once);
}

inline void run_ranks(int ranks, const std::function<void(Communicator&)>& body, const Hosts& hosts = {},
                      const AgreedSettings& settings = {}) {
  stay_on_loopback();
  const auto rendezvous = std::make_shared<Rendezvous>(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const Placement placement = place_on(hosts.empty() ? 0 : hosts[static_cast<std::size_t>(rank)]);
      Communicator communicator(std::make_shared<ThreadBootstrap>(rendezvous, rank), placement, settings);
      body(communicator);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace xylem::test
