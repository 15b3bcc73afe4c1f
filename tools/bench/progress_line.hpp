// One line that is written over and over on the terminal, if there is one; it never reaches a file or a pipe.
#pragma once

#include <chrono>
#include <string>

namespace xylem::tools {

// "[####....] 50%, 1:07 left", when `done` of the work has taken so many seconds.
std::string progress_bar(double done, double seconds);

class ProgressLine {
 public:
  // Under mpirun the standard streams are pipes even on a terminal, so the terminal is opened by its own name.
  // `wanted`: false on all ranks but one.
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows `text`, at most a few times a second.
  void show(const std::string& text);
  // The same behind a bar that is full when `done` is 1, and the time that is left if it goes on so.
  void show(double done, const std::string& text);
  // Takes the line away, before something else is printed.
  void clear();

 private:
  int terminal_ = -1;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_, next_;
};

}  // namespace xylem::tools
