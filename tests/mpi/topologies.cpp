// Communicators with a topology whose ranks the MPI may have reordered, the neighbourhood collectives on them, which the MPI
// runs, beside others; and what belongs to a communicator: its name, its error handler, its attributes, its groups.
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

Verdict verdict;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

// Collectives in which ranks are those of `comm`: what each one sends says who it is.
void use(MPI_Comm comm, const char* where) {
  const int rank = rank_in(comm), size = size_of(comm);
  std::vector<int> all(static_cast<std::size_t>(size), -1), wanted(all.size());
  for (int i = 0; i < size; ++i) wanted[static_cast<std::size_t>(i)] = i;
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  int before = -1, from_last = rank;
  MPI_Exscan(&rank, &before, 1, MPI_INT, MPI_SUM, comm);
  MPI_Bcast(&from_last, 1, MPI_INT, size - 1, comm);
  const bool scanned = rank == 0 || before == rank * (rank - 1) / 2;
  verdict.check(all == wanted && scanned && from_last == size - 1,
                [&] { return std::string(where) + ": wrong ranks on " + std::to_string(size) + " ranks"; });
}

// Ring neighbours of this rank, as the topology names them.
struct Neighbours {
  int previous, next;
};

// All forms of one exchange with both neighbours, while a collective is outstanding on the same communicator.
void exchange(MPI_Comm comm, Neighbours known, const char* where) {
  const int rank = rank_in(comm), size = size_of(comm);
  int sum = -1;
  MPI_Request requests[2];
  const int to[2] = {10 * rank, 10 * rank + 1};
  int all[2] = {-1, -1}, from[2] = {-1, -1}, later[2] = {-1, -1};
  MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
  MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, comm);
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, later, 1, MPI_INT, comm, &requests[1]);
  MPI_Barrier(comm);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  const bool gathered = all[0] == known.previous && all[1] == known.next && later[0] == all[0] && later[1] == all[1];
  // The neighbour before sends to us as its next one. In a ring of two, both are the same rank and either order is right.
  const bool in_order = from[0] == 10 * known.previous + 1 && from[1] == 10 * known.next;
  const bool swapped = known.previous == known.next && from[1] == 10 * known.previous + 1 && from[0] == 10 * known.next;
  verdict.check(gathered && (in_order || swapped), [&] {
    return std::string(where) + ": neighbours of " + std::to_string(rank) + " sent " + std::to_string(all[0]) + ", " +
           std::to_string(all[1]) + " and " + std::to_string(from[0]) + ", " + std::to_string(from[1]);
  });
  verdict.check(sum == size * (size - 1) / 2, [&] { return std::string(where) + ": wrong sum beside neighbours"; });
}

void cartesian(int reorder) {
  const int size = size_of(MPI_COMM_WORLD), periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL, some = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, reorder, &ring);
  Neighbours known{};
  MPI_Cart_shift(ring, 0, 1, &known.previous, &known.next);
  use(ring, "Cartesian");
  exchange(ring, known, "Cartesian");
  MPI_Comm_dup(ring, &copy);
  exchange(copy, known, "a dup of a Cartesian one");
  MPI_Comm_free(&ring);
  exchange(copy, known, "that dup alone");
  MPI_Comm_free(&copy);
  // One rank is left out.
  const int fewer = std::max(1, size - 1);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &fewer, &periodic, reorder, &some);
  if (some != MPI_COMM_NULL) {
    use(some, "a smaller Cartesian one");
    MPI_Comm_free(&some);
  }
}

void graphs(int reorder) {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  std::vector<int> index, edges;
  for (int i = 0; i < size; ++i) {
    edges.insert(edges.end(), {(i + size - 1) % size, (i + 1) % size});
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), reorder, &graph);
  int neighbours[2] = {-1, -1};
  MPI_Graph_neighbors(graph, rank_in(graph), 2, neighbours);
  use(graph, "graph");
  exchange(graph, {neighbours[0], neighbours[1]}, "graph");
  MPI_Comm_free(&graph);

  const int sources[2] = {(rank + size - 1) % size, (rank + 1) % size};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, sources, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 reorder, &graph);
  use(graph, "adjacent graph");
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  MPI_Dist_graph_neighbors(graph, 2, in, MPI_UNWEIGHTED, 2, out, MPI_UNWEIGHTED);
  exchange(graph, {in[0], in[1]}, "adjacent graph");
  MPI_Comm_free(&graph);

  // The edges of each rank are told by the one before it.
  const int told = (rank + 1) % size, degree = 1, destination = (rank + 2) % size;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &told, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, reorder, &graph);
  use(graph, "distributed graph");
  int source = -1;
  MPI_Dist_graph_neighbors(graph, 1, &source, MPI_UNWEIGHTED, 1, out, MPI_UNWEIGHTED);
  int received = -1;
  const int mine = rank_in(graph);
  MPI_Neighbor_allgather(&mine, 1, MPI_INT, &received, 1, MPI_INT, graph);
  verdict.check(received == source, [] { return "distributed graph: not from the neighbour"; });
  MPI_Comm_free(&graph);
}

int handled = 0;
void on_error(MPI_Comm*, int*, ...) { ++handled; }

// A communicator made from another has its error handler, and its attributes if it is a dup; its name is its own.
void belongings() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_errhandler(parent, handler);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_name(parent, "the parent");
  int keyval = MPI_KEYVAL_INVALID;
  static int value = 5;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm_set_attr(parent, keyval, &value);

  MPI_Comm copy = MPI_COMM_NULL, part = MPI_COMM_NULL;
  MPI_Comm_dup(parent, &copy);
  MPI_Comm_split(parent, 0, -rank_in(parent), &part);
  for (MPI_Comm comm : {parent, copy, part}) {
    use(comm, "with an error handler");
    handled = 0;
    int data = 0, error_class = MPI_SUCCESS;
    const int code = MPI_Bcast(&data, 1, MPI_INT, size_of(comm), comm);
    MPI_Error_class(code, &error_class);
    verdict.check(handled == 1 && error_class == MPI_ERR_ROOT, [&] {
      return "the error handler was called " + std::to_string(handled) + " times, class " + std::to_string(error_class);
    });
    int* found_value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(comm, keyval, &found_value, &found);
    verdict.check((found != 0) == (comm != part) && (found == 0 || found_value == &value), [] { return "wrong attribute"; });
    int result = MPI_UNEQUAL;
    MPI_Comm_compare(parent, comm, &result);
    const int wanted = comm == parent ? MPI_IDENT : comm == copy || size_of(comm) == 1 ? MPI_CONGRUENT : MPI_SIMILAR;
    verdict.check(result == wanted, [] { return "wrong comparison"; });
  }
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  MPI_Comm_set_name(part, "a part");
  use(part, "named");
  MPI_Comm_get_name(part, name, &length);
  verdict.check(std::strcmp(name, "a part") == 0, [&] { return "the part is called " + std::string(name); });
  MPI_Comm_get_name(parent, name, &length);
  verdict.check(std::strcmp(name, "the parent") == 0, [&] { return "the parent is called " + std::string(name); });
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  verdict.check(std::strcmp(name, "MPI_COMM_WORLD") == 0, [&] { return "the world is called " + std::string(name); });
  for (MPI_Comm* comm : {&part, &parent, &copy}) MPI_Comm_free(comm);
  MPI_Comm_free_keyval(&keyval);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const int reorder : {0, 1}) {
    cartesian(reorder);
    graphs(reorder);
  }
  belongings();
  const int code = verdict.finish("topologies");
  MPI_Finalize();
  return code;
}
