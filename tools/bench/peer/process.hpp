// A job beside this one that is a side of the comparison: another MPI, or whatever else speaks the protocol.
//
// It is started by a command line as one process (mpirun, as a rule), and talks on its standard input and output, a JSON
// object on a line each:
//
//   it says first    {"ready": "what it is", "ranks": 2}
//   we ask           {"line": {"collective": "allreduce", "bytes": 8, "type": "float", "op": "sum", "imbalance": 0,
//                              "buffers": "rotated", "skew_seconds": 0, "histogram": false}}
//   it answers       {"line": "prepared"}
//   we ask           {"round": 5}            so many calls in a row, timed together, results checked
//   it answers       {"samples_seconds": [mean of a call on the slowest rank], "cpu_seconds": of a call, all ranks together,
//                     "calls_per_sample": 5, "wrong_calls": 0}, with "histogram" if that was asked for: a side of --json
//
// and ends at the end of its input. While it is not asked anything its ranks must leave the cores alone.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench/call_kind.hpp"
#include "bench/options.hpp"
#include "bench/record.hpp"

namespace xylem::tools {

class PeerProcess {
 public:
  // Starts it on `cores`, in an environment without what launchers and Xylem have put there, and waits until it is ready.
  // Throws std::runtime_error, as all of this does.
  PeerProcess(std::string name, const std::vector<std::string>& command, const std::vector<int>& cores, int ranks);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  const std::string& name() const { return name_; }
  // What it says it is.
  const std::string& title() const { return title_; }

  void prepare(const CallKind& kind, const BenchEffort& effort);
  // Returns the seconds of all its calls on the slowest rank. `noted`: where they are added to those of the rounds before, or
  // null. Wrong results count in any case.
  double run_round(int batch, SideResult* noted);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::string ask(const std::string& question);
  std::string read_line();

  std::string name_;
  std::string title_;
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string unread_;
  long wrong_ = 0;  // in rounds that were not noted
};

}  // namespace xylem::tools
