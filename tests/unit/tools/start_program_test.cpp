#include "start_program.hpp"

#include <gtest/gtest.h>

namespace xylem::tools {
namespace {

TEST(PreloadWith, StandsInFrontOfWhatIsThere) {
  EXPECT_EQ(preload_with("/lib/x.so", ""), "/lib/x.so");
  EXPECT_EQ(preload_with("/lib/x.so", "/lib/tool.so"), "/lib/x.so:/lib/tool.so");
}

TEST(PreloadWith, AddsNothingThatIsThereAlready) {
  EXPECT_EQ(preload_with("/lib/x.so", "/lib/x.so"), "/lib/x.so");
  EXPECT_EQ(preload_with("/lib/x.so", "/lib/tool.so:/lib/x.so"), "/lib/tool.so:/lib/x.so");
  EXPECT_EQ(preload_with("/lib/x.so", "/lib/tool.so /lib/x.so"), "/lib/tool.so /lib/x.so");
}

TEST(PreloadWith, IsNotMisledByALongerName) {
  EXPECT_EQ(preload_with("/lib/x.so", "/lib/x.so.1"), "/lib/x.so:/lib/x.so.1");
  EXPECT_EQ(preload_with("/lib/x.so", "/usr/lib/x.so"), "/lib/x.so:/usr/lib/x.so");
}

}  // namespace
}  // namespace xylem::tools
