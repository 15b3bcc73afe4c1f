/* Whether the MPI is to find PMIx uninitialised though it is not. */
#ifndef XYLEM_MPI_HIDE_PMIX_H
#define XYLEM_MPI_HIDE_PMIX_H

void xylem_mpi_hide_pmix(int hide);

/* As in pmix.h, which the front does not know. */
__attribute__((visibility("default"))) int PMIx_Initialized(void); /* NOLINT(readability-identifier-naming) */

#endif
