#include "base/parse.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace xylem {
namespace {

TEST(ParseFlag, TakesTheUsualWordsInAnyCase) {
  for (const char* yes : {"1", "yes", "on", "true", "YES", "True"}) EXPECT_EQ(parse_flag(yes), true) << yes;
  for (const char* no : {"0", "no", "off", "false", "OFF", "False"}) EXPECT_EQ(parse_flag(no), false) << no;
  for (const char* neither : {"", "2", "01", "y", " 1", "1 ", "onn"}) EXPECT_EQ(parse_flag(neither), std::nullopt) << neither;
}

TEST(ParseBytes, TakesPlainNumbersAndBinaryUnits) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("64"), 64u);
  EXPECT_EQ(parse_bytes("64K"), 65536u);
  EXPECT_EQ(parse_bytes("64k"), 65536u);
  EXPECT_EQ(parse_bytes("1M"), 1048576u);
  EXPECT_EQ(parse_bytes("3G"), 3221225472u);
  EXPECT_EQ(parse_bytes("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_bytes("17179869183G"), 18446744072635809792u);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "K", "-1", "+1", "1.5K", "12Q", "64KB", "64 K", " 64", "0x10", "18446744073709551616",
                           "17179869184G", "9999999999999999G"})
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
}

TEST(PrintBytes, IsShortestAndReadsBack) {
  EXPECT_EQ(print_bytes(0), "0");
  EXPECT_EQ(print_bytes(1000), "1000");
  EXPECT_EQ(print_bytes(65536), "64K");
  EXPECT_EQ(print_bytes(1536), "1536");
  EXPECT_EQ(print_bytes(1536 * 1024), "1536K");
  EXPECT_EQ(print_bytes(1048576), "1M");
  EXPECT_EQ(print_bytes(std::size_t{1} << 40), "1024G");
  for (const std::size_t bytes : {0ul, 1ul, 1023ul, 1024ul, 3ul << 20, 5ul << 30, UINT64_MAX})
    EXPECT_EQ(parse_bytes(print_bytes(bytes)), bytes);
}

TEST(ParseSeconds, TakesDecimalNumbers) {
  EXPECT_EQ(parse_seconds("0"), 0.0);
  EXPECT_EQ(parse_seconds("30"), 30.0);
  EXPECT_EQ(parse_seconds("0.5"), 0.5);
  EXPECT_EQ(parse_seconds("0.25s"), 0.25);
  for (const char* text : {"", "s", "-1", "1m", "inf", "nan", "1,5", "3 s", "1e999"})
    EXPECT_EQ(parse_seconds(text), std::nullopt) << text;
}

}  // namespace
}  // namespace xylem
