#include "backend/own_communicators.hpp"

#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

OwnCommunicators own;

void duplicate(MPI_Comm from, MPI_Comm* to) {
  call_mpi(from, real().Comm_dup, from, to);
  PMPI_Comm_set_errhandler(*to, MPI_ERRORS_RETURN);
}

}  // namespace

const OwnCommunicators& own_communicators() { return own; }

void make_own_communicators() {
  duplicate(MPI_COMM_WORLD, &own.world);
  duplicate(MPI_COMM_SELF, &own.self);
  duplicate(MPI_COMM_SELF, &own.requests);
}

void free_own_communicators() {
  real().Comm_free(&own.world);
  real().Comm_free(&own.self);
  real().Comm_free(&own.requests);
}

}  // namespace xylem::preload
