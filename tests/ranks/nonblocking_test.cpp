// Calls that are started and waited for later: exact results, whoever moves them and in whatever order they are started.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "api/request.hpp"
#include "handles.hpp"
#include "plan/catalogue.hpp"

namespace xylem::test {
namespace {

using coll::Collective;
using testing::HasSubstr;

const xylem_stream_t kNoStream = XYLEM_STREAM_NONE;

int number(int rank, std::size_t index, int salt) { return static_cast<int>(index * 31 + 7) * (rank + 2) + salt; }

std::vector<int> numbers(int rank, std::size_t count, int salt) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = number(rank, i, salt);
  return values;
}

// One started call with all that belongs to it.
struct Started {
  std::vector<int> input, output, expected;
  xylem_request_t request = nullptr;

  void expect() const { EXPECT_TRUE(output == expected); }
  void wait() {
    ASSERT_EQ(xylem_wait(&request), XYLEM_SUCCESS) << xylem_last_error();
    EXPECT_EQ(request, nullptr);
    expect();
  }
};

void start(Started& s, Collective collective, xylem_comm_t comm, std::size_t count, int salt) {
  int rank = -1, ranks = 0;
  xylem_comm_rank(comm, &rank);
  xylem_comm_size(comm, &ranks);
  const auto blocks = static_cast<std::size_t>(ranks), own = static_cast<std::size_t>(rank);
  const int root = salt % ranks;
  const auto sum = [&](std::size_t elements) {
    std::vector<int> total(elements);
    for (int r = 0; r < ranks; ++r) {
      for (std::size_t i = 0; i < elements; ++i) total[i] += number(r, i, salt);
    }
    return total;
  };
  s.input = numbers(rank, count, salt);
  s.output.assign(count, -1);
  xylem_status status = XYLEM_ERROR_INTERNAL;
  switch (collective) {
    case Collective::allreduce:
      s.expected = sum(count);
      status = xylem_iallreduce(s.input.data(), s.output.data(), count, XYLEM_INT32, XYLEM_SUM, comm, kNoStream, &s.request);
      break;
    case Collective::reduce:
      s.expected = rank == root ? sum(count) : s.output;
      status =
          xylem_ireduce(s.input.data(), s.output.data(), count, XYLEM_INT32, XYLEM_SUM, root, comm, kNoStream, &s.request);
      break;
    case Collective::bcast:
      s.expected = numbers(root, count, salt);
      s.output = s.input;
      status = xylem_ibcast(s.output.data(), count, XYLEM_INT32, root, comm, kNoStream, &s.request);
      break;
    case Collective::allgather:
      for (int r = 0; r < ranks; ++r) {
        const std::vector<int> block = numbers(r, count, salt);
        s.expected.insert(s.expected.end(), block.begin(), block.end());
      }
      s.output.assign(count * blocks, -1);
      status = xylem_iallgather(s.input.data(), s.output.data(), count, XYLEM_INT32, comm, kNoStream, &s.request);
      break;
    case Collective::reduce_scatter_block: {
      s.input = numbers(rank, count * blocks, salt);
      const std::vector<int> total = sum(count * blocks);
      const auto begin = total.begin() + static_cast<std::ptrdiff_t>(own * count);
      s.expected.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
      status = xylem_ireduce_scatter_block(s.input.data(), s.output.data(), count, XYLEM_INT32, XYLEM_SUM, comm, kNoStream,
                                           &s.request);
      break;
    }
    case Collective::barrier:
      s.expected = s.output;
      status = xylem_ibarrier(comm, kNoStream, &s.request);
      break;
    default:
      FAIL() << "no case for " << coll::collective_name(collective);
  }
  ASSERT_EQ(status, XYLEM_SUCCESS) << xylem_last_error();
  ASSERT_NE(s.request, nullptr);
}

constexpr Collective kAll[] = {Collective::allreduce, Collective::bcast,     Collective::reduce_scatter_block,
                               Collective::reduce,    Collective::allgather, Collective::barrier};

void wait_without_xylem(const Started& started) {
  while (!started.request->done()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Nonblocking : public OnEveryMap {};

// Each algorithm runs on a fiber, and the calls behind it too. Across hosts, where connecting takes time, every third does.
TEST_P(Nonblocking, EveryAlgorithmGivesExactResults) {
  const bool one_host = maps()[GetParam()].hosts.empty();
  for (std::size_t i = one_host ? 0 : GetParam() % 3; i < plan::catalogue().size(); i += one_host ? 1 : 3) {
    const plan::Algorithm& algorithm = plan::catalogue()[i];
    if (algorithm.traits.one_host_only && !one_host) continue;
    if (std::find(std::begin(kAll), std::end(kAll), algorithm.collective) == std::end(kAll)) continue;
    run(
        [&](xylem_comm_t& comm, int) {
          std::vector<Started> started(6);
          int salt = 0;
          for (Started& s : started) start(s, algorithm.collective, comm, std::size_t{123} << salt, salt), ++salt;
          for (Started& s : started) s.wait();
        },
        std::string(coll::collective_name(algorithm.collective)) + ":" + algorithm.name);
  }
}

TEST_P(Nonblocking, CallsMixWithBlockingOnes) {
  run([](xylem_comm_t& comm, int rank) {
    int ranks = 0;
    xylem_comm_size(comm, &ranks);
    for (int round = 0; round < 20; ++round) {
      std::vector<Started> started(std::size(kAll));
      std::size_t next = 0;
      for (const Collective collective : kAll) {
        start(started[next++], collective, comm, static_cast<std::size_t>(round * round * 11), round);
        if (round % 3 == 0) continue;
        int sum = -1;
        ASSERT_EQ(xylem_allreduce(&rank, &sum, 1, XYLEM_INT32, XYLEM_SUM, comm, kNoStream), XYLEM_SUCCESS);
        EXPECT_EQ(sum, ranks * (ranks - 1) / 2);
      }
      // In another order than they were started.
      while (next != 0) started[--next].wait();
    }
  });
}

TEST_P(Nonblocking, AThousandOutstanding) {
  run([](xylem_comm_t& comm, int) {
    std::vector<Started> started(1000);
    for (std::size_t i = 0; i < started.size(); ++i) {
      start(started[i], kAll[i % std::size(kAll)], comm, 1 + i % 200, static_cast<int>(i));
    }
    std::vector<xylem_request_t> requests;
    for (Started& s : started) requests.push_back(s.request);
    ASSERT_EQ(xylem_wait_all(requests.size(), requests.data()), XYLEM_SUCCESS) << xylem_last_error();
    for (const xylem_request_t request : requests) EXPECT_EQ(request, nullptr);
    for (const Started& s : started) s.expect();
  });
}

// Ranks start on two communicators in opposite orders, and wait in that order too, by blocking calls as well.
TEST_P(Nonblocking, StartOrdersMayCrossOnTwoCommunicators) {
  run([](xylem_comm_t& comm, int rank) {
    xylem_comm_t second = nullptr;
    ASSERT_EQ(xylem_comm_split(comm, 0, 0, &second), XYLEM_SUCCESS);
    const xylem_comm_t order[] = {rank % 2 == 0 ? comm : second, rank % 2 == 0 ? second : comm};
    for (int round = 0; round < 30; ++round) {
      Started a, b;
      start(a, kAll[static_cast<std::size_t>(round) % std::size(kAll)], order[0], 3000, 1);
      start(b, kAll[static_cast<std::size_t>(round) % std::size(kAll)], order[1], 3000, 1);
      a.wait();
      b.wait();
      // A rank that waits in a blocking call moves what it has outstanding elsewhere: here the others wait for that.
      start(a, Collective::allreduce, comm, 5000, round);
      EXPECT_EQ(xylem_barrier(second, kNoStream), XYLEM_SUCCESS);
      a.wait();
    }
    EXPECT_EQ(xylem_comm_destroy(second), XYLEM_SUCCESS);
  });
}

// Nobody is in a Xylem call: the helper thread alone moves everything.
TEST_P(Nonblocking, EndsWhileAllRanksAreElsewhere) {
  run([](xylem_comm_t& comm, int) {
    for (int round = 0; round < 3; ++round) {
      Started first, second;
      start(first, Collective::allreduce, comm, 40'000, round);
      start(second, Collective::bcast, comm, 10'000, round);
      wait_without_xylem(second);
      wait_without_xylem(first);
      first.expect();
      second.expect();
      first.wait();
      second.wait();
    }
  });
}

TEST_P(Nonblocking, TestingAloneMovesACall) {
  run([](xylem_comm_t& comm, int) {
    Started started;
    start(started, Collective::allreduce, comm, 7000, 3);
    int done = 0;
    while (done == 0) ASSERT_EQ(xylem_test(&started.request, &done), XYLEM_SUCCESS) << xylem_last_error();
    EXPECT_EQ(started.request, nullptr);
    started.expect();
    // No call is a call that has ended.
    done = 0;
    EXPECT_EQ(xylem_test(&started.request, &done), XYLEM_SUCCESS);
    EXPECT_EQ(done, 1);
    EXPECT_EQ(xylem_wait(&started.request), XYLEM_SUCCESS);
  });
}

TEST_P(Nonblocking, AnotherThreadWaits) {
  run([](xylem_comm_t& comm, int) {
    for (int round = 0; round < 10; ++round) {
      std::vector<Started> started(4);
      for (Started& s : started) start(s, Collective::allreduce, comm, 2000, round);
      std::thread waiter([&] {
        for (Started& s : started) s.wait();
      });
      // Meanwhile the starter goes on.
      Started more;
      start(more, Collective::allgather, comm, 500, round);
      more.wait();
      waiter.join();
    }
  });
}

// Communicators of one process in several threads at once.
TEST_P(Nonblocking, ThreadsUseACommunicatorEach) {
  run([](xylem_comm_t& comm, int) {
    xylem_comm_t second = nullptr;
    ASSERT_EQ(xylem_comm_split(comm, 0, 0, &second), XYLEM_SUCCESS);
    const auto work = [](xylem_comm_t on) {
      for (int round = 0; round < 20; ++round) {
        std::vector<Started> started(5);
        for (Started& s : started) start(s, kAll[static_cast<std::size_t>(round) % std::size(kAll)], on, 700, round);
        for (Started& s : started) s.wait();
        EXPECT_EQ(xylem_barrier(on, kNoStream), XYLEM_SUCCESS);
      }
    };
    std::thread other([&] { work(second); });
    work(comm);
    other.join();
    EXPECT_EQ(xylem_comm_destroy(second), XYLEM_SUCCESS);
  });
}

TEST_P(Nonblocking, ACommunicatorIsDestroyedAfterItsCalls) {
  run([](xylem_comm_t& comm, int) {
    std::vector<Started> started(5);
    for (Started& s : started) start(s, Collective::allreduce, comm, 4000, 1);
    EXPECT_EQ(xylem_comm_destroy(comm), XYLEM_SUCCESS);
    comm = nullptr;
    for (Started& s : started) s.wait();
  });
}

INSTANTIATE_TEST_SUITE_P(Maps, Nonblocking, every_map(), map_name);

TEST(NonblockingStart, ReturnsWhateverOtherRanksDo) {
  std::atomic<bool> started{false};
  run_handles(2, [&](xylem_comm_t& comm, int rank) {
    // Rank 1 comes only when all of rank 0's calls, far more than the slots hold, have been started.
    while (rank == 1 && !started) std::this_thread::yield();
    std::vector<Started> calls(50);
    for (Started& s : calls) start(s, Collective::allreduce, comm, 100'000, 1);
    started = true;
    for (Started& s : calls) s.wait();
  });
}

// Of another one, which it counts.
class CountedBootstrap final : public Bootstrap {
 public:
  CountedBootstrap(std::shared_ptr<Rendezvous> rendezvous, int rank, std::atomic<int>& pokes)
      : ranks_(std::move(rendezvous), rank), pokes_(pokes) {}
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  void allgather(const void* send, void* recv, std::size_t bytes) override { ranks_.allgather(send, recv, bytes); }
  void progress() override { ++pokes_; }

 private:
  ThreadBootstrap ranks_;
  std::atomic<int>& pokes_;
};

// Its user may end the bootstrap as soon as the communicator is destroyed, and wait for requests then.
TEST(NonblockingStart, LeavesTheBootstrapAloneOnceTheCommunicatorIsDestroyed) {
  const auto rendezvous = std::make_shared<Rendezvous>(2);
  std::atomic<bool> destroyed{false};
  std::atomic<int> pokes{0}, others{0};
  const auto body = [&](int rank) {
    auto bootstrap = std::make_shared<CountedBootstrap>(rendezvous, rank, rank == 0 ? pokes : others);
    auto* comm = new xylem_comm(std::make_unique<Communicator>(std::move(bootstrap), place_on(0)));
    while (rank == 1 && !destroyed) std::this_thread::yield();
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Started s;
    start(s, Collective::allreduce, comm, 1000, 1);
    EXPECT_EQ(xylem_comm_destroy(comm), XYLEM_SUCCESS);
    const int before = pokes;
    destroyed = true;
    s.wait();
    if (rank == 0) {
      EXPECT_EQ(pokes, before);
    }
  };
  std::thread first(body, 0), second(body, 1);
  first.join();
  second.join();
}

TEST(NonblockingStart, WithWrongArgumentsStartsNothing) {
  run_handles(1, [](xylem_comm_t& comm, int) {
    int value = 0;
    auto* request = reinterpret_cast<xylem_request_t>(&value);
    EXPECT_EQ(xylem_ibcast(&value, 1, XYLEM_INT32, 7, comm, kNoStream, &request), XYLEM_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(request, nullptr);
    EXPECT_STREQ(xylem_last_error(), "xylem_ibcast: root 7 of 1 ranks");
    EXPECT_EQ(xylem_ibarrier(comm, kNoStream, nullptr), XYLEM_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(xylem_last_error(), "xylem_ibarrier: request is NULL");
  });
}

TEST(NonblockingFailure, EndsAllOutstandingCallsOfAllRanks) {
  const auto body = [](xylem_comm_t& comm, int rank) {
    constexpr std::size_t kCalls = 10, kWrong = 5;
    std::vector<int> data(3000);
    std::vector<xylem_request_t> requests(kCalls);
    std::string error;
    const auto expect_failure = [&](xylem_status status) {
      EXPECT_TRUE(status == XYLEM_ERROR_MISMATCH || status == XYLEM_ERROR_PEER_FAILED) << xylem_status_string(status);
      if (error.empty()) error = xylem_last_error();
      EXPECT_EQ(xylem_last_error(), error);
    };
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::size_t count = rank == 1 && i == kWrong ? 3000 : 2000;
      const xylem_status status =
          xylem_iallreduce(XYLEM_IN_PLACE, data.data(), count, XYLEM_INT32, XYLEM_SUM, comm, kNoStream, &requests[i]);
      // Later ones may find the communicator refused already.
      if (status != XYLEM_SUCCESS) expect_failure(status);
    }
    for (std::size_t i = 0; i < kCalls; ++i) {
      if (requests[i] == nullptr) continue;
      const xylem_status status = xylem_wait(&requests[i]);
      // A rank that is late with a call before may hear of the failure in that one.
      if (i >= kWrong || status != XYLEM_SUCCESS) expect_failure(status);
    }
    EXPECT_THAT(error, HasSubstr("of this communicator of 3 ranks: rank "));
    expect_failure(xylem_ibarrier(comm, kNoStream, &requests[0]));
    EXPECT_EQ(requests[0], nullptr);
    expect_failure(xylem_barrier(comm, kNoStream));
  };
  run_handles(3, body, {}, {.algorithm = "allreduce:ring", .chunk_bytes = 512, .timeout_seconds = 0});
}

TEST(NonblockingFailure, ALateRankIsNamedWhenTheTimeIsUp) {
  run_handles(2,
              [](xylem_comm_t& comm, int rank) {
                if (rank == 1) return;
                Started late;
                start(late, Collective::allreduce, comm, 8, 1);
                EXPECT_EQ(xylem_wait(&late.request), XYLEM_ERROR_TIMEOUT);
                EXPECT_THAT(xylem_last_error(), HasSubstr("rank 1 on host0 did not come within XYLEM_TIMEOUT"));
              },
              {}, {.algorithm = "", .chunk_bytes = 0, .timeout_seconds = 0.05});
}

}  // namespace
}  // namespace xylem::test
