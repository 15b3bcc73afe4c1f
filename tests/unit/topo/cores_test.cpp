#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "topo/topology.hpp"

namespace xylem::topo {
namespace {

// One case only: cores() is read once per process.
TEST(Cores, AreThoseOfTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0) << "more than 1024 hardware threads";
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &before)) --last;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);

  EXPECT_EQ(cores().allowed, 1);
  EXPECT_EQ(cores().online, sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_GE(cores().cpu_quota, 0.0);
  CoreMask mask{};
  mask[static_cast<std::size_t>(last) / 64] = std::uint64_t{1} << (last % 64);
  EXPECT_EQ(cores().mask, mask);
}

}  // namespace
}  // namespace xylem::topo
