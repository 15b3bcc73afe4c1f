#include "topo/cpu_quota.hpp"

#include <gtest/gtest.h>

#include "fake_root.hpp"

namespace xylem::topo {
namespace {

TEST(CpuMax, IsQuotaOverPeriod) {
  EXPECT_EQ(parse_cpu_max("150000 100000"), 1.5);
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(parse_cpu_max("25000 50000"), 0.5);
  EXPECT_EQ(parse_cpu_max("3200000 100000"), 32.0);
}

TEST(CpuMax, WithoutALimitIsZero) {
  for (const char* text :
       {"max 100000", "max 100000\n", "", "max", "100000", "0 100000", "100000 0", "a b", "1 2 3", "-1 100000"})
    EXPECT_EQ(parse_cpu_max(text), 0.0) << text;
}

TEST(CfsQuota, IsQuotaOverPeriod) {
  EXPECT_EQ(parse_cfs_quota("200000", "100000"), 2.0);
  EXPECT_EQ(parse_cfs_quota("-1", "100000"), 0.0);
  EXPECT_EQ(parse_cfs_quota("", ""), 0.0);
}

TEST(CpuQuota, OfNothingIsNone) { EXPECT_EQ(read_cpu_quota(FakeRoot().path()), 0.0); }

TEST(CpuQuota, TheTightestGroupOfVersion2Counts) {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/user.slice/job_7/task_0\n");
  root.write("sys/fs/cgroup/user.slice/cpu.max", "800000 100000\n");
  root.write("sys/fs/cgroup/user.slice/job_7/cpu.max", "400000 100000\n");
  root.write("sys/fs/cgroup/user.slice/job_7/task_0/cpu.max", "max 100000\n");
  EXPECT_EQ(read_cpu_quota(root.path()), 4.0);
  root.write("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
  EXPECT_EQ(read_cpu_quota(root.path()), 1.5);
}

TEST(CpuQuota, Version1IsFoundByItsController) {
  const FakeRoot root;
  root.write("proc/self/cgroup", "9:memory:/a\n4:cpuset:/b\n3:cpu,cpuacct:/docker/c:1\n");
  root.write("sys/fs/cgroup/cpu/docker/c:1/cpu.cfs_quota_us", "250000\n");
  root.write("sys/fs/cgroup/cpu/docker/c:1/cpu.cfs_period_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "100000\n");
  root.write("sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_cpu_quota(root.path()), 2.5);
}

TEST(CpuQuota, AContainerThatSeesItsOwnGroupAtTheTop) {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/../../somewhere/else\n");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  root.write("sys/fs/somewhere/else/cpu.max", "100000 100000\n");
  EXPECT_EQ(read_cpu_quota(root.path()), 2.0);
  root.write("proc/self/cgroup", "0::/hidden/here\n");
  EXPECT_EQ(read_cpu_quota(root.path()), 2.0);
}

TEST(CpuQuota, Version2BesideVersion1) {
  const FakeRoot root;
  root.write("proc/self/cgroup", "1:name=systemd:/\n0::/job\n");
  root.write("sys/fs/cgroup/unified/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(read_cpu_quota(root.path()), 0.5);
}

}  // namespace
}  // namespace xylem::topo
