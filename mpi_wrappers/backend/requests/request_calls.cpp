#include "backend/requests/request_calls.hpp"

#include <memory>
#include <vector>

#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/requests/request_table.hpp"

namespace xylem::preload {
namespace {

// How the MPI refuses to cancel a collective, and to free one that is under way.
#ifdef OPEN_MPI
constexpr int kCannotCancel = MPI_ERR_REQUEST;
constexpr int kCannotFree = MPI_ERR_REQUEST;
#else
constexpr int kCannotCancel = MPI_ERR_INTERN;
constexpr int kCannotFree = MPI_ERR_OTHER;
#endif

// `call` starts all requests of the array in the MPI.
template <class Call>
int start_all(int count, const MPI_Request requests[], Call&& call) {
  std::vector<CollectiveRequest*> ours;
  if (requests != nullptr) {
    RequestTable::of_process().find_all(count, requests, [&](int, CollectiveRequest& request) { ours.push_back(&request); });
  }
  for (const CollectiveRequest* request : ours)
    if (request->active()) return report_code(request->error_communicator(), MPI_ERR_REQUEST);
  const int code = call();
  if (code != MPI_SUCCESS) return code;
  for (CollectiveRequest* request : ours) request->begin();
  return code;
}

CollectiveRequest* find(const MPI_Request* request) {
  return RequestTable::empty() || request == nullptr ? nullptr : RequestTable::of_process().find(*request);
}

}  // namespace

int start(MPI_Request* request) noexcept {
  if (RequestTable::empty()) return real().Start(request);
  return start_all(1, request, [&] { return real().Start(request); });
}

int startall(int count, MPI_Request requests[]) noexcept {
  if (RequestTable::empty()) return real().Startall(count, requests);
  return start_all(count, requests, [&] { return real().Startall(count, requests); });
}

int request_free(MPI_Request* request) noexcept {
  CollectiveRequest* const ours = find(request);
  if (ours == nullptr) return real().Request_free(request);
  if (ours->active()) return report_code(ours->error_communicator(), kCannotFree);
  const std::unique_ptr<CollectiveRequest> freed = RequestTable::of_process().remove(*ours);
  return real().Request_free(request);
}

int cancel(MPI_Request* request) noexcept {
  const CollectiveRequest* const ours = find(request);
  return ours == nullptr ? real().Cancel(request) : report_code(ours->error_communicator(), kCannotCancel);
}

}  // namespace xylem::preload
