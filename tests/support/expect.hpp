// Counts what is not as a test of the C API expects, and says so. Any thread.
#pragma once

#include <atomic>
#include <cstdio>
#include <string>

#include "xylem/xylem.h"

namespace xylem::test {

inline std::atomic<int> unexpected{0};

inline void expect(bool right, const std::string& what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s (%s)\n", what.c_str(), xylem_last_error());
  ++unexpected;
}

}  // namespace xylem::test
