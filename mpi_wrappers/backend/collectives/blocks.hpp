// What a rank sends or receives in a call, as its program describes it: a buffer with a block for each of some ranks. There
// are three kinds, which share one interface.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "backend/collectives/array.hpp"

namespace xylem::preload {

// Blocks alike, one behind the other. None: the buffer means nothing on this rank, or is MPI_IN_PLACE.
class EvenBlocks {
 public:
  static constexpr bool kEven = true;
  static constexpr bool kTyped = false;

  EvenBlocks(const void* buffer, int blocks, std::ptrdiff_t count, MPI_Datatype datatype)
      : buffer_(buffer), blocks_(blocks), count_(count), datatype_(datatype) {}
  static EvenBlocks none(const void* buffer) { return {buffer, 0, 0, MPI_DATATYPE_NULL}; }

  void* buffer() const { return const_cast<void*>(buffer_); }
  int size() const { return blocks_; }
  static bool complete() { return true; }
  std::ptrdiff_t count(int) const { return count_; }
  MPI_Datatype datatype(int) const { return datatype_; }
  // Bytes from the buffer's address to that of a block, whose datatype has this extent.
  std::ptrdiff_t offset(int block, MPI_Aint extent) const { return block * count_ * extent; }
  // The program may free its arrays from now on.
  void keep() {}

 private:
  const void* buffer_;
  int blocks_;
  std::ptrdiff_t count_;
  MPI_Datatype datatype_;
};

// Blocks of one datatype that differ in length, at displacements in its extents.
template <class Width>
class UnevenBlocks {
 public:
  static constexpr bool kEven = false;
  static constexpr bool kTyped = false;

  UnevenBlocks(const void* buffer, int blocks, const typename Width::Count* counts,
               const typename Width::Displacement* displacements, MPI_Datatype datatype)
      : buffer_(buffer), blocks_(blocks), counts_(counts), displacements_(displacements), datatype_(datatype) {}
  static UnevenBlocks none(const void* buffer) { return {buffer, 0, nullptr, nullptr, MPI_DATATYPE_NULL}; }

  void* buffer() const { return const_cast<void*>(buffer_); }
  int size() const { return blocks_; }
  // Whether the arrays are there.
  bool complete() const { return blocks_ == 0 || (counts_.data() != nullptr && displacements_.data() != nullptr); }
  std::ptrdiff_t count(int block) const { return counts_[block]; }
  MPI_Datatype datatype(int) const { return datatype_; }
  std::ptrdiff_t offset(int block, MPI_Aint extent) const { return displacements_[block] * extent; }
  void keep() {
    counts_.keep(blocks_);
    displacements_.keep(blocks_);
  }

 private:
  const void* buffer_;
  int blocks_;
  Array<typename Width::Count> counts_;
  Array<typename Width::Displacement> displacements_;
  MPI_Datatype datatype_;
};

// Blocks of a datatype each, at displacements in bytes.
template <class Width>
class TypedBlocks {
 public:
  static constexpr bool kEven = false;
  static constexpr bool kTyped = true;

  TypedBlocks(const void* buffer, int blocks, const typename Width::Count* counts,
              const typename Width::Displacement* displacements, const MPI_Datatype* datatypes)
      : buffer_(buffer), blocks_(blocks), counts_(counts), displacements_(displacements), datatypes_(datatypes) {}
  static TypedBlocks none(const void* buffer) { return {buffer, 0, nullptr, nullptr, nullptr}; }

  void* buffer() const { return const_cast<void*>(buffer_); }
  int size() const { return blocks_; }
  // Whether the arrays are there.
  bool complete() const {
    return blocks_ == 0 || (counts_.data() != nullptr && displacements_.data() != nullptr && datatypes_.data() != nullptr);
  }
  std::ptrdiff_t count(int block) const { return counts_[block]; }
  MPI_Datatype datatype(int block) const { return datatypes_[block]; }
  std::ptrdiff_t offset(int block, MPI_Aint) const { return displacements_[block]; }
  void keep() {
    counts_.keep(blocks_);
    displacements_.keep(blocks_);
    datatypes_.keep(blocks_);
  }

 private:
  const void* buffer_;
  int blocks_;
  Array<typename Width::Count> counts_;
  Array<typename Width::Displacement> displacements_;
  Array<MPI_Datatype> datatypes_;
};

}  // namespace xylem::preload
