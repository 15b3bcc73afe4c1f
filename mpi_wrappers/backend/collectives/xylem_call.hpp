// What is said once of all calls of Xylem and of the MPI.
#pragma once

#include <mpi.h>

#include "xylem/xylem.h"

namespace xylem::preload {

// The blocking form of a collective of Xylem, or the nonblocking one where there is a request.
template <class Blocking, class Nonblocking, class... Args>
xylem_status call_xylem(Blocking* blocking, Nonblocking* nonblocking, xylem_request_t* request, Args... args) {
  return request == nullptr ? blocking(args..., XYLEM_STREAM_NONE) : nonblocking(args..., XYLEM_STREAM_NONE, request);
}

// Whether the MPI refuses calls whose send and receive buffers are the same; else Xylem finds its way.
#ifdef OPEN_MPI
inline constexpr bool kMpiRefusesAliases = false;
#else
inline constexpr bool kMpiRefusesAliases = true;
#endif

}  // namespace xylem::preload
