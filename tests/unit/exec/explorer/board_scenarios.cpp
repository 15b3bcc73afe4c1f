#include "ports.hpp"

namespace xylem::explorer {
namespace {

constexpr std::size_t kMostRanks = 3;
constexpr std::uint32_t kStride = exec::kCacheLine;

struct Shared {
  alignas(exec::kCacheLine) std::byte buffers[kMostRanks][exec::kBoardDepth * kStride];
  exec::BoardDone done[kMostRanks];
  alignas(exec::kCacheLine) std::uint32_t abort_word;
};

class Epochs : public Protocol {
 public:
  Epochs(std::uint64_t start, std::uint32_t ranks, std::uint32_t epochs, Shows shows, bool abandoned, Misuse misuse)
      : start_(start), ranks_(ranks), epochs_(epochs), shows_(shows), abandoned_(abandoned), misuse_(misuse) {}

  std::size_t threads() const override { return ranks_; }
  std::span<std::byte> memory() override { return std::as_writable_bytes(std::span(&shared_, 1)); }
  void reset() override {
    shared_ = {};
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      buffers_[rank] = shared_.buffers[rank];
      done_[rank] = &shared_.done[rank];
      shared_.done[rank].epochs = start_;
      // What the epochs before have left behind.
      for (std::uint64_t back = 1; back <= exec::kBoardDepth && back <= start_; ++back) {
        *word(rank, start_ - back) = exec::BoardWord::make(start_ - back, kSignature);
      }
    }
  }
  std::vector<const void*> words(Line line) const override {
    std::vector<const void*> found;
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      if (line == Line::board_done) found.push_back(&shared_.done[rank].epochs);
      for (std::uint64_t buffer = 0; line == Line::board_word && buffer < exec::kBoardDepth; ++buffer) {
        found.push_back(shared_.buffers[rank] + buffer * kStride);
      }
    }
    return found;
  }

  void run(std::size_t self) override {
    const auto rank = static_cast<std::uint32_t>(self);
    exec::Board board{buffers_, done_, rank, ranks_, kStride, kPayloadBytes, start_, start_};
    if (misuse_ == Misuse::one_epoch_too_many) ++board.finished;
    exec::Endpoints endpoints{nullptr, nullptr, &board};
    Team team(shared_.abort_word, misuse_);
    const bool quits = abandoned_ && rank + 1 == ranks_;
    with_port(misuse_, team, endpoints, [&]<class Port>(Port& port) {
      exec::Lane<Port> lane(port);
      const std::uint32_t epochs = quits ? epochs_ - 1 : epochs_;
      for (std::uint32_t epoch = 0; epoch < epochs && port.fault() == exec::Fault::none; ++epoch) {
        run_epoch(port, lane, rank, epoch);
      }
      if (quits) exec::store_release(shared_.abort_word, exec::abort_word(exec::Fault::protocol, rank));
      expect_fault(port.fault(), abandoned_ && !quits ? exec::Fault::protocol : exec::Fault::none);
    });
  }

 private:
  template <class Port, class Lane>
  void run_epoch(Port& port, Lane& lane, std::uint32_t rank, std::uint32_t epoch) {
    const auto shows = [&](std::uint32_t member) {
      return shows_ == Shows::all || member == (shows_ == Shows::one ? 0 : epoch % ranks_);
    };
    const Payload own{rank, epoch};
    if (shows(rank)) lane.show(view(own));
    for (std::uint32_t member = 0; member < ranks_; ++member) {
      if (member == rank || !shows(member)) continue;
      Payload got;
      lane.copy(slice(got), lane.fetch(member, kPayloadBytes));
      if (port.fault() == exec::Fault::none) expect_payload(got, {member, epoch});
    }
    lane.finish(shows_ == Shows::all);
  }
  std::uint64_t* word(std::uint32_t rank, std::uint64_t epoch) {
    return reinterpret_cast<std::uint64_t*>(shared_.buffers[rank] + epoch % exec::kBoardDepth * kStride);
  }

  Shared shared_{};
  std::byte* buffers_[kMostRanks] = {};
  exec::BoardDone* done_[kMostRanks] = {};
  std::uint64_t start_;
  std::uint32_t ranks_, epochs_;
  Shows shows_;
  bool abandoned_;
  Misuse misuse_;
};

}  // namespace

std::unique_ptr<Protocol> board(std::uint64_t start, std::uint32_t ranks, std::uint32_t epochs, Shows shows, Misuse misuse) {
  return std::make_unique<Epochs>(start, ranks, epochs, shows, false, misuse);
}

std::unique_ptr<Protocol> abandoned_board(std::uint64_t start, std::uint32_t ranks, std::uint32_t epochs, Misuse misuse) {
  return std::make_unique<Epochs>(start, ranks, epochs, Shows::all, true, misuse);
}

}  // namespace xylem::explorer
