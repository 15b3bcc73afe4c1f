#include "backend/write_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace xylem::preload {
namespace {

namespace fs = std::filesystem;

std::string failure(const char* what, const fs::path& path) {
  return std::string(what).append(" ").append(path.string()).append(": ").append(std::strerror(errno));
}

// Empty, or what failed. Some file systems (NFS, quotas) tell only when a file is closed.
std::string write_to(const fs::path& path, const std::string& text) {
  std::FILE* const file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return failure("cannot create", path);
  const bool written = std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0;
  std::string what = written ? std::string() : failure("cannot write", path);
  if (std::fclose(file) != 0 && what.empty()) what = failure("cannot write", path);
  return what;
}

}  // namespace

std::string write_file(const std::string& path, const std::string& text) {
  std::error_code error;
  // A link stays a link: what it leads to is replaced.
  const fs::path leads_to = fs::canonical(path, error);
  const fs::path target = error ? fs::path(path) : leads_to;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) return write_to(target, text);

  const fs::path temporary = target.string() + "." + std::to_string(getpid()) + ".tmp";
  std::string what = write_to(temporary, text);
  if (what.empty() && std::rename(temporary.c_str(), target.c_str()) == 0) return {};
  if (what.empty()) what = failure("cannot rename", temporary);
  unlink(temporary.c_str());
  return what;
}

}  // namespace xylem::preload
