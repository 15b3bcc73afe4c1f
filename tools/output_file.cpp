#include "output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace xylem::tools {
namespace {

namespace fs = std::filesystem;

std::runtime_error failure(const std::string& path, int error) {
  return std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(error)));
}

}  // namespace

void check_writable(const std::string& path) {
  std::error_code missing;
  const fs::file_status status = fs::status(path, missing);
  if (fs::is_directory(status)) throw failure(path, EISDIR);
  // A file that is not there yet is made in its folder.
  const fs::path folder = fs::path(path).parent_path() / ".";
  if (access(fs::exists(status) ? path.c_str() : folder.c_str(), W_OK) != 0) throw failure(path, errno);
}

void write_file(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) throw failure(path, errno);
  const bool written = std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0;
  const int error = errno;
  // Some file systems (NFS, quotas) tell only when a file is closed.
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) throw failure(path, written ? errno : error);
}

}  // namespace xylem::tools
