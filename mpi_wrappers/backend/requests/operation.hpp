// One collective, from its start to its end: what stands behind a request that we give to the program.
//
// Legal order: (start look* wait?)*, where each round ends with the look() or wait() that returns its end. A nonblocking call
// has one round, a persistent one as many as the program starts. Where start() failed the round has ended.
//
// An operation keeps what it needs, for by the time it ends the program may have freed the rest: the communicator (its
// request keeps the xylem_comm_t alive, so a copy of that handle stays good, and not its Communicator entry), datatypes
// (hold() one that is needed at the end), operations, arrays of datatypes' handles. Buffers, and arrays of counts and
// displacements, stay.
#pragma once

#include <optional>

namespace xylem::preload {

class Operation {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // All return MPI error codes and call no error handler.

  // Starts it and returns, whatever other ranks do.
  virtual int start() = 0;

  // Goes on with it as far as it comes now, by whichever thread of the program. What it came to, if it has ended.
  virtual std::optional<int> look() = 0;

  // The same until it has ended; drives the MPI meanwhile.
  virtual int wait() = 0;
};

}  // namespace xylem::preload
