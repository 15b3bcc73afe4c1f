#include "ofi/wire.hpp"

#include <gtest/gtest.h>

namespace xylem::ofi {
namespace {

TEST(Wire, TagsComeBackAsTheyWere) {
  for (const std::uint64_t link : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x123456789ab}, kLinkLimit - 1}) {
    for (const Tag& tag :
         {Tag{MessageKind::payload, 0, link}, Tag{MessageKind::credit, 0, link}, Tag{MessageKind::give_up, 0, link},
          Tag{MessageKind::direct, 0, link}, Tag{MessageKind::direct, 3, link}}) {
      const Tag back = unpack_tag(pack(tag));
      EXPECT_EQ(back.kind, tag.kind);
      EXPECT_EQ(back.slot, tag.slot);
      EXPECT_EQ(back.link, tag.link);
      EXPECT_LT(pack(tag), std::uint64_t{1} << 48);
    }
  }
}

TEST(Wire, OnlyDirectMessagesHaveTheDirectBit) {
  EXPECT_EQ(pack(Tag{MessageKind::payload, 0, kLinkLimit - 1}) & kDirectBit, 0U);
  EXPECT_EQ(pack(Tag{MessageKind::credit, 0, kLinkLimit - 1}) & kDirectBit, 0U);
  EXPECT_EQ(pack(Tag{MessageKind::direct, 0, 0}) & kDirectBit, kDirectBit);
}

TEST(Wire, DataComesBackAsItWas) {
  const Data back = unpack_data(pack(Data{0xdeadbeef, 0xfffe, {0x7ffd, true}}));
  EXPECT_EQ(back.signature, 0xdeadbeefU);
  EXPECT_EQ(back.position, 0xfffe);
  EXPECT_EQ(back.credit.read, 0x7ffd);
  EXPECT_TRUE(back.credit.direct);
  EXPECT_FALSE(unpack_data(pack(Data{1, 2, {3, false}})).credit.direct);
}

TEST(Wire, DistancesWrapAround) {
  EXPECT_EQ(distance(0, 3, 15), 3);
  EXPECT_EQ(distance(5, 3, 15), -2);
  EXPECT_EQ(distance(0x7fff, 1, 15), 2);
  EXPECT_EQ(distance(0x8001, 0x7fff, 15), -2);
  EXPECT_EQ(distance(0x12345ffff, 0x0002, 16), 3);
  EXPECT_EQ(distance(0x12345fffe, 0xfffe, 16), 0);
}

}  // namespace
}  // namespace xylem::ofi
