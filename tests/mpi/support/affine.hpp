// Affine maps x -> a x + b, whose composition is associative and does not commute: elements for operations of the program, on
// datatypes of several layouts. All memory beside the elements must stay as it is.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace xylem::test {

struct Affine {
  long a, b;
  bool operator==(const Affine&) const = default;
};

// The map that does `first` and then `second`.
inline Affine compose(Affine first, Affine second) { return {first.a * second.a, second.a * first.b + second.b}; }
inline Affine affine_of(int rank, std::size_t i) { return {1 + (rank + static_cast<int>(i)) % 2, rank + 1}; }

// Of the ranks before `last`, in their order.
inline Affine composed(int last, std::size_t i) {
  Affine all = affine_of(0, i);
  for (int r = 1; r < last; ++r) all = compose(all, affine_of(r, i));
  return all;
}

enum class AffineMap { contiguous, gaps, negative_bound, reversed, absolute };
inline constexpr AffineMap affine_maps[] = {AffineMap::contiguous, AffineMap::gaps, AffineMap::negative_bound,
                                            AffineMap::reversed, AffineMap::absolute};
inline constexpr const char* affine_map_names[] = {"contiguous", "gaps", "negative bound", "reversed", "absolute"};

class AffineItems {
 public:
  AffineItems(AffineMap map, std::size_t items)
      : map_(map), cells_(2 * kGuard + (items + 1) * extent(), kUntouched), wanted_(cells_) {
    MPI_Datatype pair;
    if (map == AffineMap::contiguous) {
      MPI_Type_contiguous(2, MPI_LONG, &type_);
      MPI_Type_commit(&type_);
      return;
    }
    if (map == AffineMap::absolute) {
      MPI_Aint at[] = {0, 0};
      for (int part = 0; part < 2; ++part) MPI_Get_address(&cells_[cell(0, part)], &at[part]);
      int lengths[] = {1, 1};
      MPI_Type_create_hindexed(2, lengths, at, MPI_LONG, &pair);
    } else {
      int at[] = {offset(0), offset(1)};
      MPI_Type_create_indexed_block(2, 1, at, MPI_LONG, &pair);
    }
    const MPI_Aint bound = map == AffineMap::negative_bound ? -2 * static_cast<MPI_Aint>(sizeof(long)) : 0;
    MPI_Type_create_resized(pair, bound, static_cast<MPI_Aint>(extent() * sizeof(long)), &type_);
    MPI_Type_free(&pair);
    MPI_Type_commit(&type_);
  }
  ~AffineItems() { free_type(); }
  AffineItems(const AffineItems&) = delete;
  AffineItems& operator=(const AffineItems&) = delete;

  void free_type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }

  void* buffer() { return map_ == AffineMap::absolute ? MPI_BOTTOM : &cells_[kGuard]; }
  MPI_Datatype type() const { return type_; }

  void write(std::size_t item, Affine value) {
    want(item, value);
    cells_[cell(item, 0)] = value.a;
    cells_[cell(item, 1)] = value.b;
  }
  void want(std::size_t item, Affine value) {
    wanted_[cell(item, 0)] = value.a;
    wanted_[cell(item, 1)] = value.b;
  }
  bool good() const { return cells_ == wanted_; }

  // In longs: from one element to the next, and from the address of the first to each of its two.
  std::size_t extent() const {
    constexpr std::size_t extents[] = {2, 5, 6, 2, 3};
    return extents[static_cast<std::size_t>(map_)];
  }
  std::ptrdiff_t place(int part) {
    if (map_ != AffineMap::absolute) return offset(part);
    MPI_Aint address = 0;
    MPI_Get_address(&cells_[cell(0, part)], &address);
    return address / static_cast<MPI_Aint>(sizeof(long));
  }

 private:
  static constexpr std::size_t kGuard = 16;
  static constexpr long kUntouched = -77;

  int offset(int part) const {
    constexpr int offsets[][2] = {{0, 1}, {0, 3}, {-2, 1}, {1, 0}, {0, 2}};
    return offsets[static_cast<std::size_t>(map_)][part];
  }
  std::size_t cell(std::size_t item, int part) const {
    return kGuard + item * extent() + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(offset(part)));
  }

  AffineMap map_;
  std::vector<long> cells_, wanted_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

// Their composition as an operation of the program; one at a time. It may be called for elements of items of the same layout
// only.
class AffineOperation {
 public:
  explicit AffineOperation(AffineItems& items) {
    layout = {items.extent(), {items.place(0), items.place(1)}, items.type(), true};
    MPI_Op_create(apply, 0, &op_);
  }
  ~AffineOperation() { MPI_Op_free(&op_); }
  AffineOperation(const AffineOperation&) = delete;
  AffineOperation& operator=(const AffineOperation&) = delete;

  MPI_Op get() const { return op_; }

  // Whether all calls of the last operation were about one element or more of the type that the collective was called with.
  static bool told_rightly() { return layout.told_rightly; }

 private:
  struct Layout {
    std::size_t extent;
    std::ptrdiff_t places[2];
    MPI_Datatype type;
    bool told_rightly;
  };
  static inline Layout layout{};

  static void apply(void* in, void* inout, int* length, MPI_Datatype* type) {
    layout.told_rightly = layout.told_rightly && *length > 0 && *type == layout.type;
    for (int i = 0; i < *length; ++i) {
      const std::ptrdiff_t first = i * static_cast<std::ptrdiff_t>(layout.extent);
      long *x[2], *y[2];
      for (int part = 0; part < 2; ++part) {
        const std::ptrdiff_t bytes = (first + layout.places[part]) * static_cast<std::ptrdiff_t>(sizeof(long));
        x[part] = reinterpret_cast<long*>(static_cast<char*>(in) + bytes);
        y[part] = reinterpret_cast<long*>(static_cast<char*>(inout) + bytes);
      }
      const Affine made = compose({*x[0], *x[1]}, {*y[0], *y[1]});
      *y[0] = made.a;
      *y[1] = made.b;
    }
  }

  MPI_Op op_ = MPI_OP_NULL;
};

}  // namespace xylem::test
