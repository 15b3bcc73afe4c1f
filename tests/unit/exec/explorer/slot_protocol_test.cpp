// The protocols of channels and boards (exec/port.hpp), explored over all that C++'s memory model allows, and with faults
// planted to see that each is found.
#include <gtest/gtest.h>

#include "scenarios.hpp"

namespace xylem::explorer {
namespace {

// Counters from the beginning, and about to pass 2^32 and 2^64; a board word holds 40 bits of its epoch.
constexpr std::uint64_t kStarts[] = {0, (std::uint64_t{1} << 32) - 3, ~std::uint64_t{0} - 4};
constexpr std::uint64_t kEpochs[] = {0, 7, (std::uint64_t{1} << 40) - 3};

// `runs`: how many ways there are. Fewer would mean that some are not looked at.
void expect_right(Protocol& protocol, std::uint64_t runs) {
  const Result result = Explorer().explore(protocol);
  EXPECT_EQ(result.violation, "");
  EXPECT_EQ(result.runs, runs);
  EXPECT_GT(result.accesses, result.runs);
  EXPECT_GT(result.naps, 0U);
}

// Exploring ends with the first fault that a run meets.
void expect_found(Protocol& protocol, const std::string& violation, const std::vector<Weakening>& weakenings = {}) {
  const Result result = Explorer().explore(protocol, weakenings);
  EXPECT_NE(result.violation.find(violation), std::string::npos)
      << "found '" << result.violation << "' in " << result.runs << " runs, and not " << violation;
}

std::vector<Weakening> weakened(const Protocol& protocol, Line line, bool stores) {
  std::vector<Weakening> weakenings;
  for (const void* word : protocol.words(line)) weakenings.push_back({word, stores});
  return weakenings;
}

TEST(SlotProtocol, StreamOverOneChannel) {
  for (const std::uint64_t start : kStarts) expect_right(*stream(start, 8), 2022);
}

TEST(SlotProtocol, EachWayIsTakenOnce) {
  // With a slot for each message, a way is how the receiver's looks divide the messages: 2 to the power of messages - 1.
  for (std::uint32_t messages = 1; messages <= 4; ++messages) expect_right(*stream(0, messages), 1U << (messages - 1));
}

TEST(SlotProtocol, RingOfTwo) {
  for (const std::uint64_t start : kStarts) expect_right(*ring(start, 2, 7), 358);
}

TEST(SlotProtocol, RingOfThree) {
  for (const std::uint64_t start : kStarts) expect_right(*ring(start, 3, 2), 193);
}

TEST(SlotProtocol, LoansAreReadAndRefused) {
  for (const std::uint64_t start : kStarts) {
    expect_right(*loans(start, 4, true), 1);
    expect_right(*loans(start, 4, false), 8);
  }
}

TEST(SlotProtocol, EveryOrderOfALoanIsNeeded) {
  for (const Line line : {Line::tail, Line::head}) {
    for (const bool stores : {false, true}) {
      const auto protocol = loans(0, 3, true);
      expect_found(*protocol, "data race", weakened(*protocol, line, stores));
    }
  }
}

TEST(SlotProtocol, ALoanThatIsNotSettledIsFound) { expect_found(*loans(0, 3, true, Misuse::no_settlement), "data race"); }

TEST(SlotProtocol, AnAbortEndsTheWaitOfTheOther) {
  constexpr std::uint64_t ways[][3] = {{1, 2, 8}, {2, 4, 26}, {5, 98, 1152}};
  for (const auto& [messages, sender_gives_up, receiver_gives_up] : ways) {
    expect_right(*abandoned_stream(kStarts[2], messages, true), sender_gives_up);
    expect_right(*abandoned_stream(kStarts[2], messages, false), receiver_gives_up);
  }
}

TEST(SlotProtocol, EveryOrderIsNeeded) {
  for (const Line line : {Line::tail, Line::head}) {
    for (const bool stores : {false, true}) {
      const auto protocol = stream(0, 6);
      expect_found(*protocol, "data race", weakened(*protocol, line, stores));
    }
  }
}

TEST(SlotProtocol, MisuseIsFound) {
  expect_found(*stream(0, 6, Misuse::publish_before_write), "data race");
  expect_found(*stream(0, 6, Misuse::release_before_read), "data race");
  expect_found(*stream(0, 6, Misuse::one_slot_too_many), "data race");
  expect_found(*abandoned_stream(0, 2, true, Misuse::deaf_to_abort), "deadlock: for ever wait threads 1");
  expect_found(*abandoned_stream(0, 2, false, Misuse::deaf_to_abort), "deadlock: for ever wait threads 0");
}

// Nobody knows who sleeps, so who stores between a look and the sleep after it wakes nobody: naps have to end by themselves.
TEST(SlotProtocol, ALostWakeUpIsFound) {
  expect_found(*stream(0, 1, Misuse::sleeps_until_woken), "lost wake-up: for ever sleep threads 1");
  expect_found(*stream(0, 6, Misuse::sleeps_until_woken), "lost wake-up: for ever sleep threads");
  expect_found(*abandoned_stream(0, 2, true, Misuse::sleeps_until_woken), "lost wake-up: for ever sleep threads 1");
}

TEST(BoardProtocol, AllShow) {
  // Nobody can be early or late in any way that another one sees.
  for (const std::uint64_t start : kEpochs) {
    expect_right(*board(start, 2, 9, Shows::all), 1);
    expect_right(*board(start, 3, 6, Shows::all), 1);
  }
}

TEST(BoardProtocol, OneShowsAndRunsAhead) {
  for (const std::uint64_t start : kEpochs) {
    expect_right(*board(start, 2, 9, Shows::one), 49);
    expect_right(*board(start, 3, 6, Shows::one), 76);
  }
}

TEST(BoardProtocol, ShowInTurns) {
  for (const std::uint64_t start : kEpochs) {
    expect_right(*board(start, 2, 9, Shows::turns), 8);
    expect_right(*board(start, 3, 7, Shows::turns), 36);
  }
}

TEST(BoardProtocol, AnAbortEndsTheWaitsOfAll) {
  expect_right(*abandoned_board(kEpochs[2], 2, 6), 2);
  expect_right(*abandoned_board(kEpochs[2], 3, 3), 12);
}

TEST(BoardProtocol, EveryOrderIsNeeded) {
  for (const Line line : {Line::board_word, Line::board_done}) {
    for (const bool stores : {false, true}) {
      const auto protocol = board(0, 2, 6, Shows::one);
      expect_found(*protocol, "data race", weakened(*protocol, line, stores));
    }
  }
}

TEST(BoardProtocol, MisuseIsFound) {
  expect_found(*board(0, 2, 6, Shows::one, Misuse::publish_before_write), "data race");
  expect_found(*board(0, 2, 6, Shows::one, Misuse::release_before_read), "data race");
  expect_found(*board(0, 2, 6, Shows::one, Misuse::one_epoch_too_many), "deadlock: for ever wait threads 0 1");
  expect_found(*board(0, 2, 6, Shows::one, Misuse::claims_to_have_fetched), "deadlock: for ever wait threads 1");
  expect_found(*abandoned_board(0, 2, 3, Misuse::deaf_to_abort), "deadlock: for ever wait threads 0");
}

TEST(BoardProtocol, ALostWakeUpIsFound) {
  expect_found(*board(0, 2, 1, Shows::all, Misuse::sleeps_until_woken), "lost wake-up: for ever sleep threads");
  expect_found(*abandoned_board(0, 2, 3, Misuse::sleeps_until_woken), "lost wake-up: for ever sleep threads");
}

}  // namespace
}  // namespace xylem::explorer
