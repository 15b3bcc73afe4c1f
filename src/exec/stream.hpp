// Copy and reduce into memory that another core reads next, past the caches.
//
// A slot is written again and again while its lines still lie in the reader's cache. Ordinary stores fetch each line from
// there before they change it; these do not, and the reader takes the data from memory. Where the two cores share no cache, a
// slot of 4 KiB reaches the reader in 2/3 of the time that copy_bytes() takes, one of 64 KiB and more in half of it. Where
// they do share one, it takes one and a half times as long, so keep to ordinary stores there, and everywhere for less than
// kStreamFrom bytes.
#pragma once

#include <cstddef>

#include "exec/reduce.hpp"

namespace xylem::exec {

inline constexpr std::size_t kStreamFrom = 4096;

// As copy_bytes(). Any store that this thread makes afterwards comes after these ones for everybody, so a release store
// publishes them.
void stream_bytes(void* out, const void* in, std::size_t bytes);

// As reduce_many(), stored as by stream_bytes(). `out` overlaps no input.
void stream_reduce(ReduceFunction function, std::size_t element_bytes, void* out, const void* const* in, std::size_t inputs,
                   std::size_t count);

}  // namespace xylem::exec
