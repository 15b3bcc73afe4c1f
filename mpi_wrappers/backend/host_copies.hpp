// Device buffers of calls that the MPI runs, or whose data the MPI packs: an MPI that knows nothing of GPUs must never be
// given one. They are copied to host memory before the call and results back after it. Buffers in host memory are passed on
// as they are.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>

#include "xylem/xylem.h"

namespace xylem::preload {

// The copies of one call.
class HostCopies {
 public:
  // What the MPI is to be given in place of a buffer of `count` elements. MPI_IN_PLACE, null and counts below 1 are passed
  // on. Elements may have gaps: what lies in them is preserved.
  const void* input(const void* buffer, std::ptrdiff_t count, MPI_Datatype datatype);
  void* output(void* buffer, std::ptrdiff_t count, MPI_Datatype datatype);

  // The same for a block for, or from, each of `blocks` ranks. Alltoallw has a type for each, and displacements in bytes.
  const void* input(const void* buffer, int blocks, const int counts[], const int displacements[], MPI_Datatype datatype);
  void* output(void* buffer, int blocks, const int counts[], const int displacements[], MPI_Datatype datatype);
  const void* input(const void* buffer, int blocks, const int counts[], const int bytes[], const MPI_Datatype datatypes[]);
  void* output(void* buffer, int blocks, const int counts[], const int bytes[], const MPI_Datatype datatypes[]);

  // Calls `call`, which returns an MPI error code, then brings the results back. A failed copy is reported to `comm`.
  template <class Call>
  int run(MPI_Comm comm, Call&& call) {
    if (status_ != XYLEM_SUCCESS) return report_failure(comm);
    const int code = call();
    if (code != MPI_SUCCESS || used_ == 0) return code;
    return bring_back(comm);
  }

 private:
  struct FreeMemory {
    void operator()(std::byte* memory) const { xylem_mem_free(memory); }
  };
  struct Copy {
    std::byte* from = nullptr;  // on the device
    std::size_t bytes = 0;
    std::unique_ptr<std::byte, FreeMemory> memory;
    bool is_output = false;
  };

  // From the first byte that elements take, as seen from the buffer's address, to the last.
  struct Span {
    std::ptrdiff_t begin = 0;
    std::ptrdiff_t end = 0;
    void add(std::ptrdiff_t at, std::ptrdiff_t count, MPI_Datatype datatype);
  };

  // `make_span` is asked only where the buffer lies on a device. Null: the buffer can be used as it is, or there is no copy,
  // which status_ tells.
  template <class MakeSpan>
  std::byte* replace(const void* buffer, bool is_output, MakeSpan make_span);
  int bring_back(MPI_Comm comm);
  int report_failure(MPI_Comm comm) const;

  std::array<Copy, 2> copies_;
  std::size_t used_ = 0;
  xylem_status status_ = XYLEM_SUCCESS;
};

}  // namespace xylem::preload
