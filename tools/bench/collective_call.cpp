#include "bench/collective_call.hpp"

#include <stdexcept>

#include "bench/options.hpp"

namespace xylem::tools {
namespace {

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
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

}  // namespace

Collective collective_named(const std::string& name) {
  const auto& names = bench_collectives();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Collective>(i);
  throw std::invalid_argument("no collective is called " + name);
}

CollectiveCall::CollectiveCall(Collective collective, std::size_t bytes, const std::string& type, const std::string& op,
                               MPI_Comm comm)
    : collective_(collective),
      comm_(comm),
      ranks_(size_of(comm)),
      pattern_(type, op, ranks_),
      type_(type_named(type)),
      op_(op_named(op)),
      count_(bytes / pattern_.element_size()) {
  MPI_Comm_rank(comm, &rank_);
}

std::size_t CollectiveCall::send_bytes() const {
  const auto blocks = collective_ == Collective::reduce_scatter_block ? static_cast<std::size_t>(ranks_) : 1;
  return count_ * pattern_.element_size() * blocks;
}

std::size_t CollectiveCall::receive_bytes() const {
  const auto blocks = collective_ == Collective::allgather ? static_cast<std::size_t>(ranks_) : 1;
  return count_ * pattern_.element_size() * blocks;
}

void CollectiveCall::prepare(const Buffers& buffers, unsigned number) const {
  if (collective_ == Collective::bcast) {
    if (rank_ == root(number)) pattern_.fill(buffers.receive, 0, count_, rank_, number);
  } else {
    pattern_.fill(buffers.send, 0, send_bytes() / pattern_.element_size(), rank_, number);
  }
}

void CollectiveCall::run(const Calls& calls, const Buffers& buffers, unsigned number) const {
  const int count = static_cast<int>(count_);
  switch (collective_) {
    case Collective::allreduce:
      calls.allreduce(buffers.send, buffers.receive, count, type_, op_, comm_);
      break;
    case Collective::reduce:
      calls.reduce(buffers.send, buffers.receive, count, type_, op_, root(number), comm_);
      break;
    case Collective::bcast:
      calls.bcast(buffers.receive, count, type_, root(number), comm_);
      break;
    case Collective::allgather:
      calls.allgather(buffers.send, count, type_, buffers.receive, count, type_, comm_);
      break;
    case Collective::reduce_scatter_block:
      calls.reduce_scatter_block(buffers.send, buffers.receive, count, type_, op_, comm_);
      break;
    case Collective::barrier:
      calls.barrier(comm_);
      break;
  }
}

std::optional<std::size_t> CollectiveCall::check(const Buffers& buffers, unsigned number) const {
  switch (collective_) {
    case Collective::allreduce:
      return pattern_.wrong_reduction(buffers.receive, 0, count_, number);
    case Collective::reduce:
      return rank_ == root(number) ? pattern_.wrong_reduction(buffers.receive, 0, count_, number) : std::nullopt;
    case Collective::bcast:
      return pattern_.wrong_copy(buffers.receive, count_, root(number), number);
    case Collective::allgather:
      for (int from = 0; from < ranks_; ++from) {
        const std::size_t first = static_cast<std::size_t>(from) * count_;
        const auto wrong = pattern_.wrong_copy(buffers.receive + first * pattern_.element_size(), count_, from, number);
        if (wrong) return first + *wrong;
      }
      return std::nullopt;
    case Collective::reduce_scatter_block:
      return pattern_.wrong_reduction(buffers.receive, static_cast<std::size_t>(rank_) * count_, count_, number);
    case Collective::barrier:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace xylem::tools
