#include "launcher.hpp"

#include <gtest/gtest.h>

#include <map>

namespace xylem::tools {
namespace {

std::map<std::string, std::string> environment;

std::string variable(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

TEST(LaunchedBy, NobodyWithoutALaunchersVariables) {
  environment = {{"PATH", "/bin"}};
  EXPECT_EQ(launched_by(variable), "");
  EXPECT_EQ(launched_rank(variable), 0);
}

TEST(LaunchedBy, KnowsHydraAndSlurmsPmi) {
  environment = {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"PMI_FD", "7"}};
  EXPECT_EQ(launched_by(variable), "mpich");
  EXPECT_EQ(launched_rank(variable), 3);
}

TEST(LaunchedBy, KnowsOpenMpi) {
  environment = {{"OMPI_COMM_WORLD_SIZE", "2"}, {"OMPI_COMM_WORLD_RANK", "1"}, {"PMIX_RANK", "1"}};
  EXPECT_EQ(launched_by(variable), "openmpi");
  EXPECT_EQ(launched_rank(variable), 1);
}

TEST(LaunchedBy, TakesPmixBeforePmi) {
  environment = {{"PMIX_RANK", "5"}, {"PMI_FD", "7"}};
  EXPECT_EQ(launched_by(variable), "openmpi");
  EXPECT_EQ(launched_rank(variable), 5);
}

}  // namespace
}  // namespace xylem::tools
