// More than 2^31 elements: counts and offsets are 64 bits wide all the way down. Takes 8.7 GB of memory.
#include <gtest/gtest.h>

#include "rank_threads.hpp"

namespace xylem::test {
namespace {

unsigned char value(std::size_t i) { return static_cast<unsigned char>((i * 2654435761U) >> 24U); }

TEST(Huge, GathersMoreThanTwoToThe31Elements) {
  constexpr std::size_t kFirst = (std::size_t{1} << 31U) + 5, kSecond = 1003;
  const std::size_t counts[] = {kFirst, kSecond}, offsets[] = {kSecond, 0};
  run_ranks(2, [&](Communicator& comm) {
    const bool first = comm.rank() == 0;
    std::vector<unsigned char> data(kFirst + kSecond);
    for (std::size_t i = first ? kSecond : 0; i < (first ? data.size() : kSecond); ++i) data[i] = value(i);
    const unsigned char* own = data.data() + offsets[comm.rank()];
    Call call{coll::Collective::allgatherv, own, data.data(), counts[comm.rank()], XYLEM_BYTE};
    call.received = {counts, offsets};
    ASSERT_EQ(comm.run(call), XYLEM_SUCCESS) << comm.error();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < data.size(); ++i) wrong += data[i] != value(i);
    EXPECT_EQ(wrong, 0U);
  });
}

TEST(Huge, SumsMoreThanTwoToThe31Elements) {
  constexpr std::size_t kCount = (std::size_t{1} << 31U) + 12345;
  for (const char* algorithm : {"ring", "two_phase"}) {
    run_ranks(2,
              [&](Communicator& comm) {
                std::vector<unsigned char> data(kCount);
                for (std::size_t i = 0; i < kCount; ++i) data[i] = static_cast<unsigned char>(value(i) + comm.rank());
                const Call call{coll::Collective::allreduce, data.data(), data.data(), kCount, XYLEM_UINT8, XYLEM_SUM};
                ASSERT_EQ(comm.run(call), XYLEM_SUCCESS) << comm.error();
                std::size_t wrong = 0;
                for (std::size_t i = 0; i < kCount; ++i) wrong += data[i] != static_cast<unsigned char>(2 * value(i) + 1);
                EXPECT_EQ(wrong, 0U) << algorithm;
              },
              {}, {.algorithm = std::string("allreduce:") + algorithm});
  }
}

}  // namespace
}  // namespace xylem::test
