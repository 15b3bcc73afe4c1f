#include "survive/letter.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace xylem::survive {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto* const data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

TEST(Letter, ComesOutAsItWentInHoweverTheStreamIsCut) {
  Letter first{.kind = Letter::Kind::state, .round = 7, .own = bytes_of("own")};
  first.accepted = Accepted{2, {{2, bytes_of("two")}, {5, {}}}};
  first.decision = Contributions{{1, bytes_of("one")}};
  const Letter second{.kind = Letter::Kind::accept, .round = 8};
  Bytes stream = pack(3, first);
  const Bytes more = pack(4, second);
  stream.insert(stream.end(), more.begin(), more.end());
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    Unpacker unpacker;
    std::vector<Received> received;
    for (const std::span part :
         {std::span<const std::byte>(stream).first(cut), std::span<const std::byte>(stream).subspan(cut)}) {
      unpacker.add(part);
      while (std::optional<Received> next = unpacker.next()) received.push_back(*std::move(next));
    }
    ASSERT_EQ(received.size(), 2U) << cut;
    EXPECT_EQ(received[0].from, 3U);
    EXPECT_EQ(received[0].letter.kind, Letter::Kind::state);
    EXPECT_EQ(received[0].letter.round, 7U);
    EXPECT_EQ(received[0].letter.own, bytes_of("own"));
    ASSERT_TRUE(received[0].letter.accepted && received[0].letter.decision);
    EXPECT_EQ(received[0].letter.accepted->leader, 2U);
    EXPECT_EQ(received[0].letter.accepted->proposal, first.accepted->proposal);
    EXPECT_EQ(*received[0].letter.decision, *first.decision);
    EXPECT_EQ(received[1].from, 4U);
    EXPECT_EQ(received[1].letter.kind, Letter::Kind::accept);
    EXPECT_FALSE(received[1].letter.accepted || received[1].letter.decision);
  }
}

TEST(Letter, NonsenseIsAnError) {
  Bytes wrong = pack(1, {.kind = Letter::Kind::state, .round = 1, .own = bytes_of("abc")});
  wrong[24] = std::byte{0xff};  // the length of `own`
  Unpacker unpacker;
  unpacker.add(wrong);
  EXPECT_THROW(unpacker.next(), Error);
  Unpacker another;
  another.add(bytes_of("GET / HTTP/1.1"));
  EXPECT_THROW(another.next(), Error);
}

}  // namespace
}  // namespace xylem::survive
