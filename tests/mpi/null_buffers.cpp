// Calls that move nothing take null pointers for buffers, in all forms; so do ranks that have no part in what others move.
#include <mpi.h>

#include <string>
#include <vector>

#include "support/forms.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

Verdict verdict;
int rank = 0, size = 0;

void good(int code, Form form, const char* name) {
  verdict.check(code == MPI_SUCCESS, [&] { return std::string(name) + form_names[static_cast<int>(form)] + ": error"; });
}

void nothing(Form form) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int root = size - 1;
  Counts none(static_cast<std::size_t>(size));
  Displacements far(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) far.set(static_cast<std::size_t>(r), 1000000L * r);
  void* const null = nullptr;
  good(CALL_AS(form, Bcast, bcast, null, 0, MPI_INT, root, comm), form, "Bcast");
  good(CALL_AS(form, Allgather, allgather, null, 0, MPI_INT, null, 0, MPI_INT, comm), form, "Allgather");
  good(CALL_AS(form, Allgatherv, allgatherv, null, 0, MPI_INT, null, none, far, MPI_INT, comm), form, "Allgatherv");
  good(CALL_AS(form, Gather, gather, null, 0, MPI_INT, null, 0, MPI_INT, root, comm), form, "Gather");
  good(CALL_AS(form, Gatherv, gatherv, null, 0, MPI_INT, null, none, far, MPI_INT, root, comm), form, "Gatherv");
  good(CALL_AS(form, Scatter, scatter, null, 0, MPI_INT, null, 0, MPI_INT, root, comm), form, "Scatter");
  good(CALL_AS(form, Scatterv, scatterv, null, none, far, MPI_INT, null, 0, MPI_INT, root, comm), form, "Scatterv");
  good(CALL_AS(form, Alltoall, alltoall, null, 0, MPI_INT, null, 0, MPI_INT, comm), form, "Alltoall");
  good(CALL_AS(form, Allreduce, allreduce, null, null, 0, MPI_DOUBLE, MPI_SUM, comm), form, "Allreduce");
  good(CALL_AS(form, Reduce, reduce, null, null, 0, MPI_INT, MPI_MAX, root, comm), form, "Reduce");
  good(CALL_AS(form, Reduce_scatter_block, reduce_scatter_block, null, null, 0, MPI_INT, MPI_SUM, comm), form,
       "Reduce_scatter_block");
  good(CALL_AS(form, Reduce_scatter, reduce_scatter, null, null, none, MPI_INT, MPI_SUM, comm), form, "Reduce_scatter");
  good(CALL_AS(form, Scan, scan, null, null, 0, MPI_INT, MPI_SUM, comm), form, "Scan");
  good(CALL_AS(form, Exscan, exscan, null, null, 0, MPI_INT, MPI_SUM, comm), form, "Exscan");
}

// Ranks of odd numbers give and take nothing.
void some(Form form) {
  const int root = size - 1;
  Counts counts(static_cast<std::size_t>(size));
  Displacements starts(static_cast<std::size_t>(size));
  std::vector<int> wanted;
  for (int r = 0; r < size; ++r) {
    starts.set(static_cast<std::size_t>(r), static_cast<long>(wanted.size()));
    counts.set(static_cast<std::size_t>(r), r % 2 == 0 ? 3 : 0);
    for (int i = 0; r % 2 == 0 && i < 3; ++i) wanted.push_back(10 * r + i);
  }
  wanted.push_back(-1);  // nothing comes behind the last
  const bool takes_part = rank % 2 == 0;
  std::vector<int> own = {10 * rank, 10 * rank + 1, 10 * rank + 2};
  const std::vector<int> mine = own;
  int* const own_or_null = takes_part ? own.data() : nullptr;
  const int own_count = takes_part ? 3 : 0;

  std::vector<int> all(wanted.size(), -1);
  good(CALL_AS(form, Allgatherv, allgatherv, own_or_null, own_count, MPI_INT, all.data(), counts, starts, MPI_INT,
               MPI_COMM_WORLD),
       form, "Allgatherv of some");
  verdict.check(all == wanted, [] { return "Allgatherv: wrong data"; });

  std::vector<int> gathered(wanted.size(), -1);
  good(CALL_AS(form, Gatherv, gatherv, own_or_null, own_count, MPI_INT, rank == root ? gathered.data() : nullptr, counts,
               starts, MPI_INT, root, MPI_COMM_WORLD),
       form, "Gatherv of some");
  verdict.check(rank != root || gathered == wanted, [] { return "Gatherv: wrong data"; });

  own.assign(3, -1);
  good(CALL_AS(form, Scatterv, scatterv, rank == root ? wanted.data() : nullptr, counts, starts, MPI_INT, own_or_null,
               own_count, MPI_INT, root, MPI_COMM_WORLD),
       form, "Scatterv to some");
  verdict.check(own == (takes_part ? mine : std::vector<int>(3, -1)), [] { return "Scatterv: wrong data"; });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (const Form form : forms) {
    nothing(form);
    some(form);
  }
  const int code = verdict.finish("null_buffers");
  MPI_Finalize();
  return code;
}
