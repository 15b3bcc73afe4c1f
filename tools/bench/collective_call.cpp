#include "bench/collective_call.hpp"

#include <numeric>

#include "bench/block_lengths.hpp"

namespace xylem::tools {
namespace {

using coll::Buffer;
using coll::Collective;

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

MPI_Datatype type_named(const std::string& name) {
  if (name == "float") return MPI_FLOAT;
  if (name == "double") return MPI_DOUBLE;
  if (name == "int") return MPI_INT;
  if (name == "long") return MPI_LONG;
  return MPI_UINT8_T;
}

MPI_Op op_named(const std::string& name) {
  if (name == "sum") return MPI_SUM;
  if (name == "prod") return MPI_PROD;
  if (name == "max") return MPI_MAX;
  return MPI_MIN;
}

// How many ranks' vectors are in the result of `rank`.
int contributors(Collective collective, int rank, int ranks) {
  if (collective == Collective::scan) return rank + 1;
  return collective == Collective::exscan ? rank : ranks;
}

bool all_to_all(Collective collective) {
  return coll::facts(collective).input == Buffer::blocks && coll::facts(collective).output == Buffer::blocks;
}

}  // namespace

CollectiveCall::CollectiveCall(const CallKind& kind, MPI_Comm comm)
    : collective_(kind.collective),
      comm_(comm),
      rank_(rank_in(comm)),
      ranks_(size_of(comm)),
      pattern_(kind.type, kind.op, contributors(collective_, rank_, ranks_)),
      type_(type_named(kind.type)),
      op_(op_named(kind.op)),
      lengths_(block_lengths(kind.bytes / pattern_.element_size(), static_cast<std::size_t>(ranks_),
                             coll::facts(collective_).uneven ? kind.imbalance : 0)),
      count_(static_cast<int>(kind.bytes / pattern_.element_size())),
      send_count_(count_of(coll::facts(collective_).input)),
      receive_count_(count_of(coll::facts(collective_).output)) {
  const auto mine = all_to_all(collective_) ? exchanged_lengths(lengths_, static_cast<std::size_t>(rank_)) : lengths_;
  for (const std::size_t length : mine) counts_.push_back(static_cast<int>(length));
  for (const std::size_t offset : block_offsets(mine)) {
    displacements_.push_back(static_cast<int>(offset));
    byte_displacements_.push_back(static_cast<int>(offset * pattern_.element_size()));
  }
  types_.assign(lengths_.size(), type_);
}

std::size_t CollectiveCall::count_of(Buffer buffer) const {
  switch (buffer) {
    case Buffer::none:
      return 0;
    case Buffer::vector:
      return static_cast<std::size_t>(count_);
    case Buffer::own:
      return lengths_[static_cast<std::size_t>(rank_)];
    case Buffer::blocks:
      return std::accumulate(lengths_.begin(), lengths_.end(), std::size_t{0});
  }
  return 0;
}

void CollectiveCall::prepare(const Buffers& buffers, unsigned number) const {
  if (collective_ == Collective::bcast) {
    if (rank_ == root(number)) pattern_.fill(buffers.receive, 0, receive_count_, rank_, number);
  } else {
    pattern_.fill(buffers.send, 0, send_count_, rank_, number);
  }
}

void CollectiveCall::run(const Calls& calls, const Buffers& buffers, unsigned number) const {
  const void* const send = buffers.send;
  void* const receive = buffers.receive;
  const int own = counts_[static_cast<std::size_t>(rank_)];
  const int* const counts = counts_.data();
  const int* const offsets = displacements_.data();
  switch (collective_) {
    case Collective::allreduce:
      calls.allreduce(send, receive, count_, type_, op_, comm_);
      break;
    case Collective::reduce:
      calls.reduce(send, receive, count_, type_, op_, root(number), comm_);
      break;
    case Collective::bcast:
      calls.bcast(receive, count_, type_, root(number), comm_);
      break;
    case Collective::allgather:
      calls.allgather(send, count_, type_, receive, count_, type_, comm_);
      break;
    case Collective::allgatherv:
      calls.allgatherv(send, own, type_, receive, counts, offsets, type_, comm_);
      break;
    case Collective::reduce_scatter:
      calls.reduce_scatter(send, receive, counts, type_, op_, comm_);
      break;
    case Collective::reduce_scatter_block:
      calls.reduce_scatter_block(send, receive, count_, type_, op_, comm_);
      break;
    case Collective::alltoall:
      calls.alltoall(send, count_, type_, receive, count_, type_, comm_);
      break;
    case Collective::alltoallv:
      calls.alltoallv(send, counts, offsets, type_, receive, counts, offsets, type_, comm_);
      break;
    case Collective::alltoallw:
      calls.alltoallw(send, counts, byte_displacements_.data(), types_.data(), receive, counts, byte_displacements_.data(),
                      types_.data(), comm_);
      break;
    case Collective::gather:
      calls.gather(send, count_, type_, receive, count_, type_, root(number), comm_);
      break;
    case Collective::gatherv:
      calls.gatherv(send, own, type_, receive, counts, offsets, type_, root(number), comm_);
      break;
    case Collective::scatter:
      calls.scatter(send, count_, type_, receive, count_, type_, root(number), comm_);
      break;
    case Collective::scatterv:
      calls.scatterv(send, counts, offsets, type_, receive, own, type_, root(number), comm_);
      break;
    case Collective::scan:
      calls.scan(send, receive, count_, type_, op_, comm_);
      break;
    case Collective::exscan:
      calls.exscan(send, receive, count_, type_, op_, comm_);
      break;
    case Collective::barrier:
      calls.barrier(comm_);
      break;
  }
}

bool CollectiveCall::has_result(unsigned number) const {
  if (collective_ == Collective::exscan) return rank_ > 0;
  return !coll::only_root_receives(collective_) || rank_ == root(number);
}

std::size_t CollectiveCall::begin_at_sender(int from) const {
  if (coll::facts(collective_).input != Buffer::blocks) return 0;
  const auto lengths = all_to_all(collective_) ? exchanged_lengths(lengths_, static_cast<std::size_t>(from)) : lengths_;
  return block_offsets(lengths)[static_cast<std::size_t>(rank_)];
}

std::optional<std::size_t> CollectiveCall::check(const Buffers& buffers, unsigned number) const {
  const coll::CollectiveFacts& facts = coll::facts(collective_);
  if (facts.output == Buffer::none || !has_result(number)) return std::nullopt;
  if (facts.reduces) return pattern_.wrong_reduction(buffers.receive, begin_at_sender(rank_), receive_count_, number);
  if (facts.output != Buffer::blocks) {
    const int from = root(number);
    return pattern_.wrong_copy(buffers.receive, begin_at_sender(from), receive_count_, from, number);
  }
  for (int from = 0; from < ranks_; ++from) {
    const auto block = static_cast<std::size_t>(from);
    const auto first = static_cast<std::size_t>(displacements_[block]);
    const auto wrong = pattern_.wrong_copy(buffers.receive + first * pattern_.element_size(), begin_at_sender(from),
                                           static_cast<std::size_t>(counts_[block]), from, number);
    if (wrong) return first + *wrong;
  }
  return std::nullopt;
}

}  // namespace xylem::tools
