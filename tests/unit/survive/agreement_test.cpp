// Ranks are threads, and end wherever a test wants: before or after any letter that they send. What comes of an agreement is
// the same for all that live, and for those that ended after they had learned of it.
#include "survive/agreement.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

namespace xylem::survive {
namespace {

struct Ended {};

// Where all letters lie.
class Office {
 public:
  explicit Office(std::uint32_t ranks) : boxes_(ranks), gone_(ranks, false) {}

  void send(std::uint32_t from, std::uint32_t to, const Letter& letter) {
    const std::lock_guard lock(mutex_);
    if (gone_[to]) return;
    boxes_[to].push_back({from, letter});
    changed_.notify_all();
  }
  std::optional<Received> receive(std::uint32_t rank, std::size_t& known_gone) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !boxes_[rank].empty() || ends_ != known_gone; });
    known_gone = ends_;
    if (boxes_[rank].empty()) return std::nullopt;
    Received first = std::move(boxes_[rank].front());
    boxes_[rank].pop_front();
    return first;
  }
  void end(std::uint32_t rank) {
    const std::lock_guard lock(mutex_);
    gone_[rank] = true;
    ++ends_;
    changed_.notify_all();
  }
  bool gone(std::uint32_t rank) {
    const std::lock_guard lock(mutex_);
    return gone_[rank];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<Received>> boxes_;
  std::vector<bool> gone_;
  std::size_t ends_ = 0;
};

class OfficePost final : public Post {
 public:
  // `letters`: how many it sends before it ends.
  OfficePost(Office& office, std::uint32_t rank, std::size_t letters) : office_(office), rank_(rank), letters_(letters) {}

  void send(std::uint32_t to, const Letter& letter) override {
    if (letters_-- == 0) throw Ended();
    office_.send(rank_, to, letter);
    ++sent_;
  }
  std::optional<Received> receive() override { return office_.receive(rank_, known_gone_); }
  void attend(std::uint32_t) override {}
  bool gone(std::uint32_t rank) const override { return office_.gone(rank); }
  std::size_t sent() const { return sent_; }

 private:
  Office& office_;
  std::uint32_t rank_;
  std::size_t letters_;
  std::size_t sent_ = 0;
  std::size_t known_gone_ = 0;
};

constexpr std::size_t kForEver = ~std::size_t{0};
constexpr int kRounds = 3;

Bytes contribution(std::uint32_t rank, int round) { return {std::byte(rank), std::byte(round)}; }

struct Outcome {
  std::vector<Contributions> rounds;  // as far as it came
  std::size_t sent = 0;
  bool ended = false;
};

std::vector<Outcome> run(const std::vector<std::size_t>& letters) {
  const auto ranks = static_cast<std::uint32_t>(letters.size());
  Office office(ranks);
  std::vector<Outcome> outcomes(ranks);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      OfficePost post(office, rank, letters[rank]);
      Agreement agreement(post, rank, ranks);
      try {
        for (int round = 0; round < kRounds; ++round)
          outcomes[rank].rounds.push_back(agreement.agree(contribution(rank, round)));
        agreement.leave();
      } catch (const Ended&) {
        outcomes[rank].ended = true;
      }
      outcomes[rank].sent = post.sent();
      office.end(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

void check(const std::vector<Outcome>& outcomes) {
  for (int round = 0; round < kRounds; ++round) {
    const Contributions* first = nullptr;
    for (std::uint32_t rank = 0; rank < outcomes.size(); ++rank) {
      const Outcome& outcome = outcomes[rank];
      if (!outcome.ended) {
        ASSERT_EQ(outcome.rounds.size(), std::size_t{kRounds});
      }
      if (outcome.rounds.size() <= static_cast<std::size_t>(round)) continue;
      const Contributions& found = outcome.rounds[static_cast<std::size_t>(round)];
      if (first == nullptr) first = &found;
      ASSERT_EQ(found, *first) << "rank " << rank << ", round " << round;
      for (const auto& [each, bytes] : found) ASSERT_EQ(bytes, contribution(each, round));
      // Who lives to the end has been heard in every round.
      for (std::uint32_t each = 0; each < outcomes.size(); ++each) {
        if (!outcomes[each].ended) {
          ASSERT_TRUE(found.contains(each));
        }
      }
    }
  }
}

TEST(Agreement, AllAreHeardWhereNobodyEnds) {
  for (std::size_t ranks = 1; ranks <= 6; ++ranks) {
    const std::vector<Outcome> outcomes = run(std::vector<std::size_t>(ranks, kForEver));
    check(outcomes);
    for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.rounds[0].size(), ranks);
  }
}

TEST(Agreement, OneRankMayEndBeforeAnyLetter) {
  constexpr std::size_t ranks = 4;
  const std::vector<Outcome> whole = run(std::vector<std::size_t>(ranks, kForEver));
  for (std::size_t victim = 0; victim < ranks; ++victim) {
    for (std::size_t letters = 0; letters <= whole[victim].sent; ++letters) {
      std::vector<std::size_t> limits(ranks, kForEver);
      limits[victim] = letters;
      ASSERT_NO_FATAL_FAILURE(check(run(limits))) << "rank " << victim << " ends after " << letters << " letters";
    }
  }
}

// The leader, and the one that takes over from it.
TEST(Agreement, TwoLeadersMayEndBeforeAnyLetter) {
  constexpr std::size_t ranks = 4;
  const std::vector<Outcome> whole = run(std::vector<std::size_t>(ranks, kForEver));
  for (std::size_t first = 0; first <= whole[0].sent; ++first) {
    // As a follower it sends few letters; those of a leader come on top.
    for (std::size_t second = 0; second <= whole[0].sent + whole[1].sent; ++second) {
      ASSERT_NO_FATAL_FAILURE(check(run({first, second, kForEver, kForEver}))) << first << " and " << second << " letters";
    }
  }
}

TEST(Agreement, ManyMayEndAnywhere) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> limits(2 + random() % 6, kForEver);
    for (std::size_t& limit : limits)
      if (random() % 2 == 0) limit = random() % 30;
    ASSERT_NO_FATAL_FAILURE(check(run(limits))) << "round " << round << " of seed 7";
  }
}

}  // namespace
}  // namespace xylem::survive
