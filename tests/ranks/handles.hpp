// Ranks as threads that use the C API: every rank runs the same body on its own handle.
#pragma once

#include "api/handle.hpp"
#include "rank_threads.hpp"

namespace xylem::test {

// The body may end the communicator itself; then it sets the handle to null.
inline void run_handles(int ranks, const std::function<void(xylem_comm_t&, int rank)>& body, const Hosts& hosts = {},
                        const AgreedSettings& settings = {}) {
  stay_on_loopback();
  const auto rendezvous = std::make_shared<Rendezvous>(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const Placement placement = place_on(hosts.empty() ? 0 : hosts[static_cast<std::size_t>(rank)]);
      auto* comm = new xylem_comm(
          std::make_unique<Communicator>(std::make_shared<ThreadBootstrap>(rendezvous, rank), placement, settings));
      body(comm, rank);
      EXPECT_EQ(xylem_comm_destroy(comm), XYLEM_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace xylem::test
