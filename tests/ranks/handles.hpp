// Ranks as threads that use the C API: every rank runs the same body on its own handle.
#pragma once

#include <gtest/gtest.h>

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

// Cases that run alike on one rank, on several, and across made-up hosts.
struct Map {
  const char* name;
  int ranks;
  Hosts hosts;
};
inline const std::vector<Map>& maps() {
  static const std::vector<Map> all = {{"one_rank", 1, {}},
                                       {"two_ranks", 2, {}},
                                       {"five_ranks", 5, {}},
                                       {"two_hosts", 2, {0, 1}},
                                       {"three_hosts", 5, {0, 1, 2, 1, 0}}};
  return all;
}

class OnEveryMap : public testing::TestWithParam<std::size_t> {
 protected:
  static int ranks() { return maps()[GetParam()].ranks; }
  static void run(const std::function<void(xylem_comm_t&, int rank)>& body, const std::string& algorithm = {}) {
    run_handles(ranks(), body, maps()[GetParam()].hosts, {.algorithm = algorithm, .chunk_bytes = 512, .timeout_seconds = 0});
  }
};

inline auto every_map() { return testing::Range<std::size_t>(0, maps().size()); }
inline std::string map_name(const testing::TestParamInfo<std::size_t>& param) { return maps()[param.param].name; }

}  // namespace xylem::test
