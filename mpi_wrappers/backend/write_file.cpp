#include "backend/write_file.hpp"

#include <fcntl.h>
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
  // Without O_NONBLOCK, opening a pipe waits for somebody who reads. Once there is one, it may take its time.
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
  if (descriptor < 0) return failure("cannot create", path);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  std::FILE* const file = fdopen(descriptor, "w");
  if (file == nullptr) {
    std::string what = failure("cannot create", path);
    close(descriptor);
    return what;
  }
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
