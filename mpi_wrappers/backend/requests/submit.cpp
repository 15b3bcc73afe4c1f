#include "backend/requests/submit.hpp"

#include <utility>

#include "backend/communicators.hpp"
#include "backend/errors.hpp"
#include "backend/requests/request_table.hpp"

namespace xylem::preload {
namespace {

int make(std::unique_ptr<Operation> operation, MPI_Comm comm, MPI_Request* request, CollectiveRequest::Kind kind) {
  auto made = std::make_unique<CollectiveRequest>(std::move(operation), find_ready(comm), kind);
  *request = MPI_REQUEST_NULL;
  if (const int code = made->post(); code != MPI_SUCCESS) return report_code(comm, code);
  if (kind == CollectiveRequest::Kind::nonblocking) made->begin();
  *request = made->handle();
  RequestTable::of_process().insert(std::move(made));
  return MPI_SUCCESS;
}

}  // namespace

int submit(std::unique_ptr<Operation> operation, MPI_Comm comm, MPI_Request* request) {
  return make(std::move(operation), comm, request, CollectiveRequest::Kind::nonblocking);
}

int make_persistent(std::unique_ptr<Operation> operation, MPI_Comm comm, MPI_Request* request) {
  return make(std::move(operation), comm, request, CollectiveRequest::Kind::persistent);
}

}  // namespace xylem::preload
