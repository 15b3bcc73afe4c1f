// The verifier proves every algorithm for 2 ... 32 ranks on several placements, alone and in rows of calls, and finds every
// kind of fault that is planted.
#include "verify/verify.hpp"

#include <gtest/gtest.h>

#include "plan/catalogue.hpp"
#include "verify/sweep.hpp"

namespace xylem::verify {
namespace {

using coll::Collective;

std::uint32_t find(Collective collective, const std::string& name) {
  for (std::uint32_t i = 0; i < plan::catalogue().size(); ++i) {
    if (plan::catalogue()[i].collective == collective && name == plan::catalogue()[i].name) return i;
  }
  throw std::logic_error("no such algorithm: " + name);
}

bool works_on_one_host(std::uint32_t algorithm, std::uint32_t ranks) {
  return coll::obstacle(plan::catalogue()[algorithm].traits, ranks, 1, ranks) == nullptr;
}

TEST(Verifier, ProvesEveryAlgorithm) {
  std::uint64_t proved = 0;
  for (std::uint32_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    const SweepResult result = sweep_calls(algorithm, {});
    EXPECT_EQ(result.violation.value_or(""), "");
    // Every number of ranks on one placement at least.
    std::uint64_t possible = 0;
    for (std::uint32_t ranks = 2; ranks <= 32; ++ranks) possible += works_on_one_host(algorithm, ranks) ? 1 : 0;
    EXPECT_GE(result.proved, possible);
    EXPECT_GE(possible, 5U);
    proved += result.proved;
  }
  std::printf("proved %llu cases\n", static_cast<unsigned long long>(proved));
}

TEST(Verifier, TakesEveryNumberOfRanksUpTo64AndSomeAbove) {
  const std::vector<std::uint32_t> few = rank_numbers(2, 64);
  EXPECT_EQ(few.size(), 63U);
  const std::vector<std::uint32_t> many = rank_numbers(62, 260);
  EXPECT_EQ(many, (std::vector<std::uint32_t>{62, 63, 64, 65, 96, 127, 128, 129, 192, 255, 256, 257, 260}));
}

// The proof of a call keeps all steps of all ranks: of many ranks they must be few, or no machine has the memory.
TEST(Verifier, KeepsFewStepsOfManyRanks) {
  constexpr std::uint32_t kRanks = 512;
  for (std::uint32_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    for (std::uint32_t variant = 0; variant < 5; ++variant) {
      const CallSpec call = sample_call(algorithm, kRanks, variant);
      const Job job{placements(kRanks, {{algorithm}}).front(), {call}};
      for (const std::uint32_t rank : {0U, call.root, kRanks - 1}) {
        EXPECT_LE(record(job, call, rank).size(), 64U * kRanks) << plan::catalogue()[algorithm].name << " " << call.count;
      }
    }
  }
}

// On a host of two NUMA nodes of two core complexes of two ranks each: the leaders of inner levels fold what lies next to
// them, and no more than that is read across a border.
TEST(Verifier, LevelsInsideAHostAreUsed) {
  Job job{std::vector<std::uint32_t>(8, 0), {}};
  for (std::int32_t rank = 0; rank < 8; ++rank) job.parts.push_back({rank / 4, rank / 2});
  const auto fetched = [&](std::uint32_t rank) {
    std::vector<std::uint32_t> from;
    for (const Step& step : record(job, job.calls[0], rank))
      if (step.action == Action::fetch) from.push_back(step.peer);
    return from;
  };
  using Ranks = std::vector<std::uint32_t>;
  job.calls = {{find(Collective::reduce, "hierarchical"), 4, 4, 1}};  // the root leads: each level is led by its second
  EXPECT_EQ(fetched(1), (Ranks{0, 3, 5}));
  EXPECT_EQ(fetched(5), (Ranks{4, 7}));
  EXPECT_EQ(fetched(7), Ranks{6});
  EXPECT_EQ(fetched(6), Ranks{});
  job.calls = {{find(Collective::bcast, "hierarchical"), 4, 4, 1}};
  EXPECT_EQ(fetched(5), Ranks{1});
  EXPECT_EQ(fetched(7), Ranks{5});
  EXPECT_EQ(fetched(6), Ranks{7});
  EXPECT_FALSE(prove(job));
  // Every rank sums its part of each level, and collects it on the way back; vectors of several rounds.
  job.calls = {{find(Collective::allreduce, "rail"), 40, 8, 0}};
  const Ranks reads = fetched(6);
  EXPECT_EQ(Ranks(reads.begin(), reads.begin() + 6), (Ranks{7, 7, 7, 7, 4, 4}));
  EXPECT_FALSE(prove(job));
}

// Two hosts of two ranks, 12 elements in all blocks or in the vector: a host has to send sums of the other's blocks, its own
// blocks, or both for its half of the vector.
TEST(Verifier, RailsSendNoMoreBetweenHostsThanTheyMust) {
  const auto sent_by_hosts = [](Collective collective, const std::string& name, std::uint64_t count) {
    const Job job{{0, 0, 1, 1}, {{find(collective, name), count, 12, 0}}};
    std::vector<std::uint64_t> sent(2);
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      for (const Step& step : record(job, job.calls[0], rank)) {
        const bool leaves = step.action == Action::begin_send && job.host_of[step.peer] != job.host_of[rank];
        sent[job.host_of[rank]] += leaves ? step.bytes : 0;
      }
    }
    return sent;
  };
  using Sent = std::vector<std::uint64_t>;
  EXPECT_EQ(sent_by_hosts(Collective::reduce_scatter_block, "rail", 3), (Sent{6, 6}));
  EXPECT_EQ(sent_by_hosts(Collective::allgather, "rail", 3), (Sent{6, 6}));
  EXPECT_EQ(sent_by_hosts(Collective::allreduce, "rail", 12), (Sent{12, 12}));
  // What that saves: around a ring, blocks enter a host that it has had already.
  EXPECT_EQ(sent_by_hosts(Collective::reduce_scatter_block, "ring", 3), (Sent{9, 9}));
}

TEST(Verifier, ProvesRowsOfCalls) {
  for (std::uint32_t algorithm = 0; algorithm < plan::catalogue().size(); ++algorithm) {
    const SweepResult result = sweep_rows(algorithm, {});
    EXPECT_EQ(result.violation.value_or(""), "");
    std::uint64_t possible = 0;
    for (std::uint32_t other = 0; other < plan::catalogue().size(); ++other) {
      for (const std::uint32_t ranks : {2U, 3U, 5U}) {
        possible += works_on_one_host(algorithm, ranks) && works_on_one_host(other, ranks) ? 1 : 0;
      }
    }
    EXPECT_EQ(result.proved, possible);
  }
}

// A FIFO of one slot is too short for what sends before it receives; the counterexample is one of the fewest ranks.
TEST(Verifier, TellsTheSmallestCounterexample) {
  const SweepResult result = sweep_calls(find(Collective::allreduce, "ring"), {.slots = 0});
  ASSERT_TRUE(result.violation);
  EXPECT_TRUE(result.violation->starts_with("2 ranks on 1 host: rank 0, call 0 (allreduce ring), step 0: deadlock"))
      << *result.violation;
  EXPECT_EQ(result.proved, 0U);
}

// --- Faults that are planted ---

struct Planted {
  Job job;
  std::vector<std::vector<Program>> programs;

  Planted(Collective collective, const std::string& name, std::uint32_t ranks, std::uint64_t count, std::uint64_t chunk,
          std::uint32_t calls = 1) {
    job.host_of.assign(ranks, 0);
    for (std::uint32_t i = 0; i < calls; ++i) job.calls.push_back({find(collective, name), count, chunk});
    for (const CallSpec& call : job.calls) {
      std::vector<Program>& all = programs.emplace_back();
      for (std::uint32_t rank = 0; rank < ranks; ++rank) all.push_back(record(job, call, rank));
    }
  }

  // The n-th step of a kind in a rank's program of the first call.
  Program::iterator step(std::uint32_t rank, Action action, std::uint32_t nth = 0) {
    Program& program = programs[0][rank];
    auto at = program.begin();
    for (;; ++at) {
      if (at == program.end()) throw std::logic_error("no such step");
      if (at->action == action && nth-- == 0) return at;
    }
  }
  bool caught() const { return prove(job, programs).has_value(); }
};

TEST(Verifier, FindsNothingWhereNothingIsPlanted) {
  EXPECT_FALSE(Planted(Collective::allreduce, "ring", 4, 40, 5).caught());
  EXPECT_FALSE(Planted(Collective::bcast, "flat", 4, 40, 5, 2).caught());
}

TEST(Verifier, FindsADroppedStep) {
  for (const Action action : {Action::begin_send, Action::end_send, Action::end_recv, Action::reduce}) {
    Planted plant(Collective::allreduce, "ring", 4, 40, 5);
    plant.programs[0][2].erase(plant.step(2, action));
    EXPECT_TRUE(plant.caught()) << static_cast<int>(action);
  }
}

TEST(Verifier, FindsADroppedCopy) {
  Planted plant(Collective::allreduce, "ring", 4, 40, 5);
  plant.programs[0][2].erase(plant.step(2, Action::copy));
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsASwappedPeer) {
  Planted plant(Collective::allreduce, "ring", 4, 40, 5);
  plant.step(1, Action::begin_send)->peer = 3;
  plant.step(1, Action::end_send)->peer = 3;
  plant.step(1, Action::copy)->out.peer = 3;
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsAWrongChunkIndex) {
  Planted plant(Collective::allreduce, "ring", 4, 40, 5);
  plant.step(1, Action::reduce)->right.offset = 0;
  plant.step(1, Action::reduce)->left.offset += 5;
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsAMissingWait) {
  Planted channel(Collective::allreduce, "ring", 4, 40, 5);
  channel.programs[0][2].erase(channel.step(2, Action::begin_recv));
  EXPECT_TRUE(channel.caught());
  Planted board(Collective::allreduce, "flat", 4, 40, 5);
  board.programs[0][2].erase(board.step(2, Action::fetch, 3));
  EXPECT_TRUE(board.caught());
}

TEST(Verifier, FindsADoubleReduction) {
  Planted plant(Collective::allreduce, "flat", 3, 6, 6);
  const Step again = *plant.step(1, Action::reduce);
  plant.programs[0][1].insert(plant.step(1, Action::reduce) + 1,
                              {again.action, 0, again.bytes, again.out, again.out, again.right});
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsAnotherOperandOrderOnOneRank) {
  Planted plant(Collective::allreduce, "flat", 2, 6, 6);
  const auto reduce = plant.step(1, Action::reduce);
  std::swap(reduce->left, reduce->right);
  EXPECT_TRUE(plant.caught());
}

// Two chunks are sent before one is received, and a third while one is being read: a FIFO of two slots is one too short.
TEST(Verifier, FindsAFifoOneSlotTooShort) {
  Planted plant(Collective::allgather, "ring", 3, 4, 4);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    Program& program = plant.programs[0][rank];
    const Program send(plant.step(rank, Action::begin_send), plant.step(rank, Action::end_send) + 1);
    const Program receive = {{Action::begin_recv, (rank + 2) % 3, 4, {}, {}, {}},
                             {Action::end_recv, (rank + 2) % 3, 0, {}, {}, {}}};
    program.insert(program.begin(), send.begin(), send.end());
    program.insert(program.end(), receive.begin(), receive.end());
  }
  plant.job.slots = 3;
  EXPECT_FALSE(prove(plant.job, plant.programs).value_or(Violation{}).text.starts_with("deadlock"));
  plant.job.slots = 2;
  ASSERT_TRUE(plant.caught());
  EXPECT_TRUE(prove(plant.job, plant.programs)->text.starts_with("deadlock")) << prove(plant.job, plant.programs)->text;
}

// Rank 0 is the root of a scatter of blocks that are lent.
Planted lent_scatter(std::uint32_t calls = 1) {
  Planted plant(Collective::scatter, "linear", 3, 4, 4, calls);
  for (std::uint32_t call = 0; call < calls; ++call) {
    plant.job.calls[call].loan = 1;
    for (std::uint32_t rank = 0; rank < 3; ++rank)
      plant.programs[call][rank] = record(plant.job, plant.job.calls[call], rank);
  }
  return plant;
}

TEST(Verifier, BlocksAreLentWhereTheyAreLongEnough) {
  Planted plant = lent_scatter();
  EXPECT_FALSE(plant.caught());
  EXPECT_EQ(plant.step(0, Action::lend)->bytes, 4U);
  EXPECT_EQ(plant.step(1, Action::borrow)->bytes, 4U);
  plant.job.calls[0].loan = 5;
  for (const Step& step : record(plant.job, plant.job.calls[0], 0)) EXPECT_NE(step.action, Action::lend);
  plant.job.calls[0].loan = 1;
  plant.job.host_of = {0, 0, 1};
  for (const Step& step : record(plant.job, plant.job.calls[0], 0)) EXPECT_NE(step.action, Action::lend);
}

TEST(Verifier, FindsALoanThatIsNotSettledOrNotMade) {
  for (const Action action : {Action::lend, Action::settle}) {
    Planted plant = lent_scatter(2);
    plant.programs[0][0].erase(plant.step(0, action));
    EXPECT_TRUE(plant.caught()) << action_name(action);
  }
  Planted unread = lent_scatter();
  unread.programs[0][2].erase(unread.step(2, Action::borrow));
  EXPECT_TRUE(unread.caught());
}

TEST(Verifier, FindsAWriteToWhatIsLent) {
  Planted plant(Collective::alltoall, "pairwise", 2, 4, 4);
  CallSpec& call = plant.job.calls[0];
  call.loan = 1;
  call.in_place = true;  // a copy is lent: the block itself, which the other's comes to lie over, must not be
  for (std::uint32_t rank = 0; rank < 2; ++rank) plant.programs[0][rank] = record(plant.job, call, rank);
  EXPECT_FALSE(plant.caught());
  plant.step(1, Action::lend)->left = plant.step(1, Action::copy)->left;
  ASSERT_TRUE(plant.caught());
  EXPECT_TRUE(prove(plant.job, plant.programs)->text.ends_with("writes to what it lends"));
}

TEST(Verifier, FindsALoanOfAnotherLength) {
  Planted plant = lent_scatter();
  plant.step(1, Action::borrow)->bytes = 3;
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsASlotTakenForALoan) {
  Planted plant = lent_scatter();
  Program& reader = plant.programs[0][1];
  const auto borrow = plant.step(1, Action::borrow);
  *borrow = {Action::begin_recv, 0, 4, {}, {}, {}};
  reader.insert(plant.step(1, Action::begin_recv) + 1, {Action::end_recv, 0, 0, {}, {}, {}});
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsARootThatRunsAhead) {
  // The readers of the second call forget to end the epoch of the first: the root overwrites what they still read.
  Planted plant(Collective::bcast, "flat", 3, 4, 4, 6);
  plant.programs[0][1].erase(plant.step(1, Action::finish));
  EXPECT_TRUE(plant.caught());
}

TEST(Verifier, FindsAMessageThatNobodyReceives) {
  Planted plant(Collective::bcast, "ring", 3, 4, 4);
  Program& program = plant.programs[0][2];
  program.push_back({Action::begin_send, 0, 1, {}, {}, {}});
  program.push_back({Action::end_send, 0, 1, {}, {}, {}});
  EXPECT_TRUE(plant.caught());
}

}  // namespace
}  // namespace xylem::verify
