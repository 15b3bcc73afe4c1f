#include "driver/process_maps.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

namespace cuda_emu {
namespace {

struct Line {
  MappedRange range;
  std::string path;
};

bool parse(const std::string& text, Line& line) {
  std::array<char, 5> rights{};
  int path = 0;
  MappedRange& range = line.range;
  if (std::sscanf(text.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %" SCNu64 " %n", &range.begin, &range.end,
                  rights.data(), &range.offset, &range.inode, &path) < 5) {
    return false;
  }
  range.readable = rights[0] == 'r';
  range.writable = rights[1] == 'w';
  range.shared = rights[3] == 's';
  line.path = text.substr(static_cast<std::size_t>(path));
  return true;
}

template <class Visit>
void for_each_mapping(Visit visit) {
  std::ifstream maps("/proc/self/maps");
  Line line;
  for (std::string text; std::getline(maps, text);) {
    if (parse(text, line)) visit(line);
  }
}

File opened(const std::string& path, const MappedRange& range) {
  File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file) file = File(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  const bool right = file && fstat(file.get(), &status) == 0 && status.st_ino == range.inode;
  return right ? std::move(file) : File();
}

File among_open_files(const MappedRange& range) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  while (folder) {
    const dirent* const entry = readdir(folder.get());
    if (entry == nullptr) break;
    struct stat status {};
    const std::string path = std::string("/proc/self/fd/").append(entry->d_name);
    if (stat(path.c_str(), &status) != 0 || status.st_ino != range.inode) continue;
    if (File file = opened(path, range)) return file;
  }
  return File();
}

}  // namespace

std::vector<MappedRange> mappings_of(std::uint64_t begin, std::uint64_t end) {
  std::vector<MappedRange> found;
  std::uint64_t covered = begin;
  for_each_mapping([&](const Line& line) {
    MappedRange range = line.range;
    if (range.end <= begin || range.begin >= end || range.begin > covered) return;
    const std::uint64_t from = std::max(range.begin, begin);
    range.offset += from - range.begin;
    range.begin = from;
    range.end = std::min(range.end, end);
    covered = range.end;
    found.push_back(range);
  });
  if (covered < end) found.clear();
  return found;
}

File open_mapped_file(const MappedRange& range) {
  File file;
  for_each_mapping([&](const Line& line) {
    if (file || range.begin < line.range.begin || range.begin >= line.range.end) return;
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, line.range.begin, line.range.end);
    file = opened(name.data(), range);  // for root
    if (!file) file = opened(line.path, range);
  });
  return file ? std::move(file) : among_open_files(range);
}

}  // namespace cuda_emu
