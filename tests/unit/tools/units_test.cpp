#include "units.hpp"

#include <gtest/gtest.h>

namespace xylem::tools {
namespace {

using Sizes = std::vector<std::size_t>;

TEST(SplitList, GivesThePartsBetweenCommas) {
  EXPECT_EQ(split_list("a"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(split_list("a,bc,,d"), (std::vector<std::string>{"a", "bc", "", "d"}));
  EXPECT_EQ(split_list(""), (std::vector<std::string>{""}));
}

TEST(ParseSizes, ReadsAList) { EXPECT_EQ(parse_sizes("8,1K,64M"), (Sizes{8, 1024, 64 << 20})); }

TEST(ParseSizes, DoublesFromTheFirstToTheLastOfARange) {
  EXPECT_EQ(parse_sizes("8-64"), (Sizes{8, 16, 32, 64}));
  EXPECT_EQ(parse_sizes("3-20,1K"), (Sizes{3, 6, 12, 1024}));
  EXPECT_EQ(parse_sizes("4-4"), (Sizes{4}));
}

TEST(ParseSizes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "8,", "x", "8-", "-8", "16-8", "0-8", "1.5K", "8 16"})
    EXPECT_EQ(parse_sizes(text), std::nullopt) << text;
}

TEST(ParseRange, ReadsANumberOrTwo) {
  EXPECT_EQ(parse_range("7"), std::pair(7U, 7U));
  EXPECT_EQ(parse_range("1-64"), std::pair(1U, 64U));
  for (const char* text : {"", "-", "1-", "-3", "4-2", "1-2-3", "x", "1 2", "5000000000"})
    EXPECT_EQ(parse_range(text), std::nullopt) << text;
}

TEST(FormatBytes, UsesTheLargestUnitThatFits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(64 << 20), "64 MiB");
  EXPECT_EQ(format_bytes(std::size_t{5} << 40), "5120 GiB");
}

TEST(FormatMicroseconds, KeepsAboutThreeDigits) {
  EXPECT_EQ(format_microseconds(0.214), "0.21");
  EXPECT_EQ(format_microseconds(9.99), "9.99");
  EXPECT_EQ(format_microseconds(9.996), "10.0");
  EXPECT_EQ(format_microseconds(12.34), "12.3");
  EXPECT_EQ(format_microseconds(99.96), "100");
  EXPECT_EQ(format_microseconds(77000), "77,000");
  EXPECT_EQ(format_microseconds(1234005), "1,234,005");
}

}  // namespace
}  // namespace xylem::tools
