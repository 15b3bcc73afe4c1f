// What all ranks contribute to a reduction by an operation of the program, brought to one of them, which calls the operation.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "backend/errors.hpp"
#include "backend/packing.hpp"

namespace xylem::preload {

// Legal order: open write fold read*.
class Contributions {
 public:
  // Room for so many contributions of so many elements each.
  Outcome open(const Layout& layout, int contributions, std::ptrdiff_t elements);

  // The bytes of their signature, one contribution behind the other, by rank.
  std::byte* data() const { return packed_.get(); }
  std::byte* data(int contribution) const { return packed_.get() + static_cast<std::size_t>(contribution) * bytes_; }
  std::size_t bytes() const { return bytes_; }

  // Makes each contribution from `first` to before `last` the reduction of those from the first of all to itself. `datatype`
  // is the one that the program's function is told. Always from left to right, so all of its ranks come to the same bits.
  Outcome fold(const Layout& layout, MPI_Datatype datatype, MPI_Op op, int first, int last);

 private:
  Scratch packed_;
  std::ptrdiff_t elements_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace xylem::preload
