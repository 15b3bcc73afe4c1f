#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "topo/host_identity.hpp"

namespace xylem::topo {
namespace {

const HostFacts kFacts{"81cd2c8a-bbd3", "node7", "pid:[4026531836]", "user:[4026531837]"};

TEST(Host, EqualFactsGiveEqualIds) {
  EXPECT_EQ(make_host("", kFacts).id, make_host("", HostFacts(kFacts)).id);
  EXPECT_EQ(make_host("", kFacts).name, "node7");
}

TEST(Host, EveryFactMakesADifference) {
  const std::uint64_t id = make_host("", kFacts).id;
  for (std::string HostFacts::*fact :
       {&HostFacts::boot_id, &HostFacts::name, &HostFacts::pid_namespace, &HostFacts::user_namespace}) {
    HostFacts other = kFacts;
    other.*fact += "8";
    EXPECT_NE(make_host("", other).id, id);
  }
  // The same letters, spread otherwise.
  EXPECT_NE(make_host("", {"81cd2c8a-bbd3n", "ode7", kFacts.pid_namespace, kFacts.user_namespace}).id, id);
}

TEST(Host, TheSettingWinsOverDetection) {
  const HostFacts elsewhere{"other-boot", "node8", "pid:[1]", "user:[2]"};
  const Host a = make_host("hostA", kFacts);
  EXPECT_EQ(a.name, "hostA");
  EXPECT_EQ(a.id, make_host("hostA", elsewhere).id);
  EXPECT_NE(a.id, make_host("hostB", kFacts).id);
  EXPECT_NE(a.id, make_host("", kFacts).id);
}

TEST(Host, TheIdIsTheSameInEveryBuild) {
  // FNV-1a of "hostA" and a zero byte: ranks of different builds must agree.
  EXPECT_EQ(make_host("hostA", kFacts).id, 0x66b77e7455df265eu);
}

TEST(Host, WithoutABootIdEachProcessIsAHostOfItsOwn) {
  const HostFacts hidden{"", "localhost", "", ""};
  EXPECT_NE(make_host("", hidden).id, make_host("", hidden).id);
}

// Containers and network namespaces are hosts of their own on the same cores.
TEST(Host, TheMachineIsKnownByItsBootIdAlone) {
  const HostFacts container{kFacts.boot_id, "web1", "pid:[1]", "user:[2]"};
  EXPECT_EQ(machine_id(container), machine_id(kFacts));
  HostFacts other = kFacts;
  other.boot_id += "8";
  EXPECT_NE(machine_id(other), machine_id(kFacts));
  EXPECT_EQ(machine_id({"", "node7", "", ""}), 0U);
}

TEST(Host, TheEnvironmentVariableReachesHost) {
  ASSERT_EQ(setenv("XYLEM_HOSTID", "hostA", 1), 0);
  EXPECT_EQ(host().name, "hostA");
  EXPECT_EQ(host().id, make_host("hostA", {}).id);
}

// Runs `action` in a child and gives what it returns, 0 to 255.
template <class Action>
int in_child(Action action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Host, AChildSharesTheHostUnlessItHasAnotherUserNamespace) {
  enum { kSame, kDifferent, kCannot };
  const std::uint64_t id = make_host("", read_host_facts()).id;
  const auto compare = [&] { return make_host("", read_host_facts()).id == id ? kSame : kDifferent; };
  EXPECT_EQ(in_child(compare), kSame);
  const int apart = in_child([&] { return unshare(CLONE_NEWUSER) == 0 ? compare() : kCannot; });
  if (apart == kCannot) GTEST_SKIP() << "this kernel lets this user make no user namespace";
  EXPECT_EQ(apart, kDifferent);
}

}  // namespace
}  // namespace xylem::topo
