// Dumps what the communicators of this process know of their ranks (flight/entry.hpp): on a signal, on a warning, on an
// error.
//
// The signal's handler only rings a bell; the watching thread (watch/watch.hpp) writes. So the dump comes also while the
// program computes or sits in a call of another library.
#pragma once

#include <memory>
#include <vector>

#include "flight/entry.hpp"
#include "watch/watch.hpp"

namespace xylem::flight {

// Nanoseconds of the clock of all times in logs.
std::uint64_t now();

// What one communicator has to tell, as long as this object lives.
class Recording {
 public:
  using Tell = std::vector<Entry> (*)(const void* context);

  // `tell` may be called by any thread. The first of a process takes the signal, unless the program has taken it.
  Recording(watch::Watch& watch, Tell tell, const void* context);
  // Nobody is in `tell` when it returns. The last one gives the signal back.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // To XYLEM_DUMP_FILE, or to stderr.
  void dump() const;
  // To XYLEM_DUMP_FILE only: for what stderr is told of in other words.
  void dump_to_file() const;

 private:
  friend void dump_all();

  Tell tell_;
  const void* context_;
};

// Of all communicators.
void dump_all();

}  // namespace xylem::flight
