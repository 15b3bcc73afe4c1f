// hwloc describes the machine that HWLOC_SYNTHETIC names, so that the values are known.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>

#include "topo/topology.hpp"

namespace xylem::topo {
namespace {

// One case only: machine() is read once per process.
TEST(Machine, IsAsHwlocDescribesIt) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0) << "more than 1024 hardware threads";
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  if (first >= 16) GTEST_SKIP() << "the machine of this test has 16 hardware threads, none of which is allowed here";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  ASSERT_EQ(setenv("HWLOC_SYNTHETIC", "pack:2 [numa] l3:2(size=16777216) l2:2(size=524288) core:1 pu:2", 1), 0);

  EXPECT_EQ(machine().packages, 2);
  EXPECT_EQ(machine().numa_nodes, 2);
  EXPECT_EQ(machine().numa_node, first / 8);
  EXPECT_EQ(machine().l2_bytes, 524288u);
  EXPECT_EQ(machine().l3_bytes, 16777216u);
  EXPECT_EQ(machine().l3_groups, 4);
  EXPECT_TRUE(machine().source.starts_with("hwloc ")) << machine().source;

  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&after, &one)) << "discovery moved this thread";
}

}  // namespace
}  // namespace xylem::topo
