// A device buffer of a call that the MPI runs, or whose data the MPI packs: an MPI that knows nothing of GPUs must never be
// given one. It is copied to host memory before the call and, where it is a result, back after it. A buffer in host memory is
// used as it is.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "xylem/xylem.h"

namespace xylem::preload {

class HostCopy {
 public:
  explicit HostCopy(void* buffer = nullptr) : address_(static_cast<std::byte*>(buffer)) {}

  // Copies what the blocks (collectives/blocks.hpp) take in memory, with what lies in gaps, if they are on a device.
  template <class Blocks>
  xylem_status open(const Blocks& blocks) {
    return open(blocks, [&](int block) { return blocks.datatype(block); });
  }
  // The same with other handles for their datatypes.
  template <class Blocks, class Datatypes>
  xylem_status open(const Blocks& blocks, Datatypes&& datatype) {
    address_ = static_cast<std::byte*>(blocks.buffer());
    memory_.reset();
    if (blocks.size() == 0 || !is_on_device(blocks.buffer())) return XYLEM_SUCCESS;
    Span span;
    for (int i = 0; i < blocks.size(); ++i)
      if (blocks.count(i) > 0) span.add(blocks, i, datatype(i));
    return span.begin < span.end ? copy(span.begin, span.end) : XYLEM_SUCCESS;
  }

  bool is_on_device() const { return is_on_device(address_); }

  // What the MPI is to be given in place of the buffer.
  std::byte* address() const { return address_; }

  // Whether it is not the buffer itself.
  bool copied() const { return memory_ != nullptr; }

  // Copies it all from the device again, or back to it.
  xylem_status fetch() const;
  xylem_status bring_back() const;

 private:
  // From the first byte that elements take, as seen from the buffer's address, to behind the last.
  struct Span {
    std::ptrdiff_t begin = 0;
    std::ptrdiff_t end = 0;

    template <class Blocks>
    void add(const Blocks& blocks, int block, MPI_Datatype datatype) {
      if (datatype == MPI_DATATYPE_NULL) return;
      MPI_Aint lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
      PMPI_Type_get_extent(datatype, &lower_bound, &extent);
      PMPI_Type_get_true_extent(datatype, &true_lower_bound, &true_extent);
      include(blocks.offset(block, extent) + true_lower_bound, true_extent, (blocks.count(block) - 1) * extent);
    }
    // Elements of `bytes` bytes: the first at `first`, the last `way` bytes from there.
    void include(std::ptrdiff_t first, std::ptrdiff_t bytes, std::ptrdiff_t way);
  };

  struct FreeMemory {
    void operator()(std::byte* memory) const { xylem_mem_free(memory); }
  };

  static bool is_on_device(const void* buffer);
  xylem_status copy(std::ptrdiff_t begin, std::ptrdiff_t end);

  std::byte* address_ = nullptr;
  std::byte* original_ = nullptr;  // on the device
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte, FreeMemory> memory_;
};

}  // namespace xylem::preload
