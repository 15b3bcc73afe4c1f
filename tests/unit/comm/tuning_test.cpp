#include "comm/tuning.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>

namespace xylem {
namespace {

struct File {
  std::string path =
      testing::TempDir() + "xylem_tuning_test." + std::to_string(::testing::UnitTest::GetInstance()->random_seed());
  explicit File(const std::string& text) { std::ofstream(path) << text; }
  ~File() { std::remove(path.c_str()); }
};

TEST(Tuning, IsTheRulesOfTheFile) {
  const File file("# comment\n\nallreduce  0-4K  hosts=1 :flat\nbcast: ring\n");
  const Tuning tuning = read_tuning(file.path);
  EXPECT_EQ(tuning.trouble, "");
  EXPECT_EQ(tuning.rules, "allreduce 0-4K hosts=1: flat\nbcast: ring\n");
}

TEST(Tuning, OfAnEmptyFileIsNone) {
  const File file("");
  EXPECT_EQ(read_tuning(file.path).rules + read_tuning(file.path).trouble, "");
}

TEST(Tuning, OfABrokenFileIsNoneAtAll) {
  const File file("bcast: ring\nbcast 0-4K: rnig\n");
  const Tuning tuning = read_tuning(file.path);
  EXPECT_EQ(tuning.rules, "");
  EXPECT_TRUE(tuning.trouble.starts_with(file.path + ", line 2: 'rnig' names no algorithm; there are flat"))
      << tuning.trouble;
}

TEST(Tuning, IsOnlyReadFromRegularFiles) {
  EXPECT_EQ(read_tuning("/tmp").trouble, "/tmp: is no regular file");
  EXPECT_EQ(read_tuning("/dev/zero").trouble, "/dev/zero: is no regular file");
  const File pipe("");
  std::remove(pipe.path.c_str());
  ASSERT_EQ(mkfifo(pipe.path.c_str(), 0600), 0);
  EXPECT_EQ(read_tuning(pipe.path).trouble, pipe.path + ": is no regular file");
}

TEST(Tuning, OfAHugeFileIsNone) {
  const std::string rule = "bcast: ring\n";
  const File largest(rule + std::string((1 << 20) - rule.size(), '\n'));
  EXPECT_EQ(read_tuning(largest.path).trouble, "");
  EXPECT_EQ(read_tuning(largest.path).rules, rule);
  const File larger(rule + std::string((1 << 20) - rule.size() + 1, '\n'));
  EXPECT_EQ(read_tuning(larger.path).trouble, larger.path + ": is larger than 1 MiB");
  EXPECT_EQ(read_tuning(larger.path).rules, "");
}

TEST(Tuning, ShowsTheWrongWordPrintableAndCut) {
  const File file("bcast: r\x1b[31m" + std::string(4096, 'x') + "\n");
  const std::string trouble = read_tuning(file.path).trouble;
  EXPECT_TRUE(trouble.starts_with(file.path + ", line 1: 'r\\x1b[31m" + std::string(60 - 9, 'x') + "...' names no algorithm"))
      << trouble;
}

TEST(Tuning, OfNoFileSaysSo) { EXPECT_EQ(read_tuning("/no/such/file").trouble, "/no/such/file: No such file or directory"); }

}  // namespace
}  // namespace xylem
