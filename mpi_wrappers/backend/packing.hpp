// Data of any datatype as the bytes of its type signature. Ranks may describe one signature with different datatypes, so what
// Xylem moves is always these bytes; they are made of the program's buffer and put into it here, at the edge.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace xylem::preload {

// A datatype of our own.
class DerivedType {
 public:
  explicit DerivedType(MPI_Datatype type) : type_(type) {}
  ~DerivedType() { PMPI_Type_free(&type_); }
  DerivedType(const DerivedType&) = delete;
  DerivedType& operator=(const DerivedType&) = delete;

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

// A committed type of the same data. As long as it lives, the program may free its own, and the MPI still knows that by its
// handle. Null for predefined types, which stay.
std::shared_ptr<DerivedType> hold(MPI_Datatype datatype);

// One datatype, as far as moving data of it needs to know.
class Layout {
 public:
  Layout() = default;  // of nothing
  explicit Layout(MPI_Datatype datatype);

  // Whether data of this type may be sent at all: false for MPI_DATATYPE_NULL and types that are not committed.
  bool usable() const { return usable_; }
  // Whether a buffer's bytes are those of the signature already. Else they are packed and unpacked.
  bool dense() const { return dense_; }
  // Bytes of the signature of `count` elements.
  std::size_t bytes(std::ptrdiff_t count) const { return static_cast<std::size_t>(count) * size_; }
  MPI_Aint extent() const { return extent_; }

  // The program may free the datatype from now on; the MPI still knows it by its handle.
  void keep();
  MPI_Datatype datatype() const { return datatype_; }

  // Both return the error code of the MPI. `packed` has room for the bytes of `count` elements.
  int pack(const void* buffer, std::ptrdiff_t count, void* packed) const;
  int unpack(const void* packed, void* buffer, std::ptrdiff_t count) const;

 private:
  MPI_Datatype datatype_ = MPI_DATATYPE_NULL;
  std::size_t size_ = 0;
  MPI_Aint extent_ = 0;
  bool usable_ = true;
  bool dense_ = true;
  std::shared_ptr<DerivedType> kept_;
};

// Memory for packed data. Small pieces are kept for the next call.
struct ReturnScratch {
  bool pooled = false;
  void operator()(std::byte* memory) const;
};
using Scratch = std::unique_ptr<std::byte, ReturnScratch>;

// Null: there is no memory.
Scratch scratch(std::size_t bytes);

}  // namespace xylem::preload
