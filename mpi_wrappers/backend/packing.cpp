#include "backend/packing.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "backend/later_functions.hpp"
#include "backend/own_communicators.hpp"
#include "backend/reductions.hpp"

namespace xylem::preload {

namespace {

// A committed type of so many bytes, more than an int may count.
MPI_Datatype many_bytes(std::size_t bytes) {
  constexpr std::size_t kBlock = std::size_t{1} << 30;
  MPI_Datatype block, all;
  PMPI_Type_contiguous(static_cast<int>(kBlock), MPI_PACKED, &block);
  int lengths[] = {static_cast<int>(bytes / kBlock), static_cast<int>(bytes % kBlock)};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes / kBlock * kBlock)};
  MPI_Datatype types[] = {block, MPI_PACKED};
  PMPI_Type_create_struct(2, lengths, places, types, &all);
  PMPI_Type_commit(&all);
  PMPI_Type_free(&block);
  return all;
}

// How a valid datatype was made. Where the MPI has the functions with large counts they are asked, for the others refuse a
// type that was made with such counts.
struct Envelope {
  explicit Envelope(MPI_Datatype datatype) {
    if (PMPI_Type_get_envelope_c != nullptr) {
      PMPI_Type_get_envelope_c(datatype, &integers, &addresses, &large_counts, &datatypes, &combiner);
      return;
    }
    int few_integers = 0, few_addresses = 0, few_datatypes = 0;
    PMPI_Type_get_envelope(datatype, &few_integers, &few_addresses, &few_datatypes, &combiner);
    integers = few_integers;
    addresses = few_addresses;
    datatypes = few_datatypes;
  }

  // A handle of such a type is never a new one.
  bool predefined() const {
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX ||
           combiner == MPI_COMBINER_F90_INTEGER;
  }
  bool repeats() const { return combiner == MPI_COMBINER_CONTIGUOUS || combiner == MPI_COMBINER_DUP; }

  MPI_Count integers = 0, addresses = 0, large_counts = 0, datatypes = 0;
  int combiner = MPI_COMBINER_NAMED;
};

// What a datatype that repeats another one was made of.
MPI_Datatype repeated_by(MPI_Datatype datatype, const Envelope& envelope) {
  int count = 0;
  MPI_Aint no_address = 0;
  MPI_Count large_count = 0;
  MPI_Datatype repeated = MPI_DATATYPE_NULL;
  if (PMPI_Type_get_contents_c != nullptr)
    PMPI_Type_get_contents_c(datatype, envelope.integers, envelope.addresses, envelope.large_counts, envelope.datatypes,
                             &count, &no_address, &large_count, &repeated);
  else
    PMPI_Type_get_contents(datatype, static_cast<int>(envelope.integers), static_cast<int>(envelope.addresses),
                           static_cast<int>(envelope.datatypes), &count, &no_address, &repeated);
  return repeated;
}

// Whether a valid datatype repeats a predefined one without gaps: as MPI_Type_contiguous and MPI_Type_dup make them.
bool is_dense(MPI_Datatype datatype) {
  if (const PredefinedType* const known = find_predefined(datatype)) return known->dense;
  const Envelope envelope(datatype);
  if (!envelope.repeats()) return false;
  MPI_Datatype repeated = repeated_by(datatype, envelope);
  const bool dense = is_dense(repeated);
  if (!Envelope(repeated).predefined()) PMPI_Type_free(&repeated);
  return dense;
}

// Copies by a message to this process itself: slower than packing, but free of its limits (MPI_Pack counts bytes in an int,
// and MPICH's takes MPI_BOTTOM for a mistake). Data sent as any type may be received as MPI_PACKED, and the other way round.
int copy_by_message(const void* from, int from_count, MPI_Datatype from_type, void* to, int to_count, MPI_Datatype to_type) {
  static std::atomic<unsigned> calls;
  const int tag = static_cast<int>(calls++ % 32768);  // threads may do this at the same time
  return PMPI_Sendrecv(from, from_count, from_type, 0, tag, to, to_count, to_type, 0, tag, own_communicators().self,
                       MPI_STATUS_IGNORE);
}

// Calls piece(bytes from the first element's address, number of elements, bytes packed before, bytes packed) for pieces whose
// bytes an int can count.
template <class Piece>
int in_pieces(std::ptrdiff_t count, std::size_t element_bytes, MPI_Aint extent, Piece&& piece) {
  const auto most = static_cast<std::ptrdiff_t>(std::max<std::size_t>(INT_MAX / std::max<std::size_t>(element_bytes, 1), 1));
  for (std::ptrdiff_t first = 0; first < count;) {
    const std::ptrdiff_t n = std::min(count - first, most);
    const int code = piece(first * extent, static_cast<int>(n), static_cast<std::size_t>(first) * element_bytes,
                           static_cast<std::size_t>(n) * element_bytes);
    if (code != MPI_SUCCESS) return code;
    first += n;
  }
  return MPI_SUCCESS;
}

struct Pool {
  std::mutex mutex;
  std::vector<std::byte*> free;
};

// Never destroyed: a program may call MPI from a destructor that runs after those of this library.
Pool& pool() {
  static Pool& it = *new Pool;
  return it;
}

// All pieces in the pool are of this size, so that any of them fits any small call.
constexpr std::size_t kPooledBytes = std::size_t{256} << 10;
constexpr std::size_t kPooled = 4;

}  // namespace

std::shared_ptr<DerivedType> hold(MPI_Datatype datatype) {
  if (find_predefined(datatype) != nullptr) return nullptr;
  // A dup would call what the program has attached to the datatype for such an occasion.
  MPI_Datatype same;
  PMPI_Type_contiguous(1, datatype, &same);
  PMPI_Type_commit(&same);
  return std::make_shared<DerivedType>(same);
}

Layout::Layout(MPI_Datatype datatype) : datatype_(datatype) {
  if (const PredefinedType* const known = find_predefined(datatype)) {
    size_ = known->size;
    dense_ = known->dense;
    if (dense_) {
      extent_ = static_cast<MPI_Aint>(size_);
      return;
    }
  }
  dense_ = false;
  char nothing = 0;
  int position = 0;
  MPI_Count size = 0;
  MPI_Aint lower_bound = 0;
  usable_ = datatype != MPI_DATATYPE_NULL &&
            PMPI_Pack(&nothing, 0, datatype, &nothing, 0, &position, own_communicators().self) == MPI_SUCCESS &&
            PMPI_Type_size_x(datatype, &size) == MPI_SUCCESS &&
            PMPI_Type_get_extent(datatype, &lower_bound, &extent_) == MPI_SUCCESS;
  size_ = static_cast<std::size_t>(size);
  dense_ = usable_ && is_dense(datatype);
}

void Layout::keep() {
  if (datatype_ == MPI_DATATYPE_NULL) return;
  kept_ = hold(datatype_);
  if (kept_ != nullptr) datatype_ = kept_->get();
}

int Layout::pack(const void* buffer, std::ptrdiff_t count, void* packed) const {
  if (dense_) {
    std::memcpy(packed, buffer, bytes(count));
    return MPI_SUCCESS;
  }
  return in_pieces(count, size_, extent_, [&](MPI_Aint offset, int n, std::size_t before, std::size_t bytes) {
    const void* const from = static_cast<const char*>(buffer) + offset;
    void* const to = static_cast<char*>(packed) + before;
    if (bytes > INT_MAX) return copy_by_message(from, n, datatype_, to, 1, DerivedType(many_bytes(bytes)).get());
    if (from == MPI_BOTTOM) return copy_by_message(from, n, datatype_, to, static_cast<int>(bytes), MPI_PACKED);
    int position = 0;
    return PMPI_Pack(from, n, datatype_, to, static_cast<int>(bytes), &position, own_communicators().self);
  });
}

int Layout::unpack(const void* packed, void* buffer, std::ptrdiff_t count) const {
  if (dense_) {
    std::memcpy(buffer, packed, bytes(count));
    return MPI_SUCCESS;
  }
  return in_pieces(count, size_, extent_, [&](MPI_Aint offset, int n, std::size_t before, std::size_t bytes) {
    const void* const from = static_cast<const char*>(packed) + before;
    void* const to = static_cast<char*>(buffer) + offset;
    if (bytes > INT_MAX) return copy_by_message(from, 1, DerivedType(many_bytes(bytes)).get(), to, n, datatype_);
    if (to == MPI_BOTTOM) return copy_by_message(from, static_cast<int>(bytes), MPI_PACKED, to, n, datatype_);
    int position = 0;
    return PMPI_Unpack(from, static_cast<int>(bytes), &position, to, n, datatype_, own_communicators().self);
  });
}

Scratch scratch(std::size_t bytes) {
  const bool pooled = bytes <= kPooledBytes;
  if (pooled) {
    const std::lock_guard lock(pool().mutex);
    if (!pool().free.empty()) {
      std::byte* const memory = pool().free.back();
      pool().free.pop_back();
      return {memory, {pooled}};
    }
  }
  return {static_cast<std::byte*>(std::malloc(pooled ? kPooledBytes : bytes)), {pooled}};
}

void ReturnScratch::operator()(std::byte* memory) const {
  if (pooled) {
    const std::lock_guard lock(pool().mutex);
    if (pool().free.size() < kPooled) {
      pool().free.push_back(memory);
      return;
    }
  }
  std::free(memory);
}

}  // namespace xylem::preload
