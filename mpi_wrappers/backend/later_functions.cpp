#include "backend/later_functions.hpp"

#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

MPI_Status* status_of(MPI_Status statuses[], int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

int get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  *flag = 1;
  int code = MPI_SUCCESS;
  for (int i = 0; i < count && code == MPI_SUCCESS && *flag != 0; ++i)
    code = real().Request_get_status(requests[i], flag, status_of(statuses, i));
  return code;
}

int get_status_any(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  bool none = true;
  for (*index = 0; *index < count; ++*index) {
    if (requests[*index] == MPI_REQUEST_NULL) continue;
    none = false;
    const int code = real().Request_get_status(requests[*index], flag, status);
    if (code != MPI_SUCCESS || *flag != 0) return code;
  }
  *index = MPI_UNDEFINED;
  *flag = 0;
  return none ? real().Request_get_status(MPI_REQUEST_NULL, flag, status) : MPI_SUCCESS;
}

int get_status_some(int count, const MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
  bool none = true;
  *completed = 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    none = false;
    int flag = 0;
    if (const int code = real().Request_get_status(requests[i], &flag, status_of(statuses, *completed)); code != MPI_SUCCESS)
      return code;
    if (flag != 0) indices[(*completed)++] = i;
  }
  if (none) *completed = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

template <class Function>
void make_up_for(Function*& function, Function* ours) {
  if (function == nullptr) function = ours;
}

}  // namespace

void make_up_for_later_functions(MpiFunctions& functions) {
  make_up_for(functions.Request_get_status_all, get_status_all);
  make_up_for(functions.Request_get_status_any, get_status_any);
  make_up_for(functions.Request_get_status_some, get_status_some);
}

}  // namespace xylem::preload
