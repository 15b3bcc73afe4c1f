// Memory that a datatype lies over: items whose type signature is two ints, whatever their type map. All other memory must
// stay as it is.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace xylem::test {

enum class Map { ints, contiguous, gaps, negative_bound, reversed, absolute };
inline constexpr std::size_t map_count = 6;
inline constexpr const char* map_names[] = {"ints", "contiguous", "gaps", "negative bound", "reversed", "absolute"};

class MappedItems {
 public:
  MappedItems(Map map, std::size_t items)
      : map_(map), cells_(2 * guard + (items + 1) * extent(), untouched), wanted_(cells_) {
    MPI_Datatype pair = MPI_INT;
    switch (map) {
      case Map::ints:
        return;
      case Map::contiguous:
        MPI_Type_contiguous(2, MPI_INT, &pair);
        break;
      case Map::absolute: {
        MPI_Aint at[] = {0, 0};
        for (int part = 0; part < 2; ++part) MPI_Get_address(&cells_[cell(0, part)], &at[part]);
        int lengths[] = {1, 1};
        MPI_Type_create_hindexed(2, lengths, at, MPI_INT, &pair);
        break;
      }
      default: {
        int at[] = {offset(0), offset(1)};
        MPI_Type_create_indexed_block(2, 1, at, MPI_INT, &pair);
        break;
      }
    }
    const MPI_Aint bound = map == Map::negative_bound ? -2 * static_cast<MPI_Aint>(sizeof(int)) : 0;
    MPI_Type_create_resized(pair, bound, static_cast<MPI_Aint>(extent() * sizeof(int)), &type_);
    MPI_Type_free(&pair);
    MPI_Type_commit(&type_);
  }
  ~MappedItems() {
    if (map_ != Map::ints) MPI_Type_free(&type_);
  }
  MappedItems(const MappedItems&) = delete;
  MappedItems& operator=(const MappedItems&) = delete;

  void* buffer() { return map_ == Map::absolute ? MPI_BOTTOM : &cells_[guard]; }
  MPI_Datatype type() const { return type_; }
  // So many elements of the type, and so many bytes, are items.
  int count(std::size_t items) const { return static_cast<int>(map_ == Map::ints ? 2 * items : items); }
  int bytes(std::size_t items) const { return static_cast<int>(items * extent() * sizeof(int)); }

  void write(std::size_t item, int value) {
    want(item, value);
    for (int part = 0; part < 2; ++part) cells_[cell(item, part)] = value + part;
  }
  void want(std::size_t item, int value) {
    for (int part = 0; part < 2; ++part) wanted_[cell(item, part)] = value + part;
  }
  bool good() const { return cells_ == wanted_; }

 private:
  static constexpr std::size_t guard = 16;
  static constexpr int untouched = -77;

  // In ints: of an item in memory, and from its address to each of its two ints.
  std::size_t extent() const {
    constexpr std::size_t extents[] = {2, 2, 5, 6, 2, 3};
    return extents[static_cast<std::size_t>(map_)];
  }
  int offset(int part) const {
    constexpr int offsets[][2] = {{0, 1}, {0, 1}, {0, 3}, {-2, 1}, {1, 0}, {0, 2}};
    return offsets[static_cast<std::size_t>(map_)][part];
  }
  std::size_t cell(std::size_t item, int part) const {
    return guard + item * extent() + static_cast<std::size_t>(static_cast<std::ptrdiff_t>(offset(part)));
  }

  Map map_;
  std::vector<int> cells_, wanted_;
  MPI_Datatype type_ = MPI_INT;
};

}  // namespace xylem::test
