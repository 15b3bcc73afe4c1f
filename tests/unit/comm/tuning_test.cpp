#include "comm/tuning.hpp"

#include <gtest/gtest.h>

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

TEST(Tuning, OfNoFileSaysSo) { EXPECT_EQ(read_tuning("/no/such/file").trouble, "/no/such/file: No such file or directory"); }

}  // namespace
}  // namespace xylem
