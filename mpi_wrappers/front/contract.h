/*
 * What the front of the preload library and a back end know of each other. The front (C, libc only) is what LD_PRELOAD puts
 * into every process; a back end is built for the ABI of one MPI and opened only in a process that uses that MPI.
 */
#ifndef XYLEM_MPI_CONTRACT_H
#define XYLEM_MPI_CONTRACT_H

/* NOLINTBEGIN(modernize-*): a header of C that back ends in C++ read too. */
#ifdef __cplusplus
extern "C" {
#endif

/* MPI_X is number XYLEM_MPI_X, MPIX_X is number XYLEM_MPIX_X. */
enum {
#define FUNCTION(name) XYLEM_MPI_##name,
#define EXTENSION(name) XYLEM_MPIX_##name,
#include "functions.def"
#undef EXTENSION
#undef FUNCTION
  XYLEM_MPI_FUNCTIONS
};

/* A function of unknown type. */
typedef void (*xylem_mpi_function)(void);

struct xylem_mpi_front {
  int functions; /* XYLEM_MPI_FUNCTIONS of the front: a back end of another build refuses to work with it. */
  /* The MPI's own PMPI_X, by number, or PMPIX_X, which is the same; NULL where this MPI has no such function. */
  const xylem_mpi_function* real;
  /* Makes every entry lead to the MPI, or to the tool behind us, for good. Any thread, any time. What the MPI does not have,
     but the back end does, stays with the back end. */
  void (*leave_to_mpi)(void);
  /* While it is told to hide, PMIx_Initialized() is false whatever was done before (pmix_initialized.c). */
  void (*hide_pmix)(int hide);
};

/*
 * The one function that a back end exports. It puts its wrappers, by number, into `wrapper`, which comes filled with the
 * MPI's own functions. Calls no MPI function. Returns NULL, or why it cannot serve; the front then leaves all to the MPI.
 */
typedef const char* xylem_mpi_backend_open_function(const struct xylem_mpi_front* front, xylem_mpi_function* wrapper);
#define XYLEM_MPI_BACKEND_OPEN "xylem_mpi_backend_open"

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */

#endif
