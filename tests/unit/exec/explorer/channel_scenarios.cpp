#include "ports.hpp"

namespace xylem::explorer {
namespace {

constexpr std::size_t kMostRanks = 3;
constexpr std::uint32_t kSlotBytes = exec::kCacheLine;

// Rank r sends to rank r + 1 only.
struct Shared {
  exec::ChannelTail tail[kMostRanks];
  exec::ChannelHead head[kMostRanks];
  alignas(exec::kCacheLine) std::byte slots[kMostRanks][exec::kSlots * kSlotBytes];
  alignas(exec::kCacheLine) std::uint32_t abort_word;
  alignas(exec::kCacheLine) Payload lent;  // rank 0's own, which rank 1 reads
};

class Channels : public Protocol {
 public:
  Channels(std::size_t ranks, std::uint64_t start, Misuse misuse) : ranks_(ranks), start_(start), misuse_(misuse) {}

  std::size_t threads() const override { return ranks_; }
  std::span<std::byte> memory() override { return std::as_writable_bytes(std::span(&shared_, 1)); }
  void reset() override {
    shared_ = {};
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      shared_.tail[rank].position = shared_.head[rank].position = start_;
      const exec::Channel channel{&shared_.tail[rank], &shared_.head[rank], shared_.slots[rank], kSlotBytes, start_, start_};
      to_[rank] = from_[rank] = channel;
      if (!readable_) from_[rank].process = kUnreadable;
      if (misuse_ == Misuse::one_slot_too_many) ++shared_.head[rank].position;
    }
  }
  std::vector<const void*> words(Line line) const override {
    std::vector<const void*> found;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (line == Line::tail) found.push_back(&shared_.tail[rank].position);
      if (line == Line::head) found.push_back(&shared_.head[rank].position);
    }
    return found;
  }

  template <class Body>
  void with_own_port(std::size_t rank, Body body) {
    exec::Channel outbound[kMostRanks], inbound[kMostRanks];
    const std::size_t next = (rank + 1) % ranks_, previous = (rank + ranks_ - 1) % ranks_;
    outbound[next] = to_[rank];
    inbound[previous] = from_[previous];
    exec::Endpoints endpoints{outbound, inbound};
    Team team(shared_.abort_word, misuse_);
    with_port(misuse_, team, endpoints, body);
  }
  void give_up(std::uint32_t rank) { exec::store_release(shared_.abort_word, exec::abort_word(exec::Fault::protocol, rank)); }

  Payload& lent() { return shared_.lent; }
  void make_unreadable() { readable_ = false; }
  bool readable() const { return readable_; }
  Misuse misuse() const { return misuse_; }

 private:
  Shared shared_{};
  std::size_t ranks_;
  bool readable_ = true;
  std::uint64_t start_;
  Misuse misuse_;
  exec::Channel to_[kMostRanks], from_[kMostRanks];  // by sender
};

class Stream : public Channels {
 public:
  // Rank `quitter` gives up after `messages` messages; the other has `more` to go. No quitter: 2.
  Stream(std::uint64_t start, std::uint32_t messages, std::uint32_t more, std::uint32_t quitter, Misuse misuse)
      : Channels(2, start, misuse), messages_(messages), more_(more), quitter_(quitter) {}

  void run(std::size_t rank) override {
    with_own_port(rank, [&]<class Port>(Port& port) {
      exec::Lane<Port> lane(port);
      const std::uint32_t count = messages_ + (rank == quitter_ ? 0 : more_);
      for (std::uint32_t number = 0; number < count && port.fault() == exec::Fault::none; ++number) {
        const Payload wanted{0, number};
        if (rank == 0) {
          lane.send(view(wanted), 1);
        } else {
          Payload got;
          lane.recv(0, slice(got));
          if (port.fault() == exec::Fault::none) expect_payload(got, wanted);
        }
      }
      if (rank == quitter_) give_up(static_cast<std::uint32_t>(rank));
      const bool ends_with_fault = quitter_ < 2 && rank != quitter_;
      expect_fault(port.fault(), ends_with_fault ? exec::Fault::protocol : exec::Fault::none);
    });
  }

 private:
  std::uint32_t messages_, more_, quitter_;
};

class Loans : public Channels {
 public:
  Loans(std::uint64_t start, std::uint32_t rounds, bool readable, Misuse misuse)
      : Channels(2, start, misuse), rounds_(rounds) {
    if (!readable) make_unreadable();
  }

  void run(std::size_t rank) override {
    with_own_port(rank, [&]<class Port>(Port& port) {
      exec::Lane<Port> lane(port);
      for (std::uint32_t number = 0; number < rounds_; ++number) {
        const Payload wanted{0, number};
        if (rank == 0) {
          lent() = wanted;
          lane.lend(view(lent()), 1);
          if (misuse() == Misuse::no_settlement) continue;
          if (lane.settle(view(lent()), 1) != readable()) Explorer::fail("the owner takes a loan for what it was not");
          if (!readable()) lane.send(view(lent()), 1);
        } else {
          Payload got;
          if (lane.borrow(0, slice(got)) != readable()) Explorer::fail("the reader takes a loan for what it was not");
          if (lane.refused(0, slice(got)) == readable()) Explorer::fail("the reader forgets what it could not read");
          if (!readable()) lane.recv(0, slice(got));
          expect_payload(got, wanted);
        }
      }
      expect_fault(port.fault(), exec::Fault::none);
    });
  }

 private:
  std::uint32_t rounds_;
};

class RingRounds : public Channels {
 public:
  RingRounds(std::uint64_t start, std::uint32_t ranks, std::uint32_t rounds)
      : Channels(ranks, start, Misuse::none), ranks_(ranks), rounds_(rounds) {}

  void run(std::size_t self) override {
    const auto rank = static_cast<std::uint32_t>(self);
    with_own_port(rank, [&]<class Port>(Port& port) {
      exec::Lane<Port> lane(port);
      const std::uint32_t next = (rank + 1) % ranks_, previous = (rank + ranks_ - 1) % ranks_;
      for (std::uint32_t round = 0; round < rounds_; ++round) {
        const Payload own{rank, round};
        lane.send(view(own), next);
        for (std::uint32_t back = 1; back < ranks_; ++back) {
          Payload got;
          if (back + 1 < ranks_) {
            lane.recv_copy_send(previous, slice(got), next);
          } else {
            lane.recv(previous, slice(got));
          }
          expect_payload(got, {(rank + ranks_ - back) % ranks_, round});
        }
      }
      expect_fault(port.fault(), exec::Fault::none);
    });
  }

 private:
  std::uint32_t ranks_, rounds_;
};

}  // namespace

std::unique_ptr<Protocol> stream(std::uint64_t start, std::uint32_t messages, Misuse misuse) {
  return std::make_unique<Stream>(start, messages, 0, 2, misuse);
}

std::unique_ptr<Protocol> loans(std::uint64_t start, std::uint32_t rounds, bool readable, Misuse misuse) {
  return std::make_unique<Loans>(start, rounds, readable, misuse);
}

std::unique_ptr<Protocol> ring(std::uint64_t start, std::uint32_t ranks, std::uint32_t rounds) {
  return std::make_unique<RingRounds>(start, ranks, rounds);
}

std::unique_ptr<Protocol> abandoned_stream(std::uint64_t start, std::uint32_t messages, bool sender_gives_up, Misuse misuse) {
  // A sender has to need more slots than there are before it waits for a receiver.
  return std::make_unique<Stream>(start, messages, sender_gives_up ? 1 : exec::kSlots + 1, sender_gives_up ? 0 : 1, misuse);
}

}  // namespace xylem::explorer
