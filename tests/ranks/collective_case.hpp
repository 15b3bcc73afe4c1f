// One call of any collective on one rank: inputs, the call, and the exact result. A Communicator has rank(), size(),
// run(Call) and error().
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "comm/call.hpp"
#include "elements.hpp"

namespace xylem::test {

struct Case {
  std::size_t count;  // elements of the vector or of a block; where blocks differ, about as many
  xylem_type type;
  xylem_op op;
  int root;
  bool in_place;
  int salt;
  bool rounds = false;  // sums of numbers that round, of FLOAT or DOUBLE: the bits of a reproducible sum are expected
};

template <class Communicator>
class CaseRun {
 public:
  CaseRun(Communicator& comm, coll::Collective collective, const Case& c)
      : comm_(comm),
        collective_(collective),
        facts_(coll::facts(collective)),
        case_(c),
        rank_(static_cast<int>(comm.rank())),
        ranks_(static_cast<int>(comm.size())) {
    const bool here = !facts_.rooted || rank_ == c.root;
    in_place_ = collective == coll::Collective::bcast || (c.in_place && here);
    sends_ = here || !(coll::only_root_sends(collective) || collective == coll::Collective::bcast);
    receives_ = here || !coll::only_root_receives(collective);
    sent_ = layout(facts_.input, true);
    received_ = layout(facts_.output, false);
    fill();
  }

  void check() {
    ASSERT_EQ(comm_.run(call()), XYLEM_SUCCESS) << comm_.error();
    EXPECT_TRUE(input_ == input_before_) << "send buffer was written: " << text();
    if (!receives_ || (collective_ == coll::Collective::exscan && rank_ == 0)) return;
    if (in_place_ && facts_.input == coll::Buffer::blocks && facts_.output == coll::Buffer::own && facts_.reduces) {
      output_.resize(expected_.size());  // the rest of the buffer is undefined
    }
    EXPECT_TRUE(output_ == expected_) << text();
  }

 private:
  // Beyond what a rank may write, this stays.
  static constexpr std::byte kUntouched{0xA5};

  struct Layout {
    std::vector<std::size_t> counts, offsets;  // by block, in elements
    std::size_t size = 0;                      // of the buffer
  };

  std::string text() const {
    return std::string(facts_.name) + " rank " + std::to_string(rank_) + " count " + std::to_string(case_.count) + " " +
           exec::type_name(case_.type) + " " + exec::op_name(case_.op) + " root " + std::to_string(case_.root) +
           (case_.in_place ? " in place" : "");
  }

  bool scans() const { return collective_ == coll::Collective::scan || collective_ == coll::Collective::exscan; }

  // Elements that go from one rank to another. Some are none.
  std::size_t length(int from, int to) const {
    if (!facts_.uneven) return case_.count;
    if (facts_.input == coll::Buffer::own || facts_.output == coll::Buffer::own) {
      from = to = facts_.input == coll::Buffer::own ? from : to;
    }
    if (case_.in_place && from > to) std::swap(from, to);
    return (static_cast<std::size_t>(from * 5 + to * 3) + case_.count) % (case_.count + 2);
  }

  Layout layout(coll::Buffer kind, bool sent) const {
    Layout made;
    if (kind == coll::Buffer::none) return made;
    if (kind != coll::Buffer::blocks) {
      const int peer = facts_.rooted ? case_.root : rank_;
      made.counts = {kind == coll::Buffer::vector ? case_.count : sent ? length(rank_, peer) : length(peer, rank_)};
      made.offsets = {0};
      made.size = made.counts[0];
      return made;
    }
    // Where the caller says where blocks lie: in any order and with room between them.
    const bool packed = !facts_.uneven || facts_.reduces;
    made.counts.resize(static_cast<std::size_t>(ranks_));
    made.offsets.resize(made.counts.size());
    for (int i = 0; i < ranks_; ++i) {
      const int peer = packed ? i : ranks_ - 1 - i;
      const auto at = static_cast<std::size_t>(peer);
      made.counts[at] = sent ? length(rank_, peer) : length(peer, rank_);
      made.offsets[at] = made.size;
      made.size += made.counts[at] + (packed ? 0 : 1);
    }
    return made;
  }

  Bytes contribution(int rank, std::size_t block, std::size_t count) const {
    if (case_.rounds) return make_rounding_input(case_.type, rank, count, case_.salt + static_cast<int>(block) * 17);
    return make_input(case_.type, facts_.reduces ? case_.op : XYLEM_SUM, rank, count,
                      case_.salt + static_cast<int>(block) * 17);
  }

  // What block `block` of the output must be.
  Bytes result(std::size_t block) const {
    const std::size_t count = received_.counts[block];
    const std::size_t of_input = facts_.input == coll::Buffer::blocks ? static_cast<std::size_t>(rank_) : 0;
    if (facts_.reduces) {
      const int ranks = collective_ == coll::Collective::scan     ? rank_ + 1
                        : collective_ == coll::Collective::exscan ? std::max(rank_, 1)
                                                                  : ranks_;
      if (case_.rounds) {
        const int salt = case_.salt + static_cast<int>(of_input) * 17;
        return scans() ? sum_from_left(case_.type, ranks, count, salt) : sum_along_tree(case_.type, 0, ranks, count, salt);
      }
      return fold_inputs(case_.type, case_.op, ranks, count, case_.salt + static_cast<int>(of_input) * 17);
    }
    const bool from_root = facts_.output != coll::Buffer::blocks;
    return contribution(from_root ? case_.root : static_cast<int>(block), of_input, count);
  }

  static void put(Bytes& buffer, std::size_t at, const Bytes& data) {
    std::copy(data.begin(), data.end(), buffer.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void fill() {
    const std::size_t unit = exec::type_bytes(case_.type);
    const auto own = static_cast<std::size_t>(rank_);
    if (in_place_) {
      if (facts_.input == coll::Buffer::own) input_at_ = received_.offsets[own] * unit;
      if (coll::only_root_sends(collective_)) output_at_ = sent_.offsets[own] * unit;
    }
    const std::size_t elements = std::max(receives_ ? received_.size : 0, in_place_ ? sent_.size : 0);
    output_.assign(elements * unit, kUntouched);
    input_.assign(in_place_ || !sends_ ? 0 : sent_.size * unit, kUntouched);
    for (std::size_t block = 0; sends_ && block < sent_.counts.size(); ++block) {
      put(in_place_ ? output_ : input_, input_at_ + sent_.offsets[block] * unit,
          contribution(rank_, block, sent_.counts[block]));
    }
    input_before_ = input_;
    if (!receives_) return;
    expected_ = output_;
    for (std::size_t block = 0; block < received_.counts.size(); ++block) {
      put(expected_, output_at_ + received_.offsets[block] * unit, result(block));
    }
    const bool rest_undefined = facts_.reduces && facts_.output == coll::Buffer::own;
    if (rest_undefined) expected_.resize(received_.size * unit);
  }

  Call call() {
    Call made{.collective = collective_, .type = case_.type};
    made.output = output_.empty() ? nullptr : output_.data() + output_at_;
    made.input = in_place_ ? output_.data() + input_at_ : input_.data();
    if (facts_.reduces) made.op = case_.op;
    if (facts_.rooted) made.root = static_cast<std::uint32_t>(case_.root);
    const Layout& counted = facts_.input == coll::Buffer::blocks && facts_.output == coll::Buffer::own ? received_ : sent_;
    if (!counted.counts.empty()) made.count = counted.counts[0];
    const bool packed = facts_.reduces;
    if (facts_.uneven && facts_.input == coll::Buffer::blocks) {
      made.sent = {sent_.counts.data(), packed ? nullptr : sent_.offsets.data()};
    }
    if (facts_.uneven && facts_.output == coll::Buffer::blocks)
      made.received = {received_.counts.data(), received_.offsets.data()};
    return made;
  }

  Communicator& comm_;
  coll::Collective collective_;
  const coll::CollectiveFacts& facts_;
  Case case_;
  int rank_, ranks_;
  bool in_place_ = false, sends_ = true, receives_ = true;
  Layout sent_, received_;
  std::size_t input_at_ = 0, output_at_ = 0;  // bytes
  Bytes input_, output_, input_before_, expected_;
};

// Runs one case on one rank and compares with the right answer.
template <class Communicator>
void check_case(Communicator& comm, coll::Collective collective, const Case& c) {
  CaseRun<Communicator>(comm, collective, c).check();
}

}  // namespace xylem::test
