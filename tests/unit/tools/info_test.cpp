#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core_list.hpp"
#include "info_facts.hpp"

namespace xylem::tools {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Facts some_facts() {
  Facts facts;
  facts.version = "1.2.3";
  facts.host = {"node7", 0xabc};
  facts.cores = {.allowed = 3, .online = 8, .cpu_quota = 1.5, .mask = {0b10011}};
  facts.machine = {.packages = 2,
                   .numa_nodes = 4,
                   .numa_node = 1,
                   .l2_bytes = 512 * 1024,
                   .l3_bytes = 33554432,
                   .l3_groups = 2,
                   .source = "hwloc 2.9.0"};
  facts.devices = {{"nic", "mlx5_0", "0000:3b:00.0", 1}, {"nic", "usb0", "", -1}};
  facts.providers = {{"verbs;ofi_rxm", "mlx5_0", "fe80::", "fe80::1", true, "RDMA"},
                     {"tcp;ofi_rxm", "eth0", "10.1.0.0/16", "10.1.0.7", true, "TCP"},
                     {"tcp;ofi_rxm", "eth0", "fd00::/64", "fd00::7", true, "TCP"},
                     {"tcp;ofi_rxm", "lo", "127.0.0.0/8", "127.0.0.1", true, "TCP, loopback"},
                     {"sockets", "eth0", "10.1.0.0/16", "10.1.0.7", false, "slow"}};
  facts.cuda = {{{"NVIDIA H200", "GPU-0102", std::size_t{139} << 30, "sm_90"}}, "13.0", ""};
  facts.cuda_built_in = true;
  facts.preload_library = "/opt/xylem/lib/libxylem_mpi.so";
  facts.back_ends = {"mpich", "openmpi"};
  facts.settings = {{"XYLEM_CHUNK", "bytes", "a size", "0", "64K", "How much.", true},
                    {"XYLEM_STATS", "path", "a path", "", "", "Where to.", false}};
  return facts;
}

TEST(InfoText, EndsWithProblemsWhereThereAreSome) {
  Facts facts = some_facts();
  facts.problems = {"XYLEM_ALGORITHM: 'rnig' names no algorithm"};
  EXPECT_TRUE(facts_as_text(facts).ends_with("\nProblems\n  XYLEM_ALGORITHM: 'rnig' names no algorithm\n"));
  EXPECT_EQ(json::parse(facts_as_json(facts)).at("problems"), json(facts.problems));
}

TEST(InfoText, TellsEverythingAligned) {
  EXPECT_EQ(facts_as_text(some_facts()), R"(Xylem 1.2.3

Host
  name        node7
  id          0000000000000abc
  cores       3 of 8 allowed: 0-1,4
  CPU quota   1.5 cores' worth of time
  packages    2
  NUMA nodes  4, all cores of this process on node 1
  L2 cache    512 KiB
  L3 cache    32 MiB, 2 in the machine
  known from  hwloc 2.9.0

Devices
  NIC  mlx5_0  0000:3b:00.0  NUMA node 1
  NIC  usb0
  GPU  none

Network providers, best first
  PROVIDER       NICS      USED      WHY
  verbs;ofi_rxm  mlx5_0    yes       RDMA
  tcp;ofi_rxm    eth0, lo  yes       TCP
  sockets        eth0      if named  slow

MPI
  preload library  /opt/xylem/lib/libxylem_mpi.so
  back ends        mpich, openmpi

CUDA devices
  driver       serves CUDA 13.0
  NVIDIA H200  sm_90  139 GiB  GPU-0102

Settings
  NAME         VALUE  DEFAULT  TAKES
  XYLEM_CHUNK  64K    0        a size
      How much. Rank 0's value holds.
  XYLEM_STATS  unset  unset    a path
      Where to.
)");
}

TEST(InfoText, SaysWhatIsUnknown) {
  Facts facts;
  facts.machine.source = "unknown: built without hwloc";
  facts.no_providers = "cannot open libfabric.so.1";
  facts.cuda.none = "no NVIDIA driver";
  const std::string text = facts_as_text(facts);
  EXPECT_THAT(text, HasSubstr("\n  CPU quota   none\n"));
  EXPECT_THAT(text, HasSubstr("\n  NUMA nodes  unknown\n"));
  EXPECT_THAT(text, HasSubstr("\n  L3 cache    unknown\n"));
  EXPECT_THAT(text, HasSubstr("\n  known from  unknown: built without hwloc\n"));
  EXPECT_THAT(text, HasSubstr("\n  NIC  none\n  GPU  none\n"));
  EXPECT_THAT(text, HasSubstr("\n  none: cannot open libfabric.so.1\n"));
  EXPECT_THAT(text, HasSubstr("\n  none: no NVIDIA driver\n"));
  EXPECT_THAT(text, HasSubstr("\n  preload library  not found beside this tool\n"));
}

TEST(InfoJson, SaysTheSame) {
  const json info = json::parse(facts_as_json(some_facts()));
  EXPECT_EQ(info.at("version"), "1.2.3");
  EXPECT_EQ(info.at("host"), json({{"name", "node7"}, {"id", "0000000000000abc"}}));
  EXPECT_EQ(info.at("cores"), json({{"allowed", 3}, {"online", 8}, {"list", "0-1,4"}, {"cpu_quota", 1.5}}));
  EXPECT_EQ(info.at("machine"), json({{"packages", 2},
                                      {"numa_nodes", 4},
                                      {"numa_node", 1},
                                      {"l2_bytes", 524288},
                                      {"l3_bytes", 33554432},
                                      {"l3_groups", 2},
                                      {"source", "hwloc 2.9.0"}}));
  EXPECT_EQ(info.at("devices").at(0), json({{"kind", "nic"}, {"name", "mlx5_0"}, {"pci", "0000:3b:00.0"}, {"numa_node", 1}}));
  EXPECT_EQ(info.at("devices").at(1), json({{"kind", "nic"}, {"name", "usb0"}, {"pci", nullptr}, {"numa_node", nullptr}}));
  EXPECT_EQ(info.at("device_support"), true);
  EXPECT_EQ(info.at("cuda").at("devices").at(0), json({{"name", "NVIDIA H200"},
                                                       {"uuid", "GPU-0102"},
                                                       {"memory_bytes", std::size_t{139} << 30},
                                                       {"architecture", "sm_90"}}));
  EXPECT_EQ(info.at("cuda").at("none"), nullptr);
  EXPECT_EQ(info.at("providers").size(), 5u);
  EXPECT_EQ(info.at("providers").at(4).at("usable"), false);
  EXPECT_EQ(info.at("no_providers"), nullptr);
  EXPECT_EQ(info.at("mpi").at("back_ends"), json({"mpich", "openmpi"}));
  EXPECT_EQ(info.at("settings").at(0).at("value"), "64K");
  EXPECT_EQ(info.at("settings").at(0).at("agreed"), true);
  EXPECT_EQ(info.at("settings").at(1).at("value"), nullptr);
}

TEST(InfoJson, SurvivesNamesThatAreNotText) {
  Facts facts = some_facts();
  facts.host.name = "node\xff";
  EXPECT_EQ(json::parse(facts_as_json(facts)).at("host").at("name"), "node\xef\xbf\xbd");
}

TEST(CoreList, IsAsLinuxWritesIt) {
  EXPECT_EQ(core_list({}), "");
  EXPECT_EQ(core_list({0b1}), "0");
  EXPECT_EQ(core_list({0b1110}), "1-3");
  EXPECT_EQ(core_list({0b1011}), "0-1,3");
  EXPECT_EQ(core_list({std::uint64_t{1} << 63, 1}), "63-64");
  topo::CoreMask last{};
  last[15] = std::uint64_t{3} << 62;
  EXPECT_EQ(core_list(last), "1022-1023");
}

}  // namespace
}  // namespace xylem::tools
