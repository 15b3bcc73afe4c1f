#include "backend/requests/submit.hpp"

#include <utility>

#include "backend/errors.hpp"
#include "backend/requests/request_table.hpp"

namespace xylem::preload {

int submit(std::unique_ptr<Operation> operation, CollectiveRequest::Kind kind, const Communicator& comm,
           std::shared_ptr<xylem_comm> runs_on, MPI_Request* request) {
  auto made = std::make_unique<CollectiveRequest>(std::move(operation), comm, std::move(runs_on), kind);
  *request = MPI_REQUEST_NULL;
  if (const int code = made->post(); code != MPI_SUCCESS) return report_code(made->error_communicator(), code);
  if (kind == CollectiveRequest::Kind::nonblocking) made->begin();
  *request = made->handle();
  RequestTable::of_process().insert(std::move(made));
  return MPI_SUCCESS;
}

}  // namespace xylem::preload
