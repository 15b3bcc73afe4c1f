#include "simulate/link_text.hpp"

#include <gtest/gtest.h>

namespace xylem::tools {
namespace {

TEST(LinkText, ReadsTimesAndRates) {
  EXPECT_DOUBLE_EQ(parse_time("1.5us").value(), 1.5e-6);
  EXPECT_DOUBLE_EQ(parse_time("2s").value(), 2);
  EXPECT_DOUBLE_EQ(parse_rate("50GB/s").value(), 50e9);
  EXPECT_DOUBLE_EQ(parse_rate("400Gbit/s").value(), 50e9);
  for (const char* text : {"", "us", "1", "1.5 us", "-1us", "1usx"}) EXPECT_EQ(parse_time(text), std::nullopt) << text;
  for (const char* text : {"", "0GB/s", "50", "50GB", "infGB/s"}) EXPECT_EQ(parse_rate(text), std::nullopt) << text;
}

TEST(LinkText, SetsWhatIsNamed) {
  coll::Link link{1, 2, 3};
  std::uint32_t rails = 1;
  EXPECT_EQ(read_link("latency=1us,bandwidth=2GB/s,rails=4", link, &rails), "");
  EXPECT_DOUBLE_EQ(link.latency, 1e-6);
  EXPECT_DOUBLE_EQ(link.per_byte, 0.5e-9);
  EXPECT_DOUBLE_EQ(link.overhead, 0.2e-6);  // of a latency that is named alone
  EXPECT_EQ(rails, 4U);
  EXPECT_EQ(read_link("overhead=1ns", link, nullptr), "");
  EXPECT_DOUBLE_EQ(link.latency, 1e-6);
  EXPECT_DOUBLE_EQ(link.overhead, 1e-9);
  EXPECT_EQ(link_text(link), "1 us, 2 GB/s");
}

TEST(LinkText, NamesThePartThatMakesNoSense) {
  coll::Link link{};
  std::uint32_t rails = 1;
  EXPECT_EQ(read_link("latency=1us,bandwidth=2", link, &rails), "'bandwidth=2': expected a rate such as 50GB/s or 400Gbit/s");
  EXPECT_EQ(read_link("latency", link, &rails), "'latency': expected a time such as 1.5us");
  EXPECT_EQ(read_link("rails=0", link, &rails), "'rails=0': expected a number from 1 to 1024");
  EXPECT_EQ(read_link("speed=9", link, &rails), "'speed=9': expected latency=, bandwidth=, overhead= or rails=");
  EXPECT_EQ(read_link("rails=2", link, nullptr), "'rails=2': expected latency=, bandwidth=, overhead=");
}

}  // namespace
}  // namespace xylem::tools
