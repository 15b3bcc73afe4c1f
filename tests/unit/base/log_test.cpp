// What reaches stderr. The environment is set before anything reads it, so this is a program of its own; its cases share one
// process when run by hand, and the identity once set stays.
#include "base/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/settings.hpp"

namespace xylem {
namespace {

const int kEnvironmentIsSet = setenv("XYLEM_LOG", "info", 1) + setenv("XYLEM_CHUNKS", "1", 1);

// What `action` writes to stderr, as the list of its write calls' data: a packet pipe keeps them apart.
template <class Action>
std::vector<std::string> writes_of(Action action) {
  std::array<int, 2> pipe{};
  EXPECT_EQ(pipe2(pipe.data(), O_DIRECT | O_NONBLOCK), 0);
  const int stderr_copy = dup(STDERR_FILENO);
  dup2(pipe[1], STDERR_FILENO);
  action();
  dup2(stderr_copy, STDERR_FILENO);
  close(stderr_copy);
  close(pipe[1]);
  std::vector<std::string> packets;
  std::array<char, 8192> packet{};
  for (ssize_t bytes = 0; (bytes = read(pipe[0], packet.data(), packet.size())) > 0;)
    packets.emplace_back(packet.data(), static_cast<std::size_t>(bytes));
  close(pipe[0]);
  return packets;
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size());
  return name.data();
}

using Lines = std::vector<std::string>;

// The first case, for a process warns once.
TEST(Log, AnUnknownSettingIsReportedOncePerProcess) {
  ASSERT_EQ(kEnvironmentIsSet, 0);
  const std::string who = "pid " + std::to_string(getpid()) + " on " + host_name();
  EXPECT_EQ(writes_of([] {
              log::info("first");
              tell_settings_complaints();
              tell_settings_complaints();
              log::info("second");
            }),
            (Lines{"xylem: info: " + who + ": first\n",
                   "xylem: warn: " + who + ": XYLEM_CHUNKS is no setting of Xylem; did you mean XYLEM_CHUNK?\n",
                   "xylem: info: " + who + ": second\n"}));
}

TEST(Log, ALineNamesLevelRankAndHostInOneWrite) {
  log::enabled(log::Level::warn);
  log::set_identity(3, "node7");
  EXPECT_EQ(writes_of([] { log::warn("text"); }), Lines{"xylem: warn: rank 3 on node7: text\n"});
  EXPECT_EQ(writes_of([] { log::info("two\nlines"); }), Lines{"xylem: info: rank 3 on node7: two lines\n"});
  EXPECT_EQ(writes_of([] { log::info("\x1b[1mloud\x7f\xc3\xa4"); }),
            Lines{"xylem: info: rank 3 on node7:  [1mloud \xc3\xa4\n"});
}

TEST(Log, LevelsAboveTheSettingSayNothing) {
  EXPECT_TRUE(log::enabled(log::Level::warn));
  EXPECT_TRUE(log::enabled(log::Level::info));
  EXPECT_FALSE(log::enabled(log::Level::debug));
  EXPECT_FALSE(log::enabled(log::Level::off));
  EXPECT_EQ(writes_of([] { log::debug("text"); }), Lines{});
}

TEST(Log, ErrnoIsKept) {
  log::enabled(log::Level::warn);
  const int stderr_copy = dup(STDERR_FILENO);
  close(STDERR_FILENO);
  errno = EXDEV;
  log::warn("nobody can read this");
  EXPECT_EQ(errno, EXDEV);
  dup2(stderr_copy, STDERR_FILENO);
  close(stderr_copy);
}

TEST(Log, ALineFitsInWhatAPipeTakesWhole) {
  log::enabled(log::Level::warn);
  log::set_identity(0, "a");
  const std::string head = "xylem: warn: rank 0 on a: ";
  const Lines lines = writes_of([] { log::warn(std::string(10000, 'x')); });
  EXPECT_EQ(lines, Lines{head + std::string(4096 - 4 - head.size(), 'x') + "...\n"});
  const std::string longest(4096 - 1 - head.size(), 'y');
  EXPECT_EQ(writes_of([&] { log::warn(longest); }), Lines{head + longest + "\n"});
}

TEST(Log, ThreadsWriteWholeLines) {
  log::enabled(log::Level::warn);
  log::set_identity(1, "b");
  const Lines lines = writes_of([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 5; ++i) log::warn("line");
      });
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(lines, Lines(10, "xylem: warn: rank 1 on b: line\n"));
}

}  // namespace
}  // namespace xylem
