// One collective on Xylem, from its start to its end: what stands behind a request of a nonblocking or persistent call.
//
// Legal order: (start finish)*. Each pair is one execution: a nonblocking call has one, a persistent one as many as the
// program starts. finish() is not called where start() failed.
//
// An operation keeps what it needs, for by the time it ends the program may have freed the rest: the communicator (its
// request keeps the xylem_comm_t alive, so a copy of that handle stays good, and not its Communicator entry), datatypes (keep
// a dup of one that finish() unpacks with), arrays of datatypes' handles. Buffers, and arrays of counts and displacements,
// stay.
#pragma once

#include "xylem/xylem.h"

namespace xylem::preload {

class Operation {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Starts it and returns, whatever other ranks do: packs, if need be, and calls one of xylem_i*. On failure
  // xylem_last_error() says why, and nothing was started.
  virtual xylem_status start(xylem_request_t* request) = 0;

  // It has ended with `status`, of which xylem_last_error() tells more: unpacks. By whichever thread of the program learns of
  // the end. Returns an MPI error code and calls no error handler; the request does.
  virtual int finish(xylem_status status) = 0;
};

}  // namespace xylem::preload
