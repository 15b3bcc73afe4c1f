// What is mapped where in this process.
#pragma once

#include <cstdint>
#include <vector>

#include "driver/file.hpp"

namespace cuda_emu {

struct MappedRange {
  std::uint64_t begin = 0, end = 0;
  bool readable = false, writable = false, shared = false;
  std::uint64_t offset = 0;  // in its file
  std::uint64_t inode = 0;
};

// The mappings that cover [begin, end), cut to it. Empty if there are holes.
std::vector<MappedRange> mappings_of(std::uint64_t begin, std::uint64_t end);

// The file behind a shared mapping, found anew: its descriptor may have been closed and its name removed. Falsy if it
// cannot be had.
File open_mapped_file(const MappedRange& range);

}  // namespace cuda_emu
