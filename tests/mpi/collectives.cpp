// Every reduction, and bcast and allgather, with every type, operation, count, root, in place or not, on several
// communicators and in all forms: sampled pairwise, all results compared for equality.
//
// usage: collectives [plain]    "plain" leaves out what MPICH 4.0.2 by itself is known to crash on
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/forms.hpp"
#include "support/guarded.hpp"
#include "support/pairwise.hpp"
#include "support/types.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

enum Collective { allreduce, reduce, bcast, allgather, reduce_scatter_block, reduce_scatter, scan, exscan, collective_count };
constexpr const char* collective_names[] = {"Allreduce",      "Reduce", "Bcast", "Allgather", "Reduce_scatter_block",
                                            "Reduce_scatter", "Scan",   "Exscan"};
// Around the powers of two are the edges of chunks; the last ones take several chunks in any protocol.
constexpr std::size_t counts[] = {0, 1, 2, 3, 7, 64, 255, 257, 1023, 1024, 1025, 4097, 16383, 100000, 262145};
constexpr std::size_t root_count = 3;  // first, middle, last
constexpr std::size_t most_bytes = 8 << 20;

// The parameters, in the order of the sample's indices.
enum { p_collective, p_type, p_op, p_count, p_in_place, p_root, p_shift, p_comm, p_form, parameter_count };
using Case = PairwiseSample<parameter_count>::Indices;

struct Communicator {
  const char* name;
  MPI_Comm comm;
};

class Tester {
 public:
  explicit Tester(bool plain) : types_(type_cases()), ops_(op_cases()), plain_(plain) {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    comms_.push_back({"world", MPI_COMM_WORLD});
    MPI_Comm duplicate, reversed;
    MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank_, &reversed);
    comms_.push_back({"duplicate", duplicate});
    comms_.push_back({"reversed", reversed});
  }
  ~Tester() {
    for (std::size_t i = 1; i < comms_.size(); ++i) MPI_Comm_free(&comms_[i].comm);
  }
  Tester(const Tester&) = delete;
  Tester& operator=(const Tester&) = delete;

  PairwiseSample<parameter_count> sample() const {
    return sample_pairwise<parameter_count>(
        {collective_count, types_.size(), ops_.size(), std::size(counts), 2, root_count, 2, comms_.size(), std::size(forms)},
        [this](const Case& chosen) { return valid(chosen); }, static_cast<unsigned>(ranks_));
  }

  void run(const Case& chosen, unsigned salt, Verdict& verdict) const;

 private:
  bool valid(const Case& chosen) const {
    const TypeCase& type = types_[chosen[p_type]];
    const bool reduces = chosen[p_collective] != bcast && chosen[p_collective] != allgather;
    const bool rooted = chosen[p_collective] == reduce || chosen[p_collective] == bcast;
    if (!(type.ops & (1u << chosen[p_op])) || reduces != (chosen[p_op] != 0)) return false;
    if (chosen[p_root] != 0 && !rooted) return false;
    if (chosen[p_in_place] && chosen[p_collective] == bcast) return false;
    if (plain_ && chosen[p_in_place] && chosen[p_collective] == reduce && chosen[p_root] != 0) return false;
    return counts[chosen[p_count]] * type.size * static_cast<std::size_t>(ranks_) <= most_bytes;
  }

  std::string describe(const Case& chosen) const {
    return std::string(collective_names[chosen[p_collective]]) + form_names[chosen[p_form]] + " " +
           types_[chosen[p_type]].name + " " + ops_[chosen[p_op]].name + " count " + std::to_string(counts[chosen[p_count]]) +
           (chosen[p_in_place] ? " in place" : "") + " root " + std::to_string(root(chosen)) + " on " +
           comms_[chosen[p_comm]].name;
  }

  int root(const Case& chosen) const { return static_cast<int>(chosen[p_root]) * (ranks_ - 1) / 2; }

  std::vector<TypeCase> types_;
  std::vector<OpCase> ops_;
  std::vector<Communicator> comms_;
  bool plain_;
  int ranks_ = 0;
  int world_rank_ = 0;
};

void Tester::run(const Case& chosen, unsigned salt, Verdict& verdict) const {
  const auto collective = static_cast<Collective>(chosen[p_collective]);
  const TypeCase& type = types_[chosen[p_type]];
  const auto op = static_cast<Op>(chosen[p_op]);
  const MPI_Op mpi_op = ops_[chosen[p_op]].op;
  const MPI_Comm comm = comms_[chosen[p_comm]].comm;
  const std::size_t n = counts[chosen[p_count]];
  const int count = static_cast<int>(n);
  const auto ranks = static_cast<std::size_t>(ranks_);
  const int root_rank = root(chosen);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto me = static_cast<std::size_t>(rank);
  const bool receives = collective == reduce ? rank == root_rank : collective != exscan || rank != 0;
  // In place, MPI_Reduce is called with MPI_IN_PLACE at the root only.
  const bool in_place = chosen[p_in_place] && (receives || collective == exscan);

  const std::size_t shift = chosen[p_shift] * type.size;
  const bool scatters = collective == reduce_scatter_block || collective == reduce_scatter;
  // The blocks of a reduce_scatter have n elements in the middle, fewer and more on both sides of it, and one has none.
  std::vector<int> lengths(ranks, count);
  Counts counts_of_ranks(ranks);
  if (collective == reduce_scatter)
    for (std::size_t r = 0; r < ranks; ++r) lengths[r] = r % 3 == 1 ? 0 : count + (count > 0 ? static_cast<int>(r) : 0);
  for (std::size_t r = 0; r < ranks; ++r) counts_of_ranks.set(r, lengths[r]);
  const auto own = lengths.begin() + rank;
  const auto before = static_cast<std::size_t>(std::accumulate(lengths.begin(), own, 0));
  const std::size_t all = static_cast<std::size_t>(std::accumulate(own, lengths.end(), 0)) + before;
  const std::size_t sent = scatters ? all : n;
  const std::size_t received = collective == allgather ? all : scatters ? static_cast<std::size_t>(*own) : n;
  const std::size_t held = in_place && scatters ? sent : received;
  Guarded send(sent * type.size, shift), receive(held * type.size, shift),
      wanted(std::max(sent, received) * type.size, shift);
  const auto at = [&](Guarded& buffer, std::size_t element) {
    return static_cast<unsigned char*>(buffer.data()) + element * type.size;
  };

  type.fill(send.data(), 0, sent, op, rank, salt);
  if (in_place) std::memcpy(at(receive, collective == allgather ? me * n : 0), send.data(), sent * type.size);
  const void* sendbuf = in_place ? MPI_IN_PLACE : send.data();
  void* recvbuf = receives || in_place ? receive.data() : nullptr;
  const Form form = forms[chosen[p_form]];
  int error = MPI_SUCCESS;
  switch (collective) {
    case allreduce:
      error = CALL_AS(form, Allreduce, allreduce, sendbuf, recvbuf, count, type.type, mpi_op, comm);
      break;
    case reduce:
      error = CALL_AS(form, Reduce, reduce, sendbuf, recvbuf, count, type.type, mpi_op, root_rank, comm);
      break;
    case bcast:
      if (rank == root_rank) std::memcpy(receive.data(), send.data(), n * type.size);
      error = CALL_AS(form, Bcast, bcast, receive.data(), count, type.type, root_rank, comm);
      break;
    case allgather:
      error = CALL_AS(form, Allgather, allgather, sendbuf, count, type.type, recvbuf, count, type.type, comm);
      break;
    case reduce_scatter:
      error = CALL_AS(form, Reduce_scatter, reduce_scatter, sendbuf, recvbuf, counts_of_ranks, type.type, mpi_op, comm);
      break;
    case scan:
      error = CALL_AS(form, Scan, scan, sendbuf, recvbuf, count, type.type, mpi_op, comm);
      break;
    case exscan:
      error = CALL_AS(form, Exscan, exscan, sendbuf, recvbuf, count, type.type, mpi_op, comm);
      break;
    default:
      error = CALL_AS(form, Reduce_scatter_block, reduce_scatter_block, sendbuf, recvbuf, count, type.type, mpi_op, comm);
      break;
  }

  verdict.check(error == MPI_SUCCESS, [&] { return describe(chosen) + ": error " + std::to_string(error); });
  verdict.check(send.intact() && receive.intact(), [&] { return describe(chosen) + ": wrote outside of the buffer"; });
  type.fill(wanted.data(), 0, sent, op, rank, salt);
  verdict.check(type.differs(send.data(), wanted.data(), sent) == sent,
                [&] { return describe(chosen) + ": the send buffer changed"; });
  if (!receives) return;
  switch (collective) {
    case bcast:
      type.fill(wanted.data(), 0, n, op, root_rank, salt);
      break;
    case allgather:
      for (int from = 0; from < ranks_; ++from)
        type.fill(at(wanted, static_cast<std::size_t>(from) * n), 0, n, op, from, salt);
      break;
    case reduce_scatter_block:
    case reduce_scatter:
      type.expect(wanted.data(), before, received, op, ranks_, salt);
      break;
    case scan:
      type.expect(wanted.data(), 0, n, op, rank + 1, salt);
      break;
    case exscan:
      type.expect(wanted.data(), 0, n, op, rank, salt);
      break;
    default:
      type.expect(wanted.data(), 0, n, op, ranks_, salt);
      break;
  }
  const std::size_t first = type.differs(receive.data(), wanted.data(), received);
  verdict.check(first == received, [&] { return describe(chosen) + ": element " + std::to_string(first) + " is wrong"; });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Verdict verdict;
  {
    const Tester tester(argc > 1 && std::strcmp(argv[1], "plain") == 0);
    const auto sample = tester.sample();
    if (rank == 0) std::printf("coverage: %s\n", sample.summary().c_str());
    unsigned salt = 0;
    for (const Case& chosen : sample.cases) tester.run(chosen, salt += 17, verdict);
  }
  const int code = verdict.finish("collectives");
  MPI_Finalize();
  return code;
}
