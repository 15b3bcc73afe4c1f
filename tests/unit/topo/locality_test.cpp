#include "topo/locality.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"

namespace xylem::topo {
namespace {

CoreMask mask(std::initializer_list<unsigned> cores) {
  CoreMask made{};
  for (const unsigned core : cores) made[core / 64] |= std::uint64_t{1} << core % 64;
  return made;
}

// Two nodes of two complexes of two cores, whose second threads are numbered after all first ones.
struct Machine {
  FakeRoot root;

  Machine() {
    for (const unsigned core : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U, 66U}) {
      const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(core) + "/";
      const unsigned first = core % 8 / 2 * 2;
      root.write(folder + "cache/index0/shared_cpu_list", std::to_string(core) + "\n");
      root.write(folder + "cache/index3/shared_cpu_list",
                 std::to_string(first) + "-" + std::to_string(first + 1) + "," + std::to_string(first + 64) + "\n");
      root.link(folder + "node" + std::to_string(core % 8 / 4),
                "sys/devices/system/node/node" + std::to_string(core % 8 / 4));
    }
    root.write("sys/devices/system/node/node0/cpulist", "0-3,64-67\n");
    root.write("sys/devices/system/node/node1/cpulist", "4-7,68-71\n");
  }
};

TEST(Locality, IsThePartThatHoldsAllCores) {
  const Machine machine;
  const auto find = [&](std::initializer_list<unsigned> cores) { return find_locality(machine.root.path(), mask(cores)); };
  EXPECT_EQ(find({2}), (Locality{0, 2}));
  EXPECT_EQ(find({6, 7}), (Locality{1, 6}));
  EXPECT_EQ(find({66}), (Locality{0, 2}));
  EXPECT_EQ(find({1, 2}), (Locality{0, -1}));
  EXPECT_EQ(find({3, 4}), (Locality{-1, -1}));
  EXPECT_EQ(find({}), (Locality{-1, -1}));
}

TEST(Locality, OfAMachineThatHidesIsNone) {
  const FakeRoot root;
  EXPECT_EQ(find_locality(root.path(), mask({0})), (Locality{-1, -1}));
}

}  // namespace
}  // namespace xylem::topo
