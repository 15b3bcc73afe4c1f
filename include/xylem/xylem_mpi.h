/*
 * Xylem communicators from MPI communicators, for programs that call the C API and have an MPI. The only header of Xylem that
 * knows MPI: inline functions, compiled against the program's own MPI, so that libxylem.so is tied to none.
 *
 *   MPI_Init(&argc, &argv);
 *   xylem_comm_t comm;
 *   if (xylem_comm_create_mpi(&comm, MPI_COMM_WORLD) != XYLEM_SUCCESS) ... xylem_last_error() ...
 *   xylem_allreduce(in, out, count, XYLEM_DOUBLE, XYLEM_SUM, comm, XYLEM_STREAM_NONE);
 *   xylem_comm_destroy(comm);
 *   MPI_Finalize();
 *
 * C99 and C++.
 */
#ifndef XYLEM_XYLEM_MPI_H
#define XYLEM_XYLEM_MPI_H

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>

#include "xylem/xylem.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a Xylem communicator of the ranks of `mpi_comm`, with the same ranks. Collective over mpi_comm, which must be an
 * intracommunicator. MPI's errors come through its error handler; where that returns, the status is XYLEM_ERROR_SYSTEM.
 *
 * mpi_comm must not be freed before the Xylem communicator, and those split from it, are destroyed; destroy them before
 * MPI_Finalize. While a Xylem call waits it lets MPI make progress, so a program of several threads needs
 * MPI_THREAD_MULTIPLE (or must see to it that no other thread is in an MPI call meanwhile).
 *
 * The first call for an mpi_comm makes a duplicate of it, for Xylem's own use, which lives as long as mpi_comm.
 */
static inline xylem_status xylem_comm_create_mpi(xylem_comm_t* comm, MPI_Comm mpi_comm);

/* What follows is not part of the interface. */

/* Ends the duplicate when the communicator ends that it belongs to. MPI_Finalize may call this too late for MPI calls. */
static inline int xylem_mpi_free_duplicate_(MPI_Comm comm, int keyval, void* duplicate, void* state) {
  int finalized = 0;
  (void)comm;
  (void)keyval;
  (void)state;
  MPI_Finalized(&finalized);
  if (!finalized) MPI_Comm_free((MPI_Comm*)duplicate);
  free(duplicate);
  return MPI_SUCCESS;
}

/* The key of that attribute: one for the process, whichever of its sources and threads comes first. 0: *keyval is good. */
XYLEM_API int xylem_mpi_keyval(int (*make)(int* keyval), int* keyval);

static inline int xylem_mpi_make_keyval_(int* keyval) {
  return MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, xylem_mpi_free_duplicate_, keyval, NULL) != MPI_SUCCESS;
}

/* A duplicate on which nothing is ever sent: a probe then goes through all of MPI's progress, where on mpi_comm it might stop
 * at a message of the program. It is kept as an attribute of mpi_comm. */
static inline MPI_Comm* xylem_mpi_duplicate_(MPI_Comm mpi_comm) {
  MPI_Comm* duplicate = NULL;
  int keyval = MPI_KEYVAL_INVALID, found = 0;
  if (xylem_mpi_keyval(xylem_mpi_make_keyval_, &keyval) != 0) return NULL;
  if (MPI_Comm_get_attr(mpi_comm, keyval, &duplicate, &found) != MPI_SUCCESS) return NULL;
  if (found) return duplicate;
  duplicate = (MPI_Comm*)malloc(sizeof *duplicate);
  if (duplicate == NULL) return NULL;
  if (MPI_Comm_dup(mpi_comm, duplicate) != MPI_SUCCESS) {
    free(duplicate);
    return NULL;
  }
  if (MPI_Comm_set_attr(mpi_comm, keyval, duplicate) != MPI_SUCCESS) {
    MPI_Comm_free(duplicate);
    free(duplicate);
    return NULL;
  }
  return duplicate;
}

static inline int xylem_mpi_allgather_(const void* send, void* recv, size_t bytes, void* context) {
  MPI_Comm comm = *(MPI_Comm*)context;
  if (bytes > INT_MAX) return 1;
  return MPI_Allgather(send, (int)bytes, MPI_BYTE, recv, (int)bytes, MPI_BYTE, comm) != MPI_SUCCESS;
}

static inline void xylem_mpi_progress_(void* context) {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *(MPI_Comm*)context, &found, MPI_STATUS_IGNORE);
}

static inline xylem_status xylem_comm_create_mpi(xylem_comm_t* comm, MPI_Comm mpi_comm) {
  xylem_bootstrap bootstrap;
  MPI_Comm* duplicate = xylem_mpi_duplicate_(mpi_comm);
  *comm = NULL;
  if (duplicate == NULL) return XYLEM_ERROR_SYSTEM;
  if (MPI_Comm_rank(*duplicate, &bootstrap.rank) != MPI_SUCCESS) return XYLEM_ERROR_SYSTEM;
  if (MPI_Comm_size(*duplicate, &bootstrap.size) != MPI_SUCCESS) return XYLEM_ERROR_SYSTEM;
  bootstrap.allgather = xylem_mpi_allgather_;
  bootstrap.progress = xylem_mpi_progress_;
  bootstrap.context = duplicate;
  return xylem_comm_create(comm, &bootstrap);
}

#ifdef __cplusplus
}
#endif

#endif
