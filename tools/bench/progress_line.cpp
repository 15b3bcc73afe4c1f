#include "bench/progress_line.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace xylem::tools {
namespace {

constexpr std::chrono::milliseconds pause_between(250);

// A terminal that does not take the line is no reason to stop.
void put(int terminal, const std::string& text) {
  if (write(terminal, text.data(), text.size()) < 0) return;
}

}  // namespace

std::string progress_bar(double done, double seconds) {
  constexpr int width = 24;
  const int full = static_cast<int>(std::clamp(done, 0.0, 1.0) * width);
  std::string text =
      "[" + std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(width - full), '.') + "]";
  if (done <= 0) return text;
  const auto left = std::llround(seconds * (1 - done) / done);
  return text + fmt::format(" {:.0f}%, {}:{:02} left", done * 100, left / 60, left % 60);
}

ProgressLine::ProgressLine(bool wanted)
    : terminal_(wanted ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + pause_between) {}

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

void ProgressLine::show(double done, const std::string& text) {
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start_;
  show(progress_bar(done, taken.count()) + " " + text);
}

void ProgressLine::clear() {
  if (terminal_ < 0) return;
  if (shown_) put(terminal_, "\r\033[K");
  shown_ = false;
  // What is printed now comes to the terminal through mpirun, a little later.
  next_ = std::chrono::steady_clock::now() + pause_between;
}

}  // namespace xylem::tools
