#include "ofi/wire.hpp"

#include <gtest/gtest.h>

namespace xylem::ofi {
namespace {

TEST(Wire, TagsComeBackAsTheyWere) {
  for (const std::uint64_t link : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{0x123456789ab}, kLinkLimit - 1}) {
    for (const Tag& tag :
         {Tag{MessageKind::payload, 0, link}, Tag{MessageKind::credit, 0, link}, Tag{MessageKind::give_up, 0, link},
          Tag{MessageKind::grant, 0, link}, Tag{MessageKind::written, 0, link}, Tag{MessageKind::written, 3, link}}) {
      const Tag back = unpack_tag(pack(tag));
      EXPECT_EQ(back.kind, tag.kind);
      EXPECT_EQ(back.slot, tag.slot);
      EXPECT_EQ(back.link, tag.link);
      EXPECT_LT(pack(tag), std::uint64_t{1} << 48);
    }
  }
}

TEST(Wire, DataComesBackAsItWas) {
  const Data back = unpack_data(pack(Data{0xdeadbeef, 0xfffe, 0x8ffd}));
  EXPECT_EQ(back.signature, 0xdeadbeefU);
  EXPECT_EQ(back.detail, 0xfffe);
  EXPECT_EQ(back.credit, 0x8ffd);
}

TEST(Wire, DistancesWrapAround) {
  EXPECT_EQ(distance(0, 3), 3);
  EXPECT_EQ(distance(5, 3), -2);
  EXPECT_EQ(distance(0xffff, 1), 2);
  EXPECT_EQ(distance(0x10001, 0xffff), -2);
  EXPECT_EQ(distance(0x12345ffff, 0x0002), 3);
  EXPECT_EQ(distance(0x12345fffe, 0xfffe), 0);
}

}  // namespace
}  // namespace xylem::ofi
