// The copy of the data path. Not memcpy: glibc moves up to 512 KiB with `rep movsb`, which is 3 to 5 times slower on lines
// that another core holds modified.
#pragma once

#include <cstddef>

namespace xylem::exec {

// Copies `bytes` bytes; the ranges do not overlap; any alignment. Either range may be shared with other processes.
void copy_bytes(void* out, const void* in, std::size_t bytes);

}  // namespace xylem::exec
