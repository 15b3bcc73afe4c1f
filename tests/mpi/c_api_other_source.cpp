#include "xylem/xylem_mpi.h"

xylem_status create_in_other_source(xylem_comm_t* comm, MPI_Comm mpi_comm);
xylem_status create_in_other_source(xylem_comm_t* comm, MPI_Comm mpi_comm) { return xylem_comm_create_mpi(comm, mpi_comm); }
