// Thousands of collectives in a row on overlapping communicators, with other roots, sizes and kinds each time and no barrier
// between them, so that a fast rank is several calls ahead of a slow one. A slot that is reused too early, or a line of an
// earlier call taken for one of this call, gives a wrong result or a hang.
#include <mpi.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/values.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int calls = 1500;

struct Call {
  int kind;
  std::size_t comm;
  std::size_t count;
  int root;
};

// The same on all ranks: everybody draws from the same generator.
Call draw(std::mt19937& random, int comms, int ranks) {
  static constexpr std::size_t counts[] = {1, 1, 1, 2, 5, 17, 300, 1024, 2500, 20000};
  Call call{};
  call.kind = static_cast<int>(random() % 6);
  call.comm = random() % static_cast<unsigned>(comms);
  call.count = counts[random() % std::size(counts)];
  if (random() % 100 == 0) call.count = 300000;
  call.root = static_cast<int>(random() % static_cast<unsigned>(ranks));
  return call;
}

void fill(std::vector<long>& buffer, std::size_t from, std::size_t count, Op op, int rank, unsigned salt) {
  for (std::size_t i = 0; i < count; ++i) buffer[from + i] = input<long>(op, rank, i, salt);
}

void fill_sum(std::vector<long>& buffer, std::size_t first, std::size_t count, int ranks, unsigned salt) {
  for (std::size_t i = 0; i < count; ++i) buffer[i] = reduced<long>(Op::sum, ranks, first + i, salt);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world_rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<MPI_Comm> comms = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL};
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comms[2]);

  Verdict verdict;
  std::mt19937 random(20240607);
  std::minstd_rand own(static_cast<unsigned>(world_rank) + 1);
  const auto ranks = static_cast<std::size_t>(size);
  for (int number = 0; number < calls; ++number) {
    const Call call = draw(random, static_cast<int>(comms.size()), size);
    const unsigned salt = static_cast<unsigned>(number) * 5;
    const MPI_Comm comm = comms[call.comm];
    const int count = static_cast<int>(call.count);
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    // A rank computes for a while now and then, so that the others run ahead.
    if (own() % 16 == 0)
      for (volatile int work = 0; work < 20000;) work = work + 1;

    std::vector<long> send(call.count * (call.kind == 4 ? ranks : 1)), wanted(call.count);
    std::vector<long> receive(call.count * (call.kind == 3 ? ranks : 1), -1);
    fill(send, 0, send.size(), call.kind == 1 || call.kind == 3 ? Op::none : Op::sum, rank, salt);
    switch (call.kind) {
      case 0:
        MPI_Allreduce(send.data(), receive.data(), count, MPI_LONG, MPI_SUM, comm);
        fill_sum(wanted, 0, call.count, size, salt);
        break;
      case 1:
        if (rank == call.root) receive = send;
        MPI_Bcast(receive.data(), count, MPI_LONG, call.root, comm);
        fill(wanted, 0, call.count, Op::none, call.root, salt);
        break;
      case 2:
        MPI_Reduce(send.data(), receive.data(), count, MPI_LONG, MPI_SUM, call.root, comm);
        fill_sum(wanted, 0, call.count, size, salt);
        if (rank != call.root) wanted = receive;
        break;
      case 3:
        MPI_Allgather(send.data(), count, MPI_LONG, receive.data(), count, MPI_LONG, comm);
        wanted.resize(call.count * ranks);
        for (int from = 0; from < size; ++from)
          fill(wanted, static_cast<std::size_t>(from) * call.count, call.count, Op::none, from, salt);
        break;
      case 4:
        MPI_Reduce_scatter_block(send.data(), receive.data(), count, MPI_LONG, MPI_SUM, comm);
        fill_sum(wanted, static_cast<std::size_t>(rank) * call.count, call.count, size, salt);
        break;
      default:
        MPI_Barrier(comm);
        wanted = receive;
        break;
    }
    verdict.check(receive == wanted, [&] {
      return "call " + std::to_string(number) + ", kind " + std::to_string(call.kind) + ", count " +
             std::to_string(call.count) + ", root " + std::to_string(call.root) + ", communicator " +
             std::to_string(call.comm) + ": wrong result";
    });
  }
  MPI_Comm_free(&comms[1]);
  MPI_Comm_free(&comms[2]);
  const int code = verdict.finish("sequences");
  MPI_Finalize();
  return code;
}
