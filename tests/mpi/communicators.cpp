// Collectives on communicators of every origin: split, dup, idup, create, create_group, by shared memory, Cartesian, graph,
// merged from an intercommunicator, of one rank, and MPI_COMM_NULL for those who take no part. Freed in another order than
// made.
#include <mpi.h>

#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

// Each collective once; every rank adds its world rank, so the result tells who took part.
void use(MPI_Comm comm, const char* origin, Verdict& verdict) {
  if (comm == MPI_COMM_NULL) return;
  int rank = 0, size = 0, world_rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Group group, world_group;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  const auto members = static_cast<std::size_t>(size);
  std::vector<int> ranks(members), world_ranks(members), gathered(members, -1);
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  MPI_Group_translate_ranks(group, size, ranks.data(), world_group, world_ranks.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world_group);
  long wanted = 0;
  for (int member : world_ranks) wanted += member + 1;

  const auto check = [&](bool good, const char* what) {
    verdict.check(good,
                  [&] { return std::string(origin) + ", " + what + " on " + std::to_string(size) + " ranks is wrong"; });
  };
  const long mine = world_rank + 1;
  long sum = -1;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm);
  check(sum == wanted, "Allreduce");
  MPI_Allgather(&world_rank, 1, MPI_INT, gathered.data(), 1, MPI_INT, comm);
  check(gathered == world_ranks, "Allgather");
  for (int root = 0; root < size; ++root) {
    int value = rank == root ? world_rank : -1;
    MPI_Bcast(&value, 1, MPI_INT, root, comm);
    check(value == world_ranks[static_cast<std::size_t>(root)], "Bcast");
    sum = -1;
    MPI_Reduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, root, comm);
    check(sum == (rank == root ? wanted : -1), "Reduce");
  }
  std::vector<long> blocks(members, mine);
  sum = -1;
  MPI_Reduce_scatter_block(blocks.data(), &sum, 1, MPI_LONG, MPI_SUM, comm);
  check(sum == wanted, "Reduce_scatter_block");
  MPI_Barrier(comm);
}

MPI_Comm idup(MPI_Comm comm) {
  MPI_Comm first, second;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Comm_idup(comm, &first, &requests[0]);
  MPI_Comm_idup(comm, &second, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Comm_free(&first);
  return second;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;

  struct Made {
    const char* origin;
    MPI_Comm comm;
  };
  std::vector<Made> made;
  const auto add = [&](const char* origin) -> MPI_Comm* { return &made.emplace_back(Made{origin, MPI_COMM_NULL}).comm; };
  made.reserve(64);

  MPI_Comm_dup(MPI_COMM_WORLD, add("dup"));
  *add("idup") = idup(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, add("split in two"));
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, add("split reversed"));
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, add("split with MPI_UNDEFINED"));
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, add("split in single ranks"));
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, add("split by shared memory"));
  MPI_Comm_dup(MPI_COMM_SELF, add("dup of self"));
  for (const Made& one : std::vector<Made>(made)) {
    MPI_Comm* duplicate = add("dup of a communicator made here");
    if (one.comm != MPI_COMM_NULL) MPI_Comm_dup(one.comm, duplicate);
  }

  MPI_Group world_group, some;
  MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  int range[1][3] = {{size - 1, 0, -2}};  // every second rank, backwards
  MPI_Group_range_incl(world_group, 1, range, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, add("create"));
  int in_group = 0;
  MPI_Group_rank(some, &in_group);
  MPI_Comm* of_group = add("create_group");
  if (in_group != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, some, 9, of_group);
  MPI_Group_free(&some);
  MPI_Group_free(&world_group);

  int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {1, 0};
  MPI_Dims_create(size, 2, dims);
  MPI_Comm cartesian;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cartesian);
  *add("cartesian") = cartesian;
  MPI_Cart_sub(cartesian, keep, add("cartesian part"));
  const int neighbour = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &neighbour, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                 add("graph"));
  if (size > 1) {
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
    MPI_Intercomm_merge(inter, rank % 2, add("merged"));
    MPI_Comm_free(&inter);
    *add("half") = half;
  }

  use(MPI_COMM_WORLD, "world", verdict);
  use(MPI_COMM_SELF, "self", verdict);
  for (const Made& one : made) use(one.comm, one.origin, verdict);
  // Freed first to last while the last one is still used.
  for (Made& one : made) {
    if (one.comm != MPI_COMM_NULL) MPI_Comm_free(&one.comm);
    use(made.back().comm, made.back().origin, verdict);
  }
  use(MPI_COMM_WORLD, "world at the end", verdict);

  const int code = verdict.finish("communicators");
  MPI_Finalize();
  return code;
}
