// Buffers that the MPI refuses on the spot.
#pragma once

#include <mpi.h>

namespace xylem::preload {

#ifdef MPICH_VERSION
inline constexpr bool kMpiRefusesAliases = true;
#else
inline constexpr bool kMpiRefusesAliases = false;
#endif

// Those of a reduction. Where the MPI lets equal buffers pass, Xylem works in place.
inline bool wrong_buffers(const void* sendbuf, const void* recvbuf) {
  return sendbuf == nullptr || recvbuf == nullptr || recvbuf == MPI_IN_PLACE || (kMpiRefusesAliases && sendbuf == recvbuf);
}

}  // namespace xylem::preload
