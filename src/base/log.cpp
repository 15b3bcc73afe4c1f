#include "base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <mutex>
#include <set>

#include "base/settings.hpp"

namespace xylem::log {
namespace {

struct Identity {
  std::mutex mutex;
  std::string text;  // empty until set
};

// Never destroyed: a program may finalize MPI, and so log, from a destructor that runs after those of this library.
Identity& identity() {
  static Identity& it = *new Identity;
  return it;
}

struct Known {
  std::mutex mutex;
  std::set<std::string> texts;
};

Known& known() {
  static Known& it = *new Known;
  return it;
}

std::string speaker() {
  {
    const std::lock_guard lock(identity().mutex);
    if (!identity().text.empty()) return identity().text;
  }
  std::array<char, HOST_NAME_MAX + 1> host{};
  gethostname(host.data(), host.size() - 1);
  return "pid " + std::to_string(getpid()) + " on " + host.data();
}

}  // namespace

void set_identity(int rank, const std::string& host) {
  const std::lock_guard lock(identity().mutex);
  identity().text = "rank " + std::to_string(rank) + " on " + host;
}

bool is_news(const std::string& text) {
  const std::lock_guard lock(known().mutex);
  return known().texts.insert(text).second;
}

bool enabled(Level level) { return level != Level::off && level <= settings().log_level; }

void write(Level level, const std::string& text) {
  if (!enabled(level)) return;
  const int saved_errno = errno;
  std::string line = "xylem: ";
  line += kLevelNames[static_cast<std::size_t>(level)];
  line += ": " + speaker() + ": " + text;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char letter) { return letter < ' ' || letter == '\x7f'; }, ' ');
  if (line.size() >= PIPE_BUF) line.replace(PIPE_BUF - 4, std::string::npos, "...");
  line += '\n';
  ssize_t written = 0;
  do {
    written = ::write(STDERR_FILENO, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  errno = saved_errno;
}

}  // namespace xylem::log
