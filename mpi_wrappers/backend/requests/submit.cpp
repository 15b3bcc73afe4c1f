#include "backend/requests/submit.hpp"

#include <utility>

#include "backend/errors.hpp"
#include "backend/requests/request_table.hpp"

namespace xylem::preload {
namespace {

int make(std::unique_ptr<Operation> operation, const Communicator& comm, std::shared_ptr<xylem_comm> runs_on,
         CollectiveRequest::Kind kind, MPI_Request* request) {
  MPI_Comm handle = comm.mpi.load(std::memory_order_relaxed);
  auto made = std::make_unique<CollectiveRequest>(std::move(operation), comm, std::move(runs_on), kind);
  *request = MPI_REQUEST_NULL;
  if (const int code = made->post(); code != MPI_SUCCESS) return report_code(handle, code);
  if (kind == CollectiveRequest::Kind::nonblocking) made->begin();
  *request = made->handle();
  RequestTable::of_process().insert(std::move(made));
  return MPI_SUCCESS;
}

}  // namespace

int submit(std::unique_ptr<Operation> operation, const Communicator& comm, MPI_Request* request) {
  return make(std::move(operation), comm, comm.keeper, CollectiveRequest::Kind::nonblocking, request);
}

int make_persistent(std::unique_ptr<Operation> operation, const Communicator& comm, std::shared_ptr<xylem_comm> own,
                    MPI_Request* request) {
  return make(std::move(operation), comm, std::move(own), CollectiveRequest::Kind::persistent, request);
}

}  // namespace xylem::preload
