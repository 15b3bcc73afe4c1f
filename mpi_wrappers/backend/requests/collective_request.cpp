#include "backend/requests/collective_request.hpp"

#include <optional>
#include <utility>

#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/own_communicators.hpp"

namespace xylem::preload {

CollectiveRequest::CollectiveRequest(std::unique_ptr<Operation> operation, const Communicator& entry,
                                     std::shared_ptr<xylem_comm> runs_on, Kind kind)
    : operation_(std::move(operation)), entry_(entry), comm_(entry.mpi), keeper_(std::move(runs_on)), kind_(kind) {}

int CollectiveRequest::post() {
  const auto receive = persistent() ? PMPI_Recv_init : PMPI_Irecv;
  return receive(nullptr, 0, MPI_BYTE, 0, tag_, own_communicators().requests, &handle_);
}

void CollectiveRequest::begin() {
  number_ = begun.fetch_add(1, std::memory_order_relaxed);
  active_count.fetch_add(1, std::memory_order_relaxed);
  const int code = operation_->start();
  if (code == MPI_SUCCESS)
    state_.store(State::running, std::memory_order_release);
  else
    end(code);
}

bool CollectiveRequest::look() {
  if (ended()) return true;
  const std::unique_lock lock(looking_, std::try_to_lock);
  if (!lock || !active()) return false;
  if (ended()) return true;
  const std::optional<int> outcome = operation_->look();
  if (outcome.has_value()) end(*outcome);
  return outcome.has_value();
}

void CollectiveRequest::wait() {
  const std::lock_guard lock(looking_);
  if (!ended()) end(operation_->wait());
}

void CollectiveRequest::end(int outcome) {
  outcome_ = outcome;
  PMPI_Send(nullptr, 0, MPI_BYTE, 0, tag_, own_communicators().requests);
  state_.store(State::ended, std::memory_order_release);
}

int CollectiveRequest::hand_out() {
  // A nonblocking one stays hidden until it is off the table: its handle may be another thread's request by now.
  if (persistent()) offer(false);
  state_.store(State::inactive, std::memory_order_release);
  active_count.fetch_sub(1, std::memory_order_relaxed);
  return std::exchange(outcome_, MPI_SUCCESS);
}

bool CollectiveRequest::abandon() {
  const bool goes_on = active() && !look();
  if (goes_on) end(MPI_SUCCESS);
  real().Request_free(&handle_);
  if (active()) hand_out();
  return !goes_on;
}

MPI_Comm CollectiveRequest::error_communicator() const {
  return comm_ != no_handle() && entry_.mpi.load(std::memory_order_acquire) == comm_ ? comm_ : MPI_COMM_WORLD;
}

}  // namespace xylem::preload
