// Reductions by an operation of the program that does not commute, on its own datatypes: every collective in every form, with
// gaps left alone, and with all objects freed while the calls are outstanding.
#include <mpi.h>

#include <cstddef>
#include <string>
#include <vector>

#include "support/affine.hpp"
#include "support/forms.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;

enum Collective { allreduce, reduce, scan, exscan, reduce_scatter, reduce_scatter_block, collective_count };
constexpr const char* names[] = {"Allreduce", "Reduce", "Scan", "Exscan", "Reduce_scatter", "Reduce_scatter_block"};

struct Case {
  Collective collective;
  Form form;
  AffineMap map;
  bool in_place;
  int root;
  int count;  // of all elements that a rank has to give

  std::string text() const {
    return std::string(names[collective]) + form_names[static_cast<std::size_t>(form)] + ", " +
           affine_map_names[static_cast<std::size_t>(map)] + ", " + std::to_string(count) + " elements" +
           (in_place ? " in place" : "") + ", root " + std::to_string(root);
  }
};

// How many elements each rank gets of a scattered vector: some get none.
int share(const Case& c, int of) {
  if (c.collective == reduce_scatter_block) return c.count / size;
  const int twice = c.count / size * 2;
  if (of == size - 1) return c.count - twice * (size / 2);
  return of % 2 == 0 ? twice : 0;
}

int call(const Case& c, AffineItems& in, AffineItems& out, MPI_Op op) {
  const void* const from = c.in_place ? MPI_IN_PLACE : in.buffer();
  const void* const given = rank == c.root ? from : (c.in_place ? out.buffer() : in.buffer());
  const MPI_Comm comm = MPI_COMM_WORLD;
  const MPI_Datatype type = out.type();
  switch (c.collective) {
    case allreduce:
      return CALL_AS(c.form, Allreduce, allreduce, from, out.buffer(), c.count, type, op, comm);
    case reduce:
      return CALL_AS(c.form, Reduce, reduce, given, rank == c.root ? out.buffer() : nullptr, c.count, type, op, c.root, comm);
    case scan:
      return CALL_AS(c.form, Scan, scan, from, out.buffer(), c.count, type, op, comm);
    case exscan:
      return CALL_AS(c.form, Exscan, exscan, from, out.buffer(), c.count, type, op, comm);
    case reduce_scatter: {
      Counts counts(static_cast<std::size_t>(size));
      for (int r = 0; r < size; ++r) counts.set(static_cast<std::size_t>(r), share(c, r));
      return CALL_AS(c.form, Reduce_scatter, reduce_scatter, from, out.buffer(), counts, type, op, comm);
    }
    default:
      return CALL_AS(c.form, Reduce_scatter_block, reduce_scatter_block, from, out.buffer(), share(c, rank), type, op, comm);
  }
}

// Which elements of the vector a rank gets, reduced over the ranks before `last`.
struct Wanted {
  int first, count, last;
};
Wanted wanted(const Case& c) {
  switch (c.collective) {
    case reduce:
      return {0, rank == c.root ? c.count : 0, size};
    case scan:
      return {0, c.count, rank + 1};
    case exscan:
      return {0, rank == 0 ? 0 : c.count, rank};
    case reduce_scatter:
    case reduce_scatter_block: {
      int before = 0;
      for (int r = 0; r < rank; ++r) before += share(c, r);
      return {before, share(c, rank), size};
    }
    default:
      return {0, c.count, size};
  }
}

void check(const Case& c, Verdict& verdict) {
  const auto count = static_cast<std::size_t>(c.count);
  AffineItems in(c.map, count), out(c.map, count);
  for (std::size_t i = 0; i < count; ++i) {
    in.write(i, affine_of(rank, i));
    if (c.in_place) out.write(i, affine_of(rank, i));
  }
  const AffineOperation op(out);
  const int error = call(c, in, out, op.get());
  const Wanted w = wanted(c);
  for (int i = 0; i < w.count; ++i)
    out.want(static_cast<std::size_t>(i), composed(w.last, static_cast<std::size_t>(w.first + i)));
  verdict.check(error == MPI_SUCCESS && out.good() && in.good(),
                [&] { return c.text() + (error == MPI_SUCCESS ? ": wrong" : ": an error"); });
  verdict.check(AffineOperation::told_rightly(),
                [&] { return c.text() + ": the operation is told another type or no elements"; });
}

// A call on a communicator, with an operation and a type that all are freed, and others made in their place, before it ends.
template <class Start>
void check_freed(const char* what, int last, Start start, Verdict& verdict) {
  for (std::size_t count : {1, 2000}) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Request request = MPI_REQUEST_NULL;
    AffineItems in(AffineMap::gaps, count), out(AffineMap::gaps, count);
    for (std::size_t i = 0; i < count; ++i) {
      in.write(i, affine_of(rank, i));
      if (last > 0) out.want(i, composed(last, i));
    }
    {
      const AffineOperation op(out);
      start(in.buffer(), out.buffer(), static_cast<int>(count), out.type(), op.get(), comm, &request);
      out.free_type();
    }
    MPI_Comm_free(&comm);
    MPI_Datatype other;
    MPI_Type_contiguous(3, MPI_CHAR, &other);
    MPI_Type_commit(&other);
    MPI_Op nothing;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &nothing);
    const bool persistent = std::string(what).starts_with("persistent");
    for (int round = 0; round < (persistent ? 2 : 1); ++round) {
      if (persistent) MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (persistent) MPI_Request_free(&request);
    MPI_Op_free(&nothing);
    MPI_Type_free(&other);
    verdict.check(out.good() && in.good(),
                  [&] { return std::string(what) + ", all freed, " + std::to_string(count) + " elements"; });
  }
}

void check_all_freed(Verdict& verdict) {
  using In = const void*;
  check_freed(
      "nonblocking allreduce", size,
      [](In in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* r) {
        MPI_Iallreduce(in, out, n, t, op, c, r);
      },
      verdict);
  check_freed(
      "nonblocking reduce", rank == 0 ? size : 0,
      [](In in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* r) {
        MPI_Ireduce(in, out, n, t, op, 0, c, r);
      },
      verdict);
  check_freed(
      "nonblocking scan", rank + 1,
      [](In in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* r) {
        MPI_Iscan(in, out, n, t, op, c, r);
      },
      verdict);
  check_freed(
      "persistent allreduce", size,
      [](In in, void* out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* r) {
        XYLEM_MPI_INIT(Allreduce)(in, out, n, t, op, c, MPI_INFO_NULL, r);
      },
      verdict);
}

// Operations with large counts, in calls with counts of either size.
void check_large_operation(Verdict& verdict) {
#ifdef MPICH_VERSION
  MPI_Op add;
  MPI_Op_create_c(
      [](void* in, void* inout, MPI_Count* length, MPI_Datatype*) {
        for (MPI_Count i = 0; i < *length; ++i) static_cast<long*>(inout)[i] += static_cast<const long*>(in)[i];
      },
      1, &add);
  std::vector<long> in(100, rank), out(100), wanted(100, size * (size - 1L) / 2);
  MPI_Allreduce(in.data(), out.data(), 100, MPI_LONG, add, MPI_COMM_WORLD);
  verdict.check(out == wanted, [] { return "an operation with large counts"; });
  out.assign(100, -1);
  MPI_Allreduce_c(in.data(), out.data(), 100, MPI_LONG, add, MPI_COMM_WORLD);
  verdict.check(out == wanted, [] { return "an operation with large counts, _c"; });
  MPI_Op_free(&add);
#else
  static_cast<void>(verdict);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  for (int collective = 0; collective < collective_count; ++collective)
    for (const Form form : forms)
      for (const AffineMap map : affine_maps)
        for (const bool in_place : {false, true}) {
          // Absolute addresses are those of one buffer.
          if (map == AffineMap::absolute && !in_place) continue;
          for (const int count : {0, 1, 7, 3000}) {
            const int last = collective == reduce ? size - 1 : 0;
            for (int root = 0; root <= last; root += last > 0 ? last : 1)
              check({static_cast<Collective>(collective), form, map, in_place, root, count}, verdict);
          }
        }
  check_all_freed(verdict);
  check_large_operation(verdict);
  const int code = verdict.finish("user_operations");
  MPI_Finalize();
  return code;
}
