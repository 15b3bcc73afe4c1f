// What is said once of all calls of Xylem and of the MPI.
#pragma once

#include <mpi.h>

#include "backend/errors.hpp"
#include "backend/statistics.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {

// The blocking form of a collective of Xylem, or the nonblocking one where there is a request.
template <class Blocking, class Nonblocking, class... Args>
xylem_status call_xylem(Blocking* blocking, Nonblocking* nonblocking, xylem_request_t* request, Args... args) {
  return request == nullptr ? blocking(args..., XYLEM_STREAM_NONE) : nonblocking(args..., XYLEM_STREAM_NONE, request);
}

// What comes of this rank's preparations for a call that all make. Where they fail, the others shall neither wait for it nor
// take its next call for this one: it gives the communicator up.
inline Outcome or_give_up(xylem_comm_t comm, const Outcome& prepared) {
  if (!prepared.good()) xylem_comm_abort(comm);
  return prepared;
}

// Whether the MPI refuses calls with so many elements whose send and receive buffers are the same; else Xylem finds its way.
template <class Count>
constexpr bool refuses_aliases([[maybe_unused]] Collective collective, Count count) {
#ifdef OPEN_MPI
  return (collective == Collective::reduce && count > 0) || (collective == Collective::allreduce && count > 1);
#else
  return count > 0;
#endif
}

}  // namespace xylem::preload
