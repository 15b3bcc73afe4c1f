#include "backend/host_copies.hpp"

#include <algorithm>

#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

// From the first byte that elements take, as seen from the buffer's address, to the last.
struct Span {
  std::ptrdiff_t begin;
  std::ptrdiff_t end;
};

Span span_of(std::ptrdiff_t count, MPI_Datatype datatype) {
  MPI_Aint lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
  PMPI_Type_get_extent(datatype, &lower_bound, &extent);
  PMPI_Type_get_true_extent(datatype, &true_lower_bound, &true_extent);
  const std::ptrdiff_t last = (count - 1) * extent;
  return {true_lower_bound + std::min<std::ptrdiff_t>(last, 0),
          true_lower_bound + true_extent + std::max<std::ptrdiff_t>(last, 0)};
}

}  // namespace

const void* HostCopies::input(const void* buffer, std::ptrdiff_t count, MPI_Datatype datatype) {
  const std::byte* const copy = replace(buffer, count, datatype, false);
  return copy == nullptr ? buffer : copy;
}

void* HostCopies::output(void* buffer, std::ptrdiff_t count, MPI_Datatype datatype) {
  std::byte* const copy = replace(buffer, count, datatype, true);
  return copy == nullptr ? buffer : copy;
}

// Null: the buffer can be used as it is, or there is no copy, which status_ tells.
std::byte* HostCopies::replace(const void* buffer, std::ptrdiff_t count, MPI_Datatype datatype, bool is_output) {
  if (buffer == MPI_IN_PLACE || buffer == nullptr || count < 1 || datatype == MPI_DATATYPE_NULL) return nullptr;
  if (xylem_mem_kind(buffer) != XYLEM_MEMORY_DEVICE) return nullptr;
  const Span span = span_of(count, datatype);
  if (span.end <= span.begin) return nullptr;
  Copy& copy = copies_[used_];
  copy.from = static_cast<std::byte*>(const_cast<void*>(buffer)) + span.begin;
  copy.bytes = static_cast<std::size_t>(span.end - span.begin);
  copy.is_output = is_output;
  void* memory = nullptr;
  status_ = xylem_mem_alloc(&memory, copy.bytes, XYLEM_MEMORY_PINNED);
  copy.memory.reset(static_cast<std::byte*>(memory));
  if (status_ == XYLEM_SUCCESS) status_ = xylem_mem_copy(memory, copy.from, copy.bytes);
  if (status_ != XYLEM_SUCCESS) return nullptr;
  ++used_;
  return copy.memory.get() - span.begin;
}

int HostCopies::bring_back(MPI_Comm comm) {
  for (std::size_t i = 0; i < used_; ++i) {
    const Copy& copy = copies_[i];
    if (copy.is_output) status_ = xylem_mem_copy(copy.from, copy.memory.get(), copy.bytes);
    if (status_ != XYLEM_SUCCESS) return report_failure(comm);
  }
  return MPI_SUCCESS;
}

int HostCopies::report_failure(MPI_Comm comm) const { return report(comm, status_); }

}  // namespace xylem::preload
