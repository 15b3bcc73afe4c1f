#include "backend/host_copies.hpp"

#include <algorithm>

#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"

namespace xylem::preload {
void HostCopies::Span::add(std::ptrdiff_t at, std::ptrdiff_t count, MPI_Datatype datatype) {
  if (count < 1 || datatype == MPI_DATATYPE_NULL) return;
  MPI_Aint lower_bound = 0, extent = 0, true_lower_bound = 0, true_extent = 0;
  PMPI_Type_get_extent(datatype, &lower_bound, &extent);
  PMPI_Type_get_true_extent(datatype, &true_lower_bound, &true_extent);
  const std::ptrdiff_t last = (count - 1) * extent;
  const std::ptrdiff_t first_byte = at + true_lower_bound + std::min<std::ptrdiff_t>(last, 0);
  const std::ptrdiff_t last_byte = at + true_lower_bound + true_extent + std::max<std::ptrdiff_t>(last, 0);
  const bool is_first = begin == end;
  begin = is_first ? first_byte : std::min(begin, first_byte);
  end = is_first ? last_byte : std::max(end, last_byte);
}

template <class MakeSpan>
std::byte* HostCopies::replace(const void* buffer, bool is_output, MakeSpan make_span) {
  if (status_ != XYLEM_SUCCESS || buffer == MPI_IN_PLACE || buffer == nullptr) return nullptr;
  if (xylem_mem_kind(buffer) != XYLEM_MEMORY_DEVICE) return nullptr;
  Span span;
  make_span(span);
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

const void* HostCopies::input(const void* buffer, std::ptrdiff_t count, MPI_Datatype datatype) {
  const std::byte* const copy = replace(buffer, false, [&](Span& span) { span.add(0, count, datatype); });
  return copy == nullptr ? buffer : copy;
}

void* HostCopies::output(void* buffer, std::ptrdiff_t count, MPI_Datatype datatype) {
  std::byte* const copy = replace(buffer, true, [&](Span& span) { span.add(0, count, datatype); });
  return copy == nullptr ? buffer : copy;
}

namespace {

// Adds the blocks of one datatype, at displacements in its extents.
auto blocks_of(int blocks, const int counts[], const int displacements[], MPI_Datatype datatype) {
  return [=](auto& span) {
    MPI_Aint lower_bound = 0, extent = 0;
    PMPI_Type_get_extent(datatype, &lower_bound, &extent);
    for (int i = 0; i < blocks; ++i) span.add(displacements[i] * extent, counts[i], datatype);
  };
}

auto blocks_of(int blocks, const int counts[], const int bytes[], const MPI_Datatype datatypes[]) {
  return [=](auto& span) {
    for (int i = 0; i < blocks; ++i) span.add(bytes[i], counts[i], datatypes[i]);
  };
}

}  // namespace

const void* HostCopies::input(const void* buffer, int blocks, const int counts[], const int displacements[],
                              MPI_Datatype datatype) {
  const std::byte* const copy = replace(buffer, false, blocks_of(blocks, counts, displacements, datatype));
  return copy == nullptr ? buffer : copy;
}

void* HostCopies::output(void* buffer, int blocks, const int counts[], const int displacements[], MPI_Datatype datatype) {
  std::byte* const copy = replace(buffer, true, blocks_of(blocks, counts, displacements, datatype));
  return copy == nullptr ? buffer : copy;
}

const void* HostCopies::input(const void* buffer, int blocks, const int counts[], const int bytes[],
                              const MPI_Datatype datatypes[]) {
  const std::byte* const copy = replace(buffer, false, blocks_of(blocks, counts, bytes, datatypes));
  return copy == nullptr ? buffer : copy;
}

void* HostCopies::output(void* buffer, int blocks, const int counts[], const int bytes[], const MPI_Datatype datatypes[]) {
  std::byte* const copy = replace(buffer, true, blocks_of(blocks, counts, bytes, datatypes));
  return copy == nullptr ? buffer : copy;
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
