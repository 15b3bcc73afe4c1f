#include "backend/nonblocking_collectives.hpp"

#include <memory>
#include <utility>

#include "backend/communicators.hpp"
#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/reductions.hpp"
#include "backend/requests/submit.hpp"
#include "backend/statistics.hpp"
#include "backend/wrong_buffers.hpp"

namespace xylem::preload {
namespace {

// A collective whose data lie as Xylem wants them: all is said by the call that starts it, which takes a xylem_request_t*.
template <class Start>
class DirectOperation : public Operation {
 public:
  DirectOperation(Collective collective, std::size_t bytes, Start start)
      : collective_(collective), bytes_(bytes), start_(std::move(start)) {}

  xylem_status start(xylem_request_t* request) override {
    return counted(collective_, bytes_, [&] { return start_(request); });
  }
  int finish(xylem_status status) override { return code_of(status); }

 private:
  Collective collective_;
  std::size_t bytes_;
  Start start_;
};

template <class Start>
std::unique_ptr<Operation> operation(Collective collective, std::size_t bytes, Start start) {
  return std::make_unique<DirectOperation<Start>>(collective, bytes, std::move(start));
}

using Submit = decltype(&submit);

// Both forms of a collective; `hand_down` calls the MPI's own function.
template <class HandDown>
int barrier(Submit submit, MPI_Comm comm, MPI_Request* request, HandDown&& hand_down) {
  const Communicator& c = find_ready(comm);
  if (c.xylem == nullptr) {
    count_handed_down(Collective::barrier, c.reason);
    return hand_down();
  }
  const auto start = [xylem = c.xylem](xylem_request_t* started) {
    return xylem_ibarrier(xylem, XYLEM_STREAM_NONE, started);
  };
  return submit(operation(Collective::barrier, 0, start), comm, request);
}

template <class HandDown>
int allreduce(Submit submit, const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request* request, HandDown&& hand_down) {
  const Communicator& c = find_ready(comm);
  const Reduction r = find_reduction(datatype, op);
  Reason reason = c.xylem == nullptr ? c.reason : r.reason;
  if (reason == Reason::none && (count < 0 || (count > 0 && wrong_buffers(sendbuf, recvbuf)))) reason = Reason::bad_argument;
  if (reason != Reason::none) {
    count_handed_down(Collective::allreduce, reason);
    return hand_down();
  }
  const void* const input = sendbuf == MPI_IN_PLACE ? XYLEM_IN_PLACE : sendbuf;
  const auto elements = static_cast<std::size_t>(count);
  const auto start = [=, xylem = c.xylem](xylem_request_t* started) {
    return xylem_iallreduce(input, recvbuf, elements, r.type, r.op, xylem, XYLEM_STREAM_NONE, started);
  };
  return submit(operation(Collective::allreduce, elements * r.size, start), comm, request);
}

}  // namespace

int ibarrier(MPI_Comm comm, MPI_Request* request) noexcept {
  return barrier(submit, comm, request, [&] { return call_mpi(real().Ibarrier, comm, request); });
}

int barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) noexcept {
  return barrier(make_persistent, comm, request, [&] { return call_mpi(real().Barrier_init, comm, info, request); });
}

int iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) noexcept {
  return allreduce(submit, sendbuf, recvbuf, count, datatype, op, comm, request,
                   [&] { return call_mpi(real().Iallreduce, sendbuf, recvbuf, count, datatype, op, comm, request); });
}

int allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) noexcept {
  return allreduce(make_persistent, sendbuf, recvbuf, count, datatype, op, comm, request, [&] {
    return call_mpi(real().Allreduce_init, sendbuf, recvbuf, count, datatype, op, comm, info, request);
  });
}

}  // namespace xylem::preload
