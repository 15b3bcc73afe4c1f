/* Which MPI is in this process, and which ABI it has. */
#ifndef XYLEM_MPI_FIND_MPI_H
#define XYLEM_MPI_FIND_MPI_H

struct xylem_mpi_library {
  void* handle;         /* For dlsym(); NULL: no MPI is loaded. */
  const char* abi;      /* The name of the back end that fits: "standard", "mpich", "openmpi"; NULL: none does. */
  char description[80]; /* Where none fits: the beginning of what the MPI says of itself. */
};

/* Looks through the loaded libraries. The library found is made global if it was not, as a back end needs its symbols. */
struct xylem_mpi_library xylem_mpi_find(void);

#endif
