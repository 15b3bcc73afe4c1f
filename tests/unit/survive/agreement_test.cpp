// Ranks are threads, and end wherever a test wants: before or after any letter that they send. What comes of an agreement is
// the same for all that live, and for those that ended after they had learned of it.
#include "survive/agreement.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <semaphore>
#include <thread>

namespace xylem::survive {
namespace {

struct Ended {};

// Where all letters lie. One rank runs at a time, until it waits for a letter; which rank goes on then, and whose letter it
// finds or whose end it notices, is drawn from a seed, so that every order that a network may bring comes up, and comes up
// again. Letters that lie here when their sender ends may be lost, the last ones first.
class Office {
 public:
  Office(std::uint32_t ranks, unsigned seed) : random_(seed), boxes_(ranks) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) boxes_[rank] = std::make_unique<Box>(ranks);
  }

  // By each rank's thread, before all else.
  void enter(std::uint32_t rank) { boxes_[rank]->turn.acquire(); }
  // By nobody's thread: rank 0 runs first.
  void open() { boxes_[0]->turn.release(); }

  void send(std::uint32_t from, std::uint32_t to, const Letter& letter) {
    if (!boxes_[to]->ended) boxes_[to]->letters[from].push_back(letter);
  }
  std::optional<Received> receive(std::uint32_t rank) {
    Box& box = *boxes_[rank];
    box.entered = true;
    pass_on(rank);
    if (stuck_) throw Ended();
    const std::vector<std::uint32_t> senders = with_news(rank);
    const std::uint32_t from = senders[random_() % senders.size()];
    if (box.letters[from].empty() || (boxes_[from]->ended && !box.noticed[from] && random_() % 4 == 0)) {
      box.noticed[from] = true;
      return std::nullopt;
    }
    Received first{from, std::move(box.letters[from].front())};
    box.letters[from].pop_front();
    return first;
  }
  void end(std::uint32_t rank, bool lose) {
    boxes_[rank]->ended = true;
    for (const std::unique_ptr<Box>& box : boxes_) {
      std::deque<Letter>& letters = box->letters[rank];
      while (lose && !letters.empty() && random_() % 2 == 0) letters.pop_back();
    }
    pass_on(rank);
  }
  bool gone(std::uint32_t asking, std::uint32_t rank) const { return boxes_[asking]->noticed[rank]; }
  // All waited for letters, and none was on its way.
  bool stuck() const { return stuck_; }

 private:
  struct Box {
    explicit Box(std::uint32_t ranks) : letters(ranks), noticed(ranks, false) {}
    std::binary_semaphore turn{0};
    std::vector<std::deque<Letter>> letters;  // of each sender
    std::vector<bool> noticed;                // that it has ended
    bool entered = false;                     // it has waited for a letter at least once
    bool ended = false;
  };

  std::vector<std::uint32_t> with_news(std::uint32_t rank) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t from = 0; from < boxes_.size(); ++from) {
      if (!boxes_[rank]->letters[from].empty() || (boxes_[from]->ended && !boxes_[rank]->noticed[from]))
        found.push_back(from);
    }
    return found;
  }

  // Another rank goes on, or the same. The caller does so only when its turn comes.
  void pass_on(std::uint32_t rank) {
    std::vector<std::uint32_t> able;
    std::vector<std::uint32_t> living;
    for (std::uint32_t each = 0; each < boxes_.size(); ++each) {
      if (boxes_[each]->ended) continue;
      living.push_back(each);
      if (!boxes_[each]->entered || !with_news(each).empty()) able.push_back(each);
    }
    if (living.empty()) return;
    if (able.empty()) {
      stuck_ = true;
      able = living;
    }
    const std::uint32_t next = able[random_() % able.size()];
    const bool ended = boxes_[rank]->ended;
    boxes_[next]->turn.release();
    if (!ended) boxes_[rank]->turn.acquire();
  }

  std::mt19937 random_;
  std::vector<std::unique_ptr<Box>> boxes_;
  bool stuck_ = false;
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
  std::optional<Received> receive() override { return office_.receive(rank_); }
  void attend(std::uint32_t) override {}
  bool gone(std::uint32_t rank) const override { return office_.gone(rank_, rank); }
  std::size_t sent() const { return sent_; }

 private:
  Office& office_;
  std::uint32_t rank_;
  std::size_t letters_;
  std::size_t sent_ = 0;
};

constexpr std::size_t kForEver = ~std::size_t{0};
constexpr int kRounds = 3;
// Making threads takes the thread sanitizer long.
#if defined(__SANITIZE_THREAD__)
constexpr unsigned kSeeds = 50, kSeedsOfEach = 1;
#else
constexpr unsigned kSeeds = 1000, kSeedsOfEach = 5;
#endif

Bytes contribution(std::uint32_t rank, int round) { return {std::byte(rank), std::byte(round)}; }

struct Outcome {
  std::vector<Contributions> rounds;  // as far as it came
  std::size_t sent = 0;
  bool ended = false;
};

// `letters`: how many each rank sends before it ends.
std::vector<Outcome> run(const std::vector<std::size_t>& letters, unsigned seed) {
  const auto ranks = static_cast<std::uint32_t>(letters.size());
  Office office(ranks, seed);
  std::vector<Outcome> outcomes(ranks);
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      office.enter(rank);
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
      office.end(rank, outcomes[rank].ended);
    });
  }
  office.open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(office.stuck()) << "all wait, seed " << seed;
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
    const std::vector<Outcome> outcomes = run(std::vector<std::size_t>(ranks, kForEver), 1);
    check(outcomes);
    for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.rounds[0].size(), ranks);
  }
}

TEST(Agreement, OneRankMayEndBeforeAnyLetter) {
  constexpr std::size_t ranks = 4;
  const std::vector<Outcome> whole = run(std::vector<std::size_t>(ranks, kForEver), 1);
  for (std::size_t victim = 0; victim < ranks; ++victim) {
    for (std::size_t letters = 0; letters <= whole[victim].sent; ++letters) {
      std::vector<std::size_t> limits(ranks, kForEver);
      limits[victim] = letters;
      for (unsigned seed = 1; seed <= kSeedsOfEach; ++seed)
        ASSERT_NO_FATAL_FAILURE(check(run(limits, seed)))
            << "rank " << victim << " ends after " << letters << " letters, seed " << seed;
    }
  }
}

// The leader, and the one that takes over from it.
TEST(Agreement, TwoLeadersMayEndBeforeAnyLetter) {
  constexpr std::size_t ranks = 4;
  const std::vector<Outcome> whole = run(std::vector<std::size_t>(ranks, kForEver), 1);
  for (std::size_t first = 0; first <= whole[0].sent; ++first) {
    // As a follower it sends few letters; those of a leader come on top.
    for (std::size_t second = 0; second <= whole[0].sent + whole[1].sent; ++second) {
      ASSERT_NO_FATAL_FAILURE(check(run({first, second, kForEver, kForEver}, 1))) << first << " and " << second << " letters";
    }
  }
}

TEST(Agreement, ManyMayEndAnywhere) {
  for (unsigned seed = 1; seed <= kSeeds && !HasFailure(); ++seed) {
    std::mt19937 random(seed);
    std::vector<std::size_t> limits(2 + random() % 6, kForEver);
    for (std::size_t& limit : limits)
      if (random() % 2 == 0) limit = random() % 30;
    ASSERT_NO_FATAL_FAILURE(check(run(limits, seed))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace xylem::survive
