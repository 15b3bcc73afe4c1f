// Data of any datatype as the bytes of its type signature. Ranks may describe one signature with different datatypes, so what
// Xylem moves is always these bytes; they are made of the program's buffer and put into it here, at the edge.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace xylem::preload {

// One datatype, as far as moving data of it needs to know.
class Layout {
 public:
  explicit Layout(MPI_Datatype datatype);

  // Whether data of this type may be sent at all: false for MPI_DATATYPE_NULL and types that are not committed.
  bool usable() const { return usable_; }
  // Whether a buffer's bytes are those of the signature already. Else they are packed and unpacked.
  bool dense() const { return dense_; }
  // Bytes of the signature of `count` elements.
  std::size_t bytes(int count) const { return static_cast<std::size_t>(count) * size_; }
  // The address of element `index` of a buffer.
  void* element(void* buffer, std::size_t index) const { return static_cast<char*>(buffer) + step(index); }
  const void* element(const void* buffer, std::size_t index) const { return static_cast<const char*>(buffer) + step(index); }

  // Both return the error code of the MPI. `packed` has room for the bytes of `count` elements.
  int pack(const void* buffer, std::size_t count, void* packed) const;
  int unpack(const void* packed, void* buffer, std::size_t count) const;

 private:
  MPI_Aint step(std::size_t index) const { return static_cast<MPI_Aint>(index) * extent_; }

  MPI_Datatype datatype_;
  std::size_t size_ = 0;
  MPI_Aint extent_ = 0;
  bool usable_ = true;
  bool dense_ = true;
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
