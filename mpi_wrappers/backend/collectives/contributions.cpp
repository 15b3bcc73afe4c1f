#include "backend/collectives/contributions.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <utility>

#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

// Elements of a datatype as they lie in a program's memory.
class Elements {
 public:
  static constexpr std::ptrdiff_t kAlignment = 64;

  bool open(MPI_Datatype datatype, std::ptrdiff_t count) {
    MPI_Aint lower_bound = 0, extent = 0, first = 0, bytes = 0;
    PMPI_Type_get_extent(datatype, &lower_bound, &extent);
    PMPI_Type_get_true_extent(datatype, &first, &bytes);
    const std::ptrdiff_t way = (count - 1) * extent;
    const std::ptrdiff_t begin = first + std::min<std::ptrdiff_t>(way, 0);
    const std::ptrdiff_t end = first + bytes + std::max<std::ptrdiff_t>(way, 0);
    // The address that the program's function sees is aligned as the program's own may be.
    const std::ptrdiff_t shift = (begin % kAlignment + kAlignment) % kAlignment;
    const auto size = static_cast<std::size_t>(kAlignment + shift + end - begin);
    memory_ = scratch(size);
    if (memory_ == nullptr) return false;
    // An operation may read what lies in gaps.
    std::memset(memory_.get(), 0, size);
    const auto beyond = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(memory_.get()) % kAlignment);
    address_ = memory_.get() + (kAlignment - beyond) + shift - begin;
    return true;
  }
  std::byte* address() const { return address_; }

 private:
  Scratch memory_;
  std::byte* address_ = nullptr;
};

// second[i] becomes first[i] op second[i].
int apply(MPI_Op op, MPI_Datatype datatype, MPI_Aint extent, const std::byte* first, std::byte* second,
          std::ptrdiff_t count) {
  while (count > 0) {
    const auto n = static_cast<int>(std::min<std::ptrdiff_t>(count, INT_MAX));
    const int code = call_mpi(MPI_COMM_NULL, PMPI_Reduce_local, first, second, n, datatype, op);
    if (code != MPI_SUCCESS) return code;
    first += n * extent;
    second += n * extent;
    count -= n;
  }
  return MPI_SUCCESS;
}

}  // namespace

Outcome Contributions::open(const Layout& layout, int contributions, std::ptrdiff_t elements) {
  elements_ = elements;
  bytes_ = layout.bytes(elements);
  packed_ = scratch(std::max<std::size_t>(static_cast<std::size_t>(contributions) * bytes_, 1));
  return packed_ != nullptr ? Outcome{} : Outcome{MPI_ERR_NO_MEM};
}

Outcome Contributions::fold(const Layout& layout, MPI_Datatype datatype, MPI_Op op, int first, int last) {
  if (bytes_ == 0) return {};
  if (layout.dense()) {
    for (int i = 1; i < last; ++i)
      if (const int code = apply(op, datatype, layout.extent(), data(i - 1), data(i), elements_); code != MPI_SUCCESS)
        return {code};
    return {};
  }
  Elements before, here;
  if (!before.open(datatype, elements_) || !here.open(datatype, elements_)) return {MPI_ERR_NO_MEM};
  for (int i = 0; i < last; ++i) {
    int code = layout.unpack(data(i), here.address(), elements_);
    if (code == MPI_SUCCESS && i > 0)
      code = apply(op, datatype, layout.extent(), before.address(), here.address(), elements_);
    if (code == MPI_SUCCESS && i >= first) code = layout.pack(here.address(), elements_, data(i));
    if (code != MPI_SUCCESS) return {code};
    std::swap(before, here);
  }
  return {};
}

}  // namespace xylem::preload
