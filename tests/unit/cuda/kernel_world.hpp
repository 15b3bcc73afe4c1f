// Ranks that run the kernels of the emulated library in plain memory: each rank launches one, its blocks are threads. Ranks
// may share a GPU: the lowest of them launches for all.
#pragma once

#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "comm/call.hpp"
#include "comm/members.hpp"
#include "cuda/kernels/kernel_call.hpp"
#include "cuda/kernels/kernel_name.hpp"
#include "cuda_emu/kernel_table.h"
#include "exec/reduce.hpp"
#include "plan/catalogue.hpp"

namespace xylem::test {

inline const cuda_emu_kernel* find_kernel(const std::string& name) {
  std::size_t count = 0;
  const cuda_emu_kernel* kernels = cuda_emu_kernels(&count);
  for (std::size_t i = 0; i < count; ++i) {
    if (name == kernels[i].name) return kernels + i;
  }
  return nullptr;
}

struct WorldShape {
  std::vector<std::uint32_t> gpu_of;        // by rank
  std::vector<std::uint64_t> host_of = {};  // by rank; empty: all on one host
  std::uint32_t lanes = 1;
  std::uint32_t chunk_bytes = 256;
  bool words = false;                // messages go as flagged words
  std::uint64_t first_position = 0;  // of these channels
};

// What all ranks share: slots, boards and the abort word, and what ranks of one GPU tell each other of a call.
class KernelWorld {
 public:
  explicit KernelWorld(const WorldShape& shape)
      : shape_(shape), arrived_(static_cast<std::ptrdiff_t>(shape.gpu_of.size())), calls_(size()) {
    if (shape_.host_of.empty()) shape_.host_of.assign(size(), 0);
    const std::size_t links = std::size_t{shape_.lanes} * size() * size();
    tails_ = std::vector<exec::ChannelTail>(links);
    heads_ = std::vector<exec::ChannelHead>(links);
    slots_ = std::vector<Line>(links * exec::kSlots * slot_lines());
    if (shape.words) fill_with_earlier_messages(links);
    word_heads_ = std::vector<exec::ChannelHead>(links, {shape.first_position});
    done_ = std::vector<exec::BoardDone>(std::size_t{shape_.lanes} * size());
    boards_ = std::vector<Line>(done_.size() * exec::kBoardDepth * board_lines());
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(shape_.gpu_of.size()); }
  const WorldShape& shape() const { return shape_; }
  std::uint32_t& abort_word() { return abort_word_; }
  std::barrier<>& arrived() { return arrived_; }
  Call& call_of(std::uint32_t rank) { return calls_[rank]; }

  std::uint32_t leader_of(std::uint32_t rank) const {
    std::uint32_t leader = 0;
    while (shape_.gpu_of[leader] != shape_.gpu_of[rank]) ++leader;
    return leader;
  }
  bool shared() const {
    for (std::uint32_t rank = 0; rank < size(); ++rank) {
      if (leader_of(rank) != rank) return true;
    }
    return false;
  }

  exec::Channel channel(std::uint32_t lane, std::uint32_t from, std::uint32_t to) {
    const std::size_t link = (std::size_t{lane} * size() + from) * size() + to;
    return {.tail = &tails_[link],
            .head = &heads_[link],
            .slots = slots_[link * exec::kSlots * slot_lines()].bytes,
            .slot_bytes = shape_.chunk_bytes};
  }
  // Without what is private to an end.
  cuda::LineChannel line_channel(std::uint32_t lane, std::uint32_t from, std::uint32_t to) {
    const std::size_t link = (std::size_t{lane} * size() + from) * size() + to;
    return {.words = words_.data() + link * exec::kSlots * cuda::kSlotWords,
            .head = &word_heads_[link],
            .position = shape_.first_position,
            .seen = shape_.first_position};
  }
  std::byte* board(std::uint32_t lane, std::uint32_t rank) {
    return boards_[(std::size_t{lane} * size() + rank) * exec::kBoardDepth * board_lines()].bytes;
  }
  exec::BoardDone* done(std::uint32_t lane, std::uint32_t rank) { return &done_[std::size_t{lane} * size() + rank]; }
  std::uint32_t board_stride() const { return static_cast<std::uint32_t>(board_lines() * exec::kCacheLine); }

 private:
  // Each slot has what the last message before the first position filled it with.
  void fill_with_earlier_messages(std::size_t links) {
    for (std::size_t link = 0; link < links; ++link) {
      for (std::uint64_t slot = 0; slot < exec::kSlots; ++slot) {
        const std::uint64_t last = shape_.first_position - 1 - (shape_.first_position - 1 - slot) % exec::kSlots;
        const std::uint32_t flag = shape_.first_position == 0 ? 0 : cuda::flag_of(last);
        words_.insert(words_.end(), cuda::kSlotWords, {0xffffffff, flag});
      }
    }
  }

  struct alignas(exec::kCacheLine) Line {
    std::byte bytes[exec::kCacheLine];
  };
  std::size_t slot_lines() const { return shape_.chunk_bytes / exec::kCacheLine; }
  std::size_t board_lines() const { return slot_lines() + 1; }

  WorldShape shape_;
  std::barrier<> arrived_;
  std::vector<Call> calls_;
  std::uint32_t abort_word_ = 0;
  std::vector<exec::ChannelTail> tails_;
  std::vector<exec::ChannelHead> heads_;
  std::vector<Line> slots_;
  std::vector<cuda::FlaggedWord> words_;
  std::vector<exec::ChannelHead> word_heads_;
  std::vector<exec::BoardDone> done_;
  std::vector<Line> boards_;
};

// One rank: what a Communicator is to the cases of tests/ranks/collective_case.hpp.
class KernelRank {
 public:
  KernelRank(KernelWorld& world, std::uint32_t rank, std::string algorithm)
      : world_(world), rank_(rank), algorithm_(std::move(algorithm)), members_(make_members()), lanes_(world.shape().lanes) {
    for (std::uint32_t other = 0; other < world.size(); ++other) {
      if (world.leader_of(other) == other) leaders_.push_back(other);
      if (world.leader_of(other) == rank) residents_.push_back(other);
    }
    const bool shared = world.shared();
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      Lane& made = lanes_[lane];
      for (std::uint32_t other = 0; other < world.size(); ++other) {
        made.to.push_back(world.channel(lane, rank, other));
        made.from.push_back(world.channel(lane, other, rank));
      }
      if (world.shape().words) made.add_line_channels(world, lane, rank);
      const std::span<const std::uint32_t> on_board = shared ? leaders_ : members_.local();
      for (const std::uint32_t other : on_board) {
        if (other == rank) made.board.rank = static_cast<std::uint32_t>(made.buffers.size());
        made.buffers.push_back(world.board(lane, other));
        made.done.push_back(world.done(lane, other));
      }
      made.board.buffers = made.buffers.data();
      made.board.done = made.done.data();
      made.board.size = static_cast<std::uint32_t>(made.buffers.size());
      made.board.stride = world.board_stride();
      made.board.payload_bytes = world.shape().chunk_bytes;
      endpoints_.push_back({.to = made.to.data(), .from = made.from.data(), .board = &made.board});
      line_endpoints_.push_back({made.lines_to.data(), made.lines_from.data()});
    }
    reports_.resize(lanes_.size());
  }

  std::uint32_t rank() const { return rank_; }
  std::uint32_t size() const { return world_.size(); }
  const std::vector<cuda::KernelReport>& reports() const { return reports_; }
  std::string error() const { return "fault " + std::to_string(reports_[0].fault); }

  xylem_status run(const Call& call) {
    world_.call_of(rank_) = call;
    world_.arrived().arrive_and_wait();
    if (world_.leader_of(rank_) == rank_) launch(call);
    // Their buffers are used by the leader.
    if (world_.shared()) world_.arrived().arrive_and_wait();
    for (const cuda::KernelReport& report : reports_) {
      if (report.fault != 0) return XYLEM_ERROR_PEER_FAILED;
    }
    return XYLEM_SUCCESS;
  }

 private:
  struct Lane {
    std::vector<exec::Channel> to, from;
    exec::Board board;
    std::vector<std::byte*> buffers;
    std::vector<exec::BoardDone*> done;
    std::vector<cuda::LineChannel> lines_to, lines_from;
    std::vector<std::byte> messages;

    void add_line_channels(KernelWorld& world, std::uint32_t lane, std::uint32_t rank) {
      messages.resize(2 * std::size_t{cuda::kLineBytes} * world.size());
      std::byte* message = messages.data();
      for (std::uint32_t other = 0; other < world.size(); ++other) {
        lines_to.push_back(world.line_channel(lane, rank, other));
        lines_to.back().message = message;
        lines_from.push_back(world.line_channel(lane, other, rank));
        lines_from.back().message = message + cuda::kLineBytes;
        message += 2 * std::size_t{cuda::kLineBytes};
      }
    }
  };

  Members make_members() const { return Members(rank_, world_.shape().host_of); }

  void launch(const Call& call) {
    const coll::CollectiveFacts& facts = coll::facts(call.collective);
    cuda::KernelCall made;
    made.args.rank = rank_;
    made.args.ranks = size();
    set_buffers(made.args, call, size(), offsets_);
    cuda::fill_tables(made, size());
    made.args.chunk_bytes = world_.shape().chunk_bytes / made.args.element_bytes * made.args.element_bytes;
    made.args.all = members_.all();
    made.args.host = members_.host();
    made.type = call.type;
    made.op = facts.reduces ? call.op : XYLEM_OP_COUNT;
    made.signature = call_signature(call, size());
    made.abort_word = &world_.abort_word();
    made.endpoints = endpoints_.data();
    if (world_.shape().words) made.lines = line_endpoints_.data();
    made.reports = reports_.data();
    if (world_.shared()) share(made, call);
    set_scratch(made, call.collective, facts.rooted);

    const cuda_emu_kernel* kernel = find_kernel(cuda::kernel_name(call.collective, algorithm_.c_str()));
    const auto blocks = static_cast<unsigned>(lanes_.size());
    std::vector<std::thread> threads;
    for (unsigned block = 0; block < blocks; ++block) {
      threads.emplace_back([&, block] { kernel->run_block(&made, block, blocks); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  // The leaders' group, and the buffers of the residents.
  void share(cuda::KernelCall& made, const Call& call) {
    std::uint32_t place = 0;
    while (leaders_[place] != rank_) ++place;
    made.args.all = made.args.host = {leaders_.data(), place, static_cast<std::uint32_t>(leaders_.size())};
    made.args.root = leaders_.size() == 1 ? call.root : world_.leader_of(call.root);
    const bool bcast = call.collective == coll::Collective::bcast;
    for (const std::uint32_t resident : residents_) {
      const Call& theirs = world_.call_of(resident);
      auto* const output = static_cast<std::byte*>(theirs.output);
      made.resident[made.residents++] = {static_cast<const std::byte*>(theirs.input), output};
      // The root's buffer is what its GPU receives into, or sends from.
      if (coll::facts(call.collective).rooted && resident == call.root) made.args.output = output;
    }
    if (bcast) made.args.input = made.args.output;
    if (call.collective != coll::Collective::allreduce && call.collective != coll::Collective::reduce) return;
    folded_.resize(made.args.sent.length);
    made.folded =
        made.args.output != nullptr && (call.collective != coll::Collective::reduce || rank_ == world_.leader_of(call.root))
            ? made.args.output
            : folded_.data();
    made.args.input = made.folded;
    for (std::uint32_t i = 0; i < made.residents; ++i) {
      if (made.resident[i].input == made.folded) made.folded_first = i;
    }
  }

  void set_scratch(cuda::KernelCall& made, coll::Collective collective, bool rooted) {
    for (const plan::Algorithm& algorithm : plan::catalogue()) {
      if (algorithm.collective != collective || algorithm.name != algorithm_) continue;
      if (algorithm.traits.leaders) members_.set_leaders(made.args, rooted);
      made.scratch_stride = algorithm.scratch_bytes(made.args);  // of the whole call: more than a lane's
    }
    scratch_.resize(made.scratch_stride * lanes_.size());
    made.args.scratch = scratch_.data();
  }

  KernelWorld& world_;
  std::uint32_t rank_;
  std::string algorithm_;
  Members members_;
  std::vector<Lane> lanes_;
  std::vector<exec::Endpoints> endpoints_;
  std::vector<cuda::LineEndpoints> line_endpoints_;
  std::vector<cuda::KernelReport> reports_;
  std::vector<std::uint32_t> leaders_, residents_;
  std::vector<std::size_t> offsets_;
  std::vector<std::byte> scratch_, folded_;
};

}  // namespace xylem::test
