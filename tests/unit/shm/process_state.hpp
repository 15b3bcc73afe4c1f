// What this process holds: open descriptors, mappings, pages of an arena.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "shm/arena.hpp"

namespace xylem::test {

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

// Mappings of arenas, own and peers'.
inline std::size_t mapped_arenas() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:xylem") != std::string::npos ? 1 : 0;
  return count;
}

// Memory that the arena has now.
inline std::size_t touched_bytes(const shm::Arena& arena) {
  struct stat status {};
  fstat(arena.id().fd, &status);
  return static_cast<std::size_t>(status.st_blocks) * 512;
}

}  // namespace xylem::test
