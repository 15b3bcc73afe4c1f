// Grouped calls: sends and receives in any order, collectives on several communicators, and both together.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "handles.hpp"

namespace xylem::test {
namespace {

const xylem_stream_t kNoStream = XYLEM_STREAM_NONE;

struct Message {
  int from, to;
  std::size_t count;
  int number;  // tells it from the others
  std::vector<int> content() const {
    std::vector<int> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i) * 7 + number * 1000;
    return values;
  }
};

// The same on all ranks.
std::vector<Message> random_messages(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Message> messages;
  for (int number = 0; number < 6 * ranks; ++number) {
    const auto rank = [&] { return static_cast<int>(random() % static_cast<unsigned>(ranks)); };
    const int from = rank(), to = rank();
    messages.push_back({from, to, random() % 5 == 0 ? random() % 20'000 : random() % 300, number});
  }
  return messages;
}

// Names this rank's part of all messages in one group, in an order of its own; between the same two ranks in the common
// order.
void exchange(xylem_comm_t comm, int rank, const std::vector<Message>& messages, unsigned seed) {
  struct Part {
    const Message* message;
    bool sends;
    std::vector<int> data;
  };
  std::vector<Part> parts;
  for (const Message& m : messages) {
    if (m.from == rank) parts.push_back({&m, true, m.content()});
    if (m.to == rank) parts.push_back({&m, false, std::vector<int>(m.count, -1)});
  }
  // A random order of peers and directions, in each of which the order stays.
  const auto place = [&](const Part& part) {
    const int peer = part.sends ? part.message->to : part.message->from;
    return std::minstd_rand(seed + static_cast<unsigned>(rank * 100 + peer * 2 + (part.sends ? 1 : 0)))();
  };
  std::stable_sort(parts.begin(), parts.end(), [&](const Part& a, const Part& b) { return place(a) < place(b); });

  ASSERT_EQ(xylem_group_start(), XYLEM_SUCCESS);
  for (Part& part : parts) {
    const Message& m = *part.message;
    EXPECT_EQ(part.sends ? xylem_send(part.data.data(), m.count, XYLEM_INT32, m.to, comm, kNoStream)
                         : xylem_recv(part.data.data(), m.count, XYLEM_INT32, m.from, comm, kNoStream),
              XYLEM_SUCCESS)
        << xylem_last_error();
  }
  ASSERT_EQ(xylem_group_end(), XYLEM_SUCCESS) << xylem_last_error();
  for (const Part& part : parts) EXPECT_TRUE(part.data == part.message->content()) << "message " << part.message->number;
}

class Group : public OnEveryMap {};

TEST_P(Group, SendsAndReceivesInAnyOrder) {
  run([](xylem_comm_t& comm, int rank) {
    for (unsigned seed = 0; seed < 15; ++seed) {
      exchange(comm, rank, random_messages(ranks(), seed), seed * 31);
      // Between two groups, so that the messages of one are not taken for the other's.
      int sum = 0;
      ASSERT_EQ(xylem_allreduce(&rank, &sum, 1, XYLEM_INT32, XYLEM_SUM, comm, kNoStream), XYLEM_SUCCESS);
      EXPECT_EQ(sum, ranks() * (ranks() - 1) / 2);
    }
  });
}

// More than all slots hold, everybody to everybody, and everybody names the sends first.
TEST_P(Group, LargeMessagesFromAllToAll) {
  run([](xylem_comm_t& comm, int rank) {
    std::vector<Message> messages;
    for (int from = 0; from < ranks(); ++from) {
      for (int to = 0; to < ranks(); ++to) {
        messages.push_back({from, to, static_cast<std::size_t>(20'000 + 3000 * from + 700 * to), from * 16 + to});
      }
    }
    exchange(comm, rank, messages, 5);
  });
}

TEST_P(Group, CollectivesOnSeveralCommunicatorsAndMessages) {
  run([](xylem_comm_t& comm, int rank) {
    xylem_comm_t second = nullptr;
    ASSERT_EQ(xylem_comm_split(comm, 0, -rank, &second), XYLEM_SUCCESS);
    const int next = (rank + 1) % ranks(), previous = (rank + ranks() - 1) % ranks();
    for (int round = 0; round < 10; ++round) {
      std::vector<int> in(2000, rank + round), sum(2000), copy(3000, rank == 0 ? round : -1), sent(1500, rank), got(1500, -1);
      const auto first = [&] {
        EXPECT_EQ(xylem_recv(got.data(), got.size(), XYLEM_INT32, previous, comm, kNoStream), XYLEM_SUCCESS);
        EXPECT_EQ(xylem_allreduce(in.data(), sum.data(), in.size(), XYLEM_INT32, XYLEM_SUM, comm, kNoStream), XYLEM_SUCCESS);
      };
      const auto other = [&] {
        const int last = ranks() - 1;  // rank 0 of `comm`
        EXPECT_EQ(xylem_bcast(copy.data(), copy.size(), XYLEM_INT32, last, second, kNoStream), XYLEM_SUCCESS);
      };
      ASSERT_EQ(xylem_group_start(), XYLEM_SUCCESS);
      if (rank % 2 == 0) first();
      other();
      if (rank % 2 != 0) first();
      EXPECT_EQ(xylem_send(sent.data(), sent.size(), XYLEM_INT32, next, comm, kNoStream), XYLEM_SUCCESS);
      EXPECT_EQ(got[0], -1);  // nothing runs before the end
      ASSERT_EQ(xylem_group_end(), XYLEM_SUCCESS) << xylem_last_error();
      EXPECT_EQ(sum, std::vector<int>(2000, ranks() * (ranks() - 1) / 2 + ranks() * round));
      EXPECT_EQ(copy, std::vector<int>(3000, round));
      EXPECT_EQ(got, std::vector<int>(1500, previous));
    }
    EXPECT_EQ(xylem_comm_destroy(second), XYLEM_SUCCESS);
  });
}

INSTANTIATE_TEST_SUITE_P(Maps, Group, every_map(), map_name);

TEST(GroupCalls, NestAndCheck) {
  run_handles(2, [](xylem_comm_t& comm, int rank) {
    int value = rank, got = -1, never = -1;
    xylem_request_t request = nullptr;
    EXPECT_EQ(xylem_group_end(), XYLEM_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(xylem_group_start(), XYLEM_SUCCESS);
    ASSERT_EQ(xylem_group_start(), XYLEM_SUCCESS);
    EXPECT_EQ(xylem_send(&value, 1, XYLEM_INT32, 1 - rank, comm, kNoStream), XYLEM_SUCCESS);
    ASSERT_EQ(xylem_group_end(), XYLEM_SUCCESS);
    EXPECT_EQ(xylem_recv(&got, 1, XYLEM_INT32, 1 - rank, comm, kNoStream), XYLEM_SUCCESS);
    EXPECT_EQ(xylem_recv(&never, 1, XYLEM_INT32, 2, comm, kNoStream), XYLEM_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(xylem_last_error(), "xylem_recv: peer 2 of 2 ranks");
    EXPECT_EQ(xylem_comm_destroy(comm), XYLEM_ERROR_INVALID_ARGUMENT);
    EXPECT_STREQ(xylem_last_error(), "xylem_comm_destroy: calls on it are in a group that has not ended");
    EXPECT_EQ(xylem_ibarrier(comm, kNoStream, &request), XYLEM_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(xylem_group_end(), XYLEM_SUCCESS) << xylem_last_error();
    EXPECT_EQ(got, 1 - rank);
    EXPECT_EQ(never, -1);
    // Without a group: one waits for the other.
    if (rank == 0) {
      EXPECT_EQ(xylem_send(&value, 1, XYLEM_INT32, 1, comm, kNoStream), XYLEM_SUCCESS);
    } else {
      EXPECT_EQ(xylem_recv(&got, 1, XYLEM_INT32, 0, comm, kNoStream), XYLEM_SUCCESS);
      EXPECT_EQ(got, 0);
    }
    EXPECT_EQ(xylem_send(&value, 1, XYLEM_INT32, rank, comm, kNoStream), XYLEM_ERROR_INVALID_ARGUMENT);
  });
}

}  // namespace
}  // namespace xylem::test
