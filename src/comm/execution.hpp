// A call on its way through its algorithm: what the communicator makes of a call before it runs (prepare), and looks at when
// it has run (conclude).
#pragma once

#include "comm/call_plans.hpp"

namespace xylem {

struct Execution {
  const Call& call;
  const CallPlan& plan;
  const coll::Args& args;  // the communicator's
  coll::CpuPort port;
  double begin;  // seconds; 0 unless timed

  // Straight through the algorithm; what goes wrong is told by the port.
  void run();
};

}  // namespace xylem
