#include "bench/progress_line.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace xylem::tools {
namespace {

constexpr std::chrono::milliseconds pause_between(250);

// A terminal that does not take the line is no reason to stop.
void put(int terminal, const std::string& text) {
  if (write(terminal, text.data(), text.size()) < 0) return;
}

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : terminal_(wanted ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1),
      next_(std::chrono::steady_clock::now() + pause_between) {}

ProgressLine::~ProgressLine() {
  if (terminal_ < 0) return;
  clear();
  close(terminal_);
}

void ProgressLine::show(const std::string& text) {
  if (terminal_ < 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + pause_between;
  put(terminal_, "\r\033[K" + text);
  shown_ = true;
}

void ProgressLine::clear() {
  if (terminal_ < 0) return;
  if (shown_) put(terminal_, "\r\033[K");
  shown_ = false;
  // What is printed now comes to the terminal through mpirun, a little later.
  next_ = std::chrono::steady_clock::now() + pause_between;
}

}  // namespace xylem::tools
