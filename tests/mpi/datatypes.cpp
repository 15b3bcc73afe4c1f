// One type signature, described in every way that MPI has for it: the ranks of a call, and in an alltoallw also its blocks,
// use different constructors, and all memory beside the data stays as it is. And a matrix that lies over the ranks, moved
// from rows to columns by subarrays, as Fourier transforms do it. And types without gaps, however the MPI makes them.
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "support/forms.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int rank = 0, size = 0;

constexpr int kSignature = 6;  // ints
constexpr int kExtent = 64;    // of every description, in ints

constexpr MPI_Aint bytes_of(int n) { return n * static_cast<MPI_Aint>(sizeof(int)); }

struct Description {
  const char* name;
  std::vector<int> places;  // of the ints of an element, in ints from its address, in the order of the signature
  void (*make)(MPI_Datatype* type);
};

const Description descriptions[] = {
    {"contiguous", {0, 1, 2, 3, 4, 5}, [](MPI_Datatype* type) { MPI_Type_contiguous(6, MPI_INT, type); }},
    {"vector", {0, 1, 5, 6, 10, 11}, [](MPI_Datatype* type) { MPI_Type_vector(3, 2, 5, MPI_INT, type); }},
    {"backwards",
     {0, -2, -4, -6, -8, -10},
     [](MPI_Datatype* type) { MPI_Type_create_hvector(6, 1, bytes_of(-2), MPI_INT, type); }},
    {"with empty blocks",
     {9, 2, 3, 4, -3, 7},
     [](MPI_Datatype* type) {
       const int lengths[] = {0, 1, 3, 0, 1, 1}, at[] = {50, 9, 2, -20, -3, 7};
       MPI_Type_indexed(6, lengths, at, MPI_INT, type);
     }},
    {"blocks at addresses",
     {6, 7, 0, 1, 3, 4},
     [](MPI_Datatype* type) {
       const MPI_Aint at[] = {bytes_of(6), 0, bytes_of(3)};
       MPI_Type_create_hindexed_block(3, 2, at, MPI_INT, type);
     }},
    {"part of a cube",
     {7, 12, 27, 32, 47, 52},
     [](MPI_Datatype* type) {
       const int sizes[] = {3, 4, 5}, part[] = {3, 2, 1}, start[] = {0, 1, 2};
       MPI_Type_create_subarray(3, sizes, part, start, MPI_ORDER_C, MPI_INT, type);
     }},
    {"part of a matrix of Fortran",
     {1, 2, 5, 6, 9, 10},
     [](MPI_Datatype* type) {
       const int sizes[] = {4, 3}, part[] = {2, 3}, start[] = {1, 0};
       MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_FORTRAN, MPI_INT, type);
     }},
    {"dealt out",
     {1, 3, 5, 7, 9, 11},
     [](MPI_Datatype* type) {
       const int sizes[] = {12}, how[] = {MPI_DISTRIBUTE_CYCLIC}, dealt[] = {MPI_DISTRIBUTE_DFLT_DARG}, ranks[] = {2};
       MPI_Type_create_darray(2, 1, 1, sizes, how, dealt, ranks, MPI_ORDER_C, MPI_INT, type);
     }},
    {"nested",
     {0, 2, 4, 8, 10, 12},
     [](MPI_Datatype* type) {
       MPI_Datatype pair, three, spread;
       MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
       const int lengths[] = {1, 1};
       const MPI_Aint at[] = {0, bytes_of(2)};
       const MPI_Datatype parts[] = {MPI_INT, pair};
       MPI_Type_create_struct(2, lengths, at, parts, &three);
       MPI_Type_create_resized(three, 0, bytes_of(8), &spread);
       MPI_Type_contiguous(2, spread, type);
       for (MPI_Datatype* each : {&pair, &three, &spread}) MPI_Type_free(each);
     }},
};
constexpr int kDescriptions = std::size(descriptions);

// Elements of a description in memory, and what this memory must hold in the end.
class Elements {
 public:
  Elements(int description, int count)
      : description_(&descriptions[description % kDescriptions]),
        memory_(static_cast<std::size_t>(kExtent * (count + 2)), -1),
        wanted_(memory_) {
    MPI_Datatype made;
    description_->make(&made);
    MPI_Type_create_resized(made, 0, bytes_of(kExtent), &type_);
    MPI_Type_free(&made);
    MPI_Type_commit(&type_);
  }
  ~Elements() { MPI_Type_free(&type_); }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;

  const char* name() const { return description_->name; }
  MPI_Datatype type() const { return type_; }
  int* at(int element) { return &memory_[static_cast<std::size_t>(kExtent * (element + 1))]; }

  void want(int element, int value) { set(wanted_, element, value); }
  void write(int element, int value) {
    set(memory_, element, value);
    set(wanted_, element, value);
  }
  bool good() const { return memory_ == wanted_; }

 private:
  void set(std::vector<int>& memory, int element, int value) const {
    for (int i = 0; i < kSignature; ++i)
      memory[static_cast<std::size_t>(kExtent * (element + 1) + description_->places[static_cast<std::size_t>(i)])] =
          value + i;
  }

  const Description* description_;
  std::vector<int> memory_, wanted_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Element `i` of what rank `from` has.
int value_of(int from, int i) { return 100'000 * (from + 1) + 10 * i; }

// Every rank sends `count` elements as one description and receives as another.
void described(Form form, int first, int count, Verdict& verdict) {
  Elements in(first + rank, count), all(first + 2 * rank + 1, count * size), one(first + 3 * rank + 2, count);
  const int root = first % size;
  for (int i = 0; i < count; ++i) {
    in.write(i, value_of(rank, i));
    for (int from = 0; from < size; ++from) all.want(from * count + i, value_of(from, i));
    one.want(i, value_of(root, i));
  }
  CALL_AS(form, Allgather, allgather, in.at(0), count, in.type(), all.at(0), count, all.type(), MPI_COMM_WORLD);
  Elements& shared = rank == root ? in : one;
  CALL_AS(form, Bcast, bcast, shared.at(0), count, shared.type(), root, MPI_COMM_WORLD);
  const auto text = [&](const char* what) {
    return std::string(what) + form_names[static_cast<std::size_t>(form)] + " of " + std::to_string(count) + " elements " +
           in.name();
  };
  verdict.check(in.good() && all.good(), [&] { return text("Allgather") + " to " + all.name(); });
  verdict.check(rank == root || one.good(), [&] { return text("Bcast") + " to " + one.name(); });
}

// Every block of an alltoallw has a description of its own, on both sides.
void exchanged(Form form, int first, Verdict& verdict) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<std::unique_ptr<Elements>> in, out;
  Counts counts(n);
  Displacements from(n), to(n);
  std::vector<MPI_Datatype> sent, received;
  for (int peer = 0; peer < size; ++peer) {
    const int count = 1 + (rank + peer) % 3;  // the same at both ends
    const Elements& given = *in.emplace_back(std::make_unique<Elements>(first + peer, count));
    const Elements& got = *out.emplace_back(std::make_unique<Elements>(first + 2 * peer + rank, count));
    for (int i = 0; i < count; ++i) {
      in.back()->write(i, value_of(rank * size + peer, i));
      out.back()->want(i, value_of(peer * size + rank, i));
    }
    counts.set(static_cast<std::size_t>(peer), count);
    sent.push_back(given.type());
    received.push_back(got.type());
  }
  // The blocks lie apart in memory: each is found by an absolute address in its datatype.
  std::vector<MPI_Datatype> here(n), there(n);
  for (std::size_t peer = 0; peer < n; ++peer) {
    const int length = counts.narrow[peer];
    MPI_Aint at = 0;
    MPI_Get_address(in[peer]->at(0), &at);
    MPI_Type_create_struct(1, &length, &at, &sent[peer], &here[peer]);
    MPI_Get_address(out[peer]->at(0), &at);
    MPI_Type_create_struct(1, &length, &at, &received[peer], &there[peer]);
    MPI_Type_commit(&here[peer]);
    MPI_Type_commit(&there[peer]);
    counts.set(peer, 1);
  }
  CALL_AS(form, Alltoallw, alltoallw, MPI_BOTTOM, counts, from, here.data(), MPI_BOTTOM, counts, to, there.data(),
          MPI_COMM_WORLD);
  for (std::size_t peer = 0; peer < n; ++peer) {
    verdict.check(in[peer]->good() && out[peer]->good(), [&] {
      return std::string("Alltoallw") + form_names[static_cast<std::size_t>(form)] + " to " + out[peer]->name() +
             " from rank " + std::to_string(peer);
    });
    MPI_Type_free(&here[peer]);
    MPI_Type_free(&there[peer]);
  }
}

// An element of the matrix has a gap behind it.
struct Cell {
  double value;
  int place;
};

std::vector<Cell> cells(int count) {
  std::vector<Cell> all(static_cast<std::size_t>(count));
  std::memset(static_cast<void*>(all.data()), 0x5a, all.size() * sizeof(Cell));
  return all;
}
void fill(Cell& cell, int row, int column) {
  cell.value = row + column / 4096.0;
  cell.place = 1000 * row + column;
}

void rows_to_columns(Form form, Verdict& verdict) {
  constexpr int kRows = 6, kColumns = 5;  // of a rank's block
  MPI_Datatype packed, cell;
  const int lengths[] = {1, 1};
  const MPI_Aint at[] = {0, sizeof(double)};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, lengths, at, parts, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(Cell), &cell);
  MPI_Type_free(&packed);

  std::vector<Cell> rows = cells(kRows * kColumns * size), columns = cells(kRows * kColumns * size), wanted = columns;
  const auto n = static_cast<std::size_t>(size);
  std::vector<MPI_Datatype> sent(n), received(n);
  Counts ones(n);
  const Displacements none(n);
  for (int peer = 0; peer < size; ++peer) {
    const auto p = static_cast<std::size_t>(peer);
    const int block[] = {kRows, kColumns}, wide[] = {kRows, kColumns * size}, high[] = {kRows * size, kColumns};
    const int from[] = {0, kColumns * peer}, to[] = {kRows * peer, 0};
    MPI_Type_create_subarray(2, wide, block, from, MPI_ORDER_C, cell, &sent[p]);
    MPI_Type_create_subarray(2, high, block, to, MPI_ORDER_C, cell, &received[p]);
    MPI_Type_commit(&sent[p]);
    MPI_Type_commit(&received[p]);
    ones.set(p, 1);
  }
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns * size; ++column)
      fill(rows[static_cast<std::size_t>(row * kColumns * size + column)], rank * kRows + row, column);
  for (int row = 0; row < kRows * size; ++row)
    for (int column = 0; column < kColumns; ++column)
      fill(wanted[static_cast<std::size_t>(row * kColumns + column)], row, rank * kColumns + column);
  CALL_AS(form, Alltoallw, alltoallw, rows.data(), ones, none, sent.data(), columns.data(), ones, none, received.data(),
          MPI_COMM_WORLD);
  verdict.check(std::memcmp(columns.data(), wanted.data(), wanted.size() * sizeof(Cell)) == 0,
                [&] { return std::string("rows to columns") + form_names[static_cast<std::size_t>(form)]; });
  MPI_Type_free(&cell);
  for (std::size_t p = 0; p < n; ++p) {
    MPI_Type_free(&sent[p]);
    MPI_Type_free(&received[p]);
  }
}

// Types of ints, floats or pairs of these that lie in memory without gaps, but for which the MPI has further ways to make
// them: with large counts, and of predefined types that have no name.
struct Solid {
  const char* name;
  int numbers;
  void (*make)(MPI_Datatype* type);
};

void three_of(MPI_Datatype part, MPI_Datatype* type) { MPI_Type_contiguous(3, part, type); }

const Solid solids[] = {
    {"reals of Fortran", 3,
     [](MPI_Datatype* type) {
       MPI_Datatype real;  // predefined, so not to be freed
       MPI_Type_create_f90_real(6, 30, &real);
       three_of(real, type);
     }},
    {"complex numbers of Fortran", 6,
     [](MPI_Datatype* type) {
       MPI_Datatype complex;
       MPI_Type_create_f90_complex(6, 30, &complex);
       three_of(complex, type);
     }},
    {"integers of Fortran", 3,
     [](MPI_Datatype* type) {
       MPI_Datatype integer;
       MPI_Type_create_f90_integer(9, &integer);
       three_of(integer, type);
     }},
#if MPI_VERSION >= 4
    {"contiguous_c", 3, [](MPI_Datatype* type) { MPI_Type_contiguous_c(3, MPI_INT, type); }},
    {"vector_c", 4, [](MPI_Datatype* type) { MPI_Type_vector_c(2, 2, 2, MPI_INT, type); }},
    {"contiguous of contiguous_c", 6,
     [](MPI_Datatype* type) {
       MPI_Datatype two;
       MPI_Type_contiguous_c(2, MPI_INT, &two);
       three_of(two, type);
       MPI_Type_free(&two);
     }},
    {"dup of contiguous_c", 2,
     [](MPI_Datatype* type) {
       MPI_Datatype two;
       MPI_Type_contiguous_c(2, MPI_INT, &two);
       MPI_Type_dup(two, type);
       MPI_Type_free(&two);
     }},
#endif
};

void without_gaps(Form form, const Solid& solid, Verdict& verdict) {
  constexpr int kCount = 5;
  MPI_Datatype type;
  solid.make(&type);
  MPI_Type_commit(&type);
  const int root = size - 1, numbers = kCount * solid.numbers;
  std::vector<int> in(static_cast<std::size_t>(numbers)), all(in.size() * static_cast<std::size_t>(size), -1), wanted;
  for (int from = 0; from < size; ++from)
    for (int i = 0; i < numbers; ++i) wanted.push_back(value_of(from, i));
  for (int i = 0; i < numbers; ++i) in[static_cast<std::size_t>(i)] = value_of(rank, i);
  CALL_AS(form, Allgather, allgather, in.data(), kCount, type, all.data(), kCount, type, MPI_COMM_WORLD);
  CALL_AS(form, Bcast, bcast, in.data(), kCount, type, root, MPI_COMM_WORLD);
  const bool sent = std::equal(in.begin(), in.end(), wanted.end() - numbers);
  verdict.check(all == wanted && sent, [&] {
    return std::string(solid.name) + form_names[static_cast<std::size_t>(form)] + (sent ? ": allgather" : ": bcast");
  });
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  for (const Form form : forms) {
    for (int first = 0; first < kDescriptions; ++first) {
      for (const int count : {1, 3, 3000}) described(form, first, count, verdict);
      exchanged(form, first, verdict);
    }
    rows_to_columns(form, verdict);
    for (const Solid& solid : solids) without_gaps(form, solid, verdict);
  }
  const int code = verdict.finish("datatypes");
  MPI_Finalize();
  return code;
}
