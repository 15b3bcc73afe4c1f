// Tuning files: rules that choose algorithms (plan/rules.hpp), measured by `xylem tune`.
#pragma once

#include <string>

namespace xylem {

struct Tuning {
  std::string rules;    // one a line, without comments; empty where something is wrong
  std::string trouble;  // "/etc/xylem/tuning, line 3: 'rnig' names no algorithm; there are ..."
};

// A file of which a rule makes no sense is not used at all: half of it would be a choice that nobody measured. Nor is what is
// no regular file, or is larger than 1 MiB: a job must not wait for a pipe, or read a device for ever.
Tuning read_tuning(const std::string& file);

// XYLEM_TUNING_FILE, read once.
const Tuning& tuning_of_process();

}  // namespace xylem
