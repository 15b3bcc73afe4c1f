#include "backend/requests/completion_calls.hpp"

#include "backend/mpi_functions.hpp"
#include "backend/requests/completion.hpp"
#include "backend/requests/patience.hpp"

namespace xylem::preload {
namespace {

// The code of a failure that is in the statuses, and says itself no more.
bool in_statuses(int code) {
  int error_class = MPI_SUCCESS;
  return code != MPI_SUCCESS && PMPI_Error_class(code, &error_class) == MPI_SUCCESS && error_class == MPI_ERR_IN_STATUS;
}

MPI_Status* wanted(MPI_Status* status) { return status == MPI_STATUS_IGNORE ? nullptr : status; }

// Forms that complete one request of an array, if any: `testany` is the one that does not wait.
int complete_any(Completion& ours, int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  ours.look();
  const int code = ours.call(real().Testany, count, requests, index, flag, status);
  if (code == MPI_SUCCESS && *flag != 0) ours.hand_out(*index, wanted(status));
  return code;
}

int complete_some(Completion& ours, int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
  ours.look();
  const int code = ours.call(real().Testsome, count, requests, completed, indices, statuses);
  if (code != MPI_SUCCESS && !in_statuses(code)) return code;
  for (int i = 0; i < *completed; ++i) ours.hand_out(indices[i], status_at(statuses, i));
  return code;
}

}  // namespace

int wait(MPI_Request* request, MPI_Status* status) noexcept {
  Completion ours(1, request);
  ours.wait();
  const int code = ours.call(real().Wait, request, status);
  if (code == MPI_SUCCESS) ours.hand_out(0, wanted(status));
  return ours.outcome(code);
}

int test(MPI_Request* request, int* flag, MPI_Status* status) noexcept {
  Completion ours(1, request);
  ours.look();
  const int code = ours.call(real().Test, request, flag, status);
  if (code == MPI_SUCCESS && *flag != 0) ours.hand_out(0, wanted(status));
  return ours.outcome(code);
}

int waitall(int count, MPI_Request requests[], MPI_Status statuses[]) noexcept {
  Completion ours(count, requests);
  ours.wait();
  const int code = ours.call(real().Waitall, count, requests, statuses);
  ours.hand_out_all(code, requests, statuses);
  return ours.outcome(code, count, statuses);
}

int testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) noexcept {
  Completion ours(count, requests);
  ours.look();
  const int code = ours.call(real().Testall, count, requests, flag, statuses);
  if (code != MPI_SUCCESS || *flag != 0) ours.hand_out_all(code, requests, statuses);
  return ours.outcome(code, count, statuses);
}

int waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) noexcept {
  Completion ours(count, requests);
  if (ours.empty()) return real().Waitany(count, requests, index, status);
  for (Patience patience;; patience.pause()) {
    int flag = 0;
    const int code = complete_any(ours, count, requests, index, &flag, status);
    if (code != MPI_SUCCESS || flag != 0) return ours.outcome(code);
  }
}

int testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) noexcept {
  Completion ours(count, requests);
  return ours.outcome(complete_any(ours, count, requests, index, flag, status));
}

int waitsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) noexcept {
  Completion ours(count, requests);
  if (ours.empty()) return real().Waitsome(count, requests, completed, indices, statuses);
  for (Patience patience;; patience.pause()) {
    const int code = complete_some(ours, count, requests, completed, indices, statuses);
    if (code != MPI_SUCCESS || *completed != 0) return ours.outcome(code, *completed, statuses);
  }
}

int testsome(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) noexcept {
  Completion ours(count, requests);
  const int code = complete_some(ours, count, requests, completed, indices, statuses);
  return ours.outcome(code, *completed, statuses);
}

int request_get_status(MPI_Request request, int* flag, MPI_Status* status) noexcept {
  Completion ours(1, &request);
  ours.look();
  const int code = real().Request_get_status(request, flag, status);
  if (ours.ended(0)) clean(wanted(status));
  return code;
}

int request_get_status_all(int count, const MPI_Request requests[], int* flag, MPI_Status statuses[]) noexcept {
  Completion ours(count, requests);
  ours.look();
  const int code = real().Request_get_status_all(count, requests, flag, statuses);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  for (int i = 0; i < count; ++i)
    if (ours.ended(i)) clean(status_at(statuses, i));
  return code;
}

int request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag, MPI_Status* status) noexcept {
  Completion ours(count, requests);
  ours.look();
  const int code = real().Request_get_status_any(count, requests, index, flag, status);
  if (code == MPI_SUCCESS && *flag != 0 && ours.ended(*index)) clean(wanted(status));
  return code;
}

int request_get_status_some(int count, const MPI_Request requests[], int* completed, int indices[],
                            MPI_Status statuses[]) noexcept {
  Completion ours(count, requests);
  ours.look();
  const int code = real().Request_get_status_some(count, requests, completed, indices, statuses);
  if (code != MPI_SUCCESS) return code;
  for (int i = 0; i < *completed; ++i)
    if (ours.ended(indices[i])) clean(status_at(statuses, i));
  return code;
}

}  // namespace xylem::preload
