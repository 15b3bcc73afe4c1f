#include "comm/tuning.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/settings.hpp"
#include "plan/rules.hpp"

namespace xylem {

namespace {

constexpr std::size_t kMostBytes = 1 << 20;

// Empty, or what is wrong.
std::string read_open_file(int descriptor, std::string& text) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  // One byte more than is allowed, for the file may grow meanwhile.
  text.resize(kMostBytes + 1);
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = read(descriptor, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::strerror(errno);
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  text.resize(length);
  return length > kMostBytes ? "is larger than 1 MiB" : "";
}

std::string read_file(const std::string& file, std::string& text) {
  // Without O_NONBLOCK, opening a pipe waits for somebody who writes.
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return std::strerror(errno);
  std::string trouble = read_open_file(descriptor, text);
  close(descriptor);
  return trouble;
}

}  // namespace

Tuning read_tuning(const std::string& file) {
  std::string text;
  if (const std::string trouble = read_file(file, text); !trouble.empty()) return {{}, file + ": " + trouble};
  const plan::RuleSet set = plan::parse_rules(text);
  if (!set.complaints.empty()) {
    const plan::RuleComplaint& first = set.complaints.front();
    return {{}, file + ", line " + std::to_string(first.line) + ": '" + first.token + "' " + first.why};
  }
  Tuning tuning;
  for (const plan::Rule& rule : set.rules) tuning.rules += plan::print_rule(rule) + "\n";
  return tuning;
}

const Tuning& tuning_of_process() {
  static const Tuning& tuning = *new Tuning(settings().tuning_file.empty() ? Tuning{} : read_tuning(settings().tuning_file));
  return tuning;
}

}  // namespace xylem
