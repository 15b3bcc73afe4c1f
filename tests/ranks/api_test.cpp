// The C API's collectives on blocks and scans: results, in place, and what is refused.
#include <gtest/gtest.h>

#include <numeric>

#include "rank_threads.hpp"
#include "xylem/xylem.h"

namespace xylem::test {
namespace {

struct RankContext {
  ThreadBootstrap bootstrap;
};

int gather_bytes(const void* send, void* recv, std::size_t bytes, void* context) {
  static_cast<RankContext*>(context)->bootstrap.allgather(send, recv, bytes);
  return 0;
}

constexpr int kRanks = 3;

// Every rank runs the body with a communicator of the C API.
void run_api(const std::function<void(xylem_comm_t, int rank)>& body) {
  const auto rendezvous = std::make_shared<Rendezvous>(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      RankContext context{ThreadBootstrap(rendezvous, rank)};
      const xylem_bootstrap bootstrap{rank, kRanks, &gather_bytes, nullptr, &context};
      xylem_comm_t comm = nullptr;
      ASSERT_EQ(xylem_comm_create(&comm, &bootstrap), XYLEM_SUCCESS) << xylem_last_error();
      body(comm, rank);
      EXPECT_EQ(xylem_comm_destroy(comm), XYLEM_SUCCESS);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

using Ints = std::vector<int>;
using Sizes = std::vector<std::size_t>;

// Element i of what rank `from` has for rank `to`.
int value(int from, int to, int i) { return from * 10000 + to * 100 + i; }

// The blocks of all ranks, of `length(r)` elements `element(r, i)`, one behind the other.
template <class Length, class Element>
Ints blocks(Length length, Element element) {
  Ints all;
  for (int r = 0; r < kRanks; ++r) {
    for (int i = 0; i < static_cast<int>(length(r)); ++i) all.push_back(element(r, i));
  }
  return all;
}

#define EXPECT_DONE(call) EXPECT_EQ(call, XYLEM_SUCCESS) << xylem_last_error()

TEST(Api, AllgathervWithDisplacementsAndInPlace) {
  run_api([](xylem_comm_t comm, int rank) {
    const Sizes counts = {2, 0, 3}, backwards = {4, 3, 0};
    const auto length = [&](int r) { return counts[static_cast<std::size_t>(r)]; };
    const Ints all = blocks(length, [](int r, int i) { return value(r, 0, i); });
    Ints own;
    for (std::size_t i = 0; i < length(rank); ++i) own.push_back(value(rank, 0, static_cast<int>(i)));
    Ints out(5, -1);
    EXPECT_DONE(
        xylem_allgatherv(own.data(), own.size(), out.data(), counts.data(), nullptr, XYLEM_INT32, comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(out, all);
    Ints apart(6, -1);
    std::copy(own.begin(), own.end(), apart.begin() + static_cast<std::ptrdiff_t>(backwards[static_cast<std::size_t>(rank)]));
    EXPECT_DONE(xylem_allgatherv(XYLEM_IN_PLACE, 0, apart.data(), counts.data(), backwards.data(), XYLEM_INT32, comm,
                                 XYLEM_STREAM_NONE));
    EXPECT_EQ(apart, (Ints{all[2], all[3], all[4], -1, all[0], all[1]}));
  });
}

TEST(Api, ReduceScatterOfDifferingBlocks) {
  run_api([](xylem_comm_t comm, int rank) {
    const Sizes counts = {1, 3, 2};
    Ints in(6);
    std::iota(in.begin(), in.end(), rank * 10);
    const Ints sums = {30, 33, 36, 39, 42, 45};  // 3 i + 10 + 20
    const std::ptrdiff_t first[] = {0, 1, 4, 6};
    const Ints own(sums.begin() + first[rank], sums.begin() + first[rank + 1]);
    Ints out(own.size());
    EXPECT_DONE(xylem_reduce_scatter(in.data(), out.data(), counts.data(), XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(out, own);
    EXPECT_DONE(
        xylem_reduce_scatter(XYLEM_IN_PLACE, in.data(), counts.data(), XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE));
    in.resize(own.size());
    EXPECT_EQ(in, own);
  });
}

TEST(Api, AlltoallInItsThreeForms) {
  run_api([](xylem_comm_t comm, int rank) {
    const auto two = [](int) { return 2U; };
    const Ints in = blocks(two, [&](int to, int i) { return value(rank, to, i); });
    const Ints expected = blocks(two, [&](int from, int i) { return value(from, rank, i); });
    Ints out(6), in_place = in;
    EXPECT_DONE(xylem_alltoall(in.data(), out.data(), 2, XYLEM_INT32, comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(out, expected);
    EXPECT_DONE(xylem_alltoall(XYLEM_IN_PLACE, in_place.data(), 2, XYLEM_INT32, comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(in_place, expected);

    // Rank r sends r + s elements to rank s.
    const auto between = [&](int r) { return static_cast<std::size_t>(r + rank); };
    const Ints ragged = blocks(between, [&](int to, int i) { return value(rank, to, i); });
    const Ints ragged_expected = blocks(between, [&](int from, int i) { return value(from, rank, i); });
    const Sizes counts = {between(0), between(1), between(2)};
    Ints ragged_out(ragged.size(), -1), ragged_in_place = ragged;
    EXPECT_DONE(xylem_alltoallv(ragged.data(), counts.data(), nullptr, ragged_out.data(), counts.data(), nullptr, XYLEM_INT32,
                                comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(ragged_out, ragged_expected);
    EXPECT_DONE(xylem_alltoallv(XYLEM_IN_PLACE, nullptr, nullptr, ragged_in_place.data(), counts.data(), nullptr, XYLEM_INT32,
                                comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(ragged_in_place, ragged_expected);

    const Sizes bytes = {counts[0] * 4, counts[1] * 4, counts[2] * 4}, at = {0, bytes[0], bytes[0] + bytes[1]};
    std::fill(ragged_out.begin(), ragged_out.end(), -1);
    EXPECT_DONE(xylem_alltoallw(ragged.data(), bytes.data(), at.data(), ragged_out.data(), bytes.data(), at.data(), comm,
                                XYLEM_STREAM_NONE));
    EXPECT_EQ(ragged_out, ragged_expected);
  });
}

TEST(Api, GatherAndScatterFromEveryRoot) {
  run_api([](xylem_comm_t comm, int rank) {
    for (int root = 0; root < kRanks; ++root) {
      const bool is_root = rank == root;
      const Sizes counts = {3, 1, 2};
      const auto length = [&](int r) { return counts[static_cast<std::size_t>(r)]; };
      const Ints all = blocks(length, [](int r, int i) { return value(r, 7, i); });
      Ints own;
      for (std::size_t i = 0; i < length(rank); ++i) own.push_back(value(rank, 7, static_cast<int>(i)));

      Ints gathered(is_root ? 6 : 0);
      EXPECT_DONE(xylem_gatherv(own.data(), own.size(), gathered.data(), is_root ? counts.data() : nullptr, nullptr,
                                XYLEM_INT32, root, comm, XYLEM_STREAM_NONE));
      if (is_root) {
        EXPECT_EQ(gathered, all);
      }
      Ints back(own.size());
      EXPECT_DONE(xylem_scatterv(is_root ? all.data() : nullptr, is_root ? counts.data() : nullptr, nullptr, back.data(),
                                 back.size(), XYLEM_INT32, root, comm, XYLEM_STREAM_NONE));
      EXPECT_EQ(back, own);

      Ints firsts(is_root ? kRanks : 0);
      if (is_root) firsts[static_cast<std::size_t>(root)] = own[0];
      EXPECT_DONE(
          xylem_gather(is_root ? XYLEM_IN_PLACE : own.data(), firsts.data(), 1, XYLEM_INT32, root, comm, XYLEM_STREAM_NONE));
      if (is_root) {
        EXPECT_EQ(firsts, (Ints{value(0, 7, 0), value(1, 7, 0), value(2, 7, 0)}));
      }
      int one = -1;
      EXPECT_DONE(
          xylem_scatter(firsts.data(), is_root ? XYLEM_IN_PLACE : &one, 1, XYLEM_INT32, root, comm, XYLEM_STREAM_NONE));
      if (!is_root) {
        EXPECT_EQ(one, own[0]);
      }
    }
  });
}

TEST(Api, Scans) {
  run_api([](xylem_comm_t comm, int rank) {
    const Ints in = {rank + 1, 10 * (rank + 1)}, sums[] = {{0, 0}, {1, 10}, {3, 30}, {6, 60}};
    Ints out(2, -1), in_place = in;
    EXPECT_DONE(xylem_scan(in.data(), out.data(), 2, XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE));
    EXPECT_EQ(out, sums[rank + 1]);
    EXPECT_DONE(xylem_exscan(XYLEM_IN_PLACE, in_place.data(), 2, XYLEM_INT32, XYLEM_SUM, comm, XYLEM_STREAM_NONE));
    if (rank != 0) {
      EXPECT_EQ(in_place, sums[rank]);
    }
  });
}

// Nothing is sent for a call that cannot be: every rank may be refused alone.
TEST(Api, RefusesWhatCannotBe) {
  run_api([](xylem_comm_t comm, int) {
    int in[3] = {}, out[3] = {};
    const std::size_t ones[] = {1, 1, 1}, huge[] = {1, ~std::size_t{0} / 8, 1}, far[] = {0, ~std::size_t{0} / 8, 1};
    const auto refused = [](xylem_status status, const char* why) {
      EXPECT_EQ(status, XYLEM_ERROR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(xylem_last_error()).find(why), std::string::npos) << xylem_last_error();
    };
    const auto none = XYLEM_STREAM_NONE;
    refused(xylem_allgatherv(in, 1, out, nullptr, nullptr, XYLEM_INT32, comm, none), "counts of recvbuf are NULL");
    refused(xylem_allgatherv(in, 2, out, ones, nullptr, XYLEM_INT32, comm, none), "sendcount is 2");
    refused(xylem_allgatherv(in, 1, out, huge, nullptr, XYLEM_INT32, comm, none), "beyond what memory can be");
    refused(xylem_allgatherv(in, 1, out, ones, far, XYLEM_INT32, comm, none), "beyond what memory can be");
    refused(xylem_alltoall(in, out, ~std::size_t{0} / 8, XYLEM_INT32, comm, none), "larger than memory can be");
    refused(xylem_alltoallv(in, ones, nullptr, in + 1, ones, nullptr, XYLEM_INT32, comm, none), "overlap");
    refused(xylem_gather(in, out, 1, XYLEM_INT32, kRanks, comm, none), "root 3");
    refused(xylem_scatterv(nullptr, ones, nullptr, nullptr, 1, XYLEM_INT32, 0, comm, none), "is NULL");
    refused(xylem_scan(nullptr, out, 1, XYLEM_INT32, XYLEM_SUM, comm, none), "sendbuf is NULL");
    EXPECT_EQ(xylem_exscan(in, out, 1, XYLEM_FLOAT, XYLEM_BAND, comm, none), XYLEM_ERROR_UNSUPPORTED);
    // The communicator is as before.
    EXPECT_DONE(xylem_barrier(comm, none));
  });
}

// Counts up to 2^63: the bytes of these are 2^63, or 2^64 and some, which would be few if they were counted modulo 2^64.
TEST(Api, RefusesCountsWhoseBytesNobodyCanCount) {
  constexpr std::size_t kTooMany = std::size_t{1} << 60U, kWrapsRound = (std::size_t{1} << 61U) + 1;
  run_api([](xylem_comm_t comm, int) {
    double in[2] = {}, out[2] = {};
    const auto refused = [](xylem_status status) {
      EXPECT_EQ(status, XYLEM_ERROR_INVALID_ARGUMENT);
      EXPECT_NE(std::string(xylem_last_error()).find("larger than memory can be"), std::string::npos) << xylem_last_error();
    };
    const auto none = XYLEM_STREAM_NONE;
    const auto type = XYLEM_DOUBLE;
    const auto sum = XYLEM_SUM;
    for (const std::size_t count : {kTooMany, kWrapsRound}) {
      refused(xylem_allreduce(in, out, count, type, sum, comm, none));
      refused(xylem_reduce(in, out, count, type, sum, 0, comm, none));
      refused(xylem_bcast(in, count, type, 0, comm, none));
      refused(xylem_allgather(in, out, count, type, comm, none));
      refused(xylem_reduce_scatter_block(in, out, count, type, sum, comm, none));
      refused(xylem_alltoall(in, out, count, type, comm, none));
      refused(xylem_gather(in, out, count, type, 0, comm, none));
      refused(xylem_scatter(in, out, count, type, 0, comm, none));
      refused(xylem_scan(in, out, count, type, sum, comm, none));
      refused(xylem_exscan(in, out, count, type, sum, comm, none));
    }
    // Countable for one block, and not for one of each rank.
    constexpr std::size_t kBlock = std::size_t{1} << 59U;
    refused(xylem_allgather(in, out, kBlock, type, comm, none));
    refused(xylem_alltoall(in, out, kBlock, type, comm, none));
    EXPECT_DONE(xylem_barrier(comm, none));
  });
}

}  // namespace
}  // namespace xylem::test
