#include "backend/requests/completion.hpp"

#include <algorithm>
#include <functional>

#include "backend/errors.hpp"

namespace xylem::preload {

Completion::Completion(int count, const MPI_Request handles[]) {
  if (handles == nullptr) return;  // the MPI refuses it
  RequestTable::of_process().find_all(count, handles, [this](int index, CollectiveRequest& request) {
    if (request.active()) members_.push_back({index, &request});
  });
}

void Completion::wait() {
  for (const Member& member : members_) member.request->wait();
}

void Completion::look() {
  if (in_order_.empty()) put_in_order();
  const void* stuck = nullptr;
  for (CollectiveRequest* request : in_order_)
    if (request->queue() != stuck && !request->look()) stuck = request->queue();
}

// What has not ended, by queues and in the order of their beginning: behind one that goes on nothing has ended.
void Completion::put_in_order() {
  for (const Member& member : members_)
    if (!member.request->ended()) in_order_.push_back(member.request);
  const auto before = [](const CollectiveRequest* a, const CollectiveRequest* b) {
    return a->queue() == b->queue() ? a->began_before(*b) : std::less<>()(a->queue(), b->queue());
  };
  if (!std::is_sorted(in_order_.begin(), in_order_.end(), before)) std::sort(in_order_.begin(), in_order_.end(), before);
}

void Completion::offer(bool to_mpi) {
  for (const Member& member : members_)
    if (member.request != nullptr && member.request->ended()) member.request->offer(to_mpi);
}

Completion::Member* Completion::find(int index) {
  const auto found = std::lower_bound(members_.begin(), members_.end(), index,
                                      [](const Member& member, int wanted) { return member.index < wanted; });
  return found == members_.end() || found->index != index ? nullptr : &*found;
}

bool Completion::ended(int index) {
  const Member* const member = find(index);
  return member != nullptr && member->request->ended();
}

void Completion::hand_out(int index, MPI_Status* status) {
  Member* const member = find(index);
  if (member != nullptr) hand_out(*member, status);
}

void Completion::hand_out(Member& member, MPI_Status* status) {
  CollectiveRequest& request = *member.request;
  member.request = nullptr;
  clean(status);
  if (const int code = request.hand_out(); code != MPI_SUCCESS)
    failures_.push_back({request.outcome_communicator(), code, status});
  if (!request.persistent()) RequestTable::of_process().remove(request);
}

void Completion::hand_out_all(int code, const MPI_Request handles[], MPI_Status statuses[]) {
  for (Member& member : members_) {
    MPI_Status* const status = status_at(statuses, member.index);
    // Beside requests that failed the MPI may have left some of ours as they were.
    const bool left = member.request->persistent() ? status != nullptr && status->MPI_ERROR == MPI_ERR_PENDING
                                                   : handles[member.index] != MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS || !left) hand_out(member, status);
  }
}

int Completion::outcome(int code) const {
  return failures_.empty() ? code : report_code(failures_.front().comm, failures_.front().code);
}

int Completion::outcome(int code, int count, MPI_Status statuses[]) const {
  if (failures_.empty()) return code;
  if (code == MPI_SUCCESS && statuses != MPI_STATUSES_IGNORE)
    std::for_each(statuses, statuses + count, [](MPI_Status& status) { status.MPI_ERROR = MPI_SUCCESS; });
  for (const Failure& failure : failures_)
    if (failure.status != nullptr) failure.status->MPI_ERROR = failure.code;
  // Where requests of the MPI failed too, their error handler has been told already.
  if (code != MPI_SUCCESS) return code;
  const Failure& first = failures_.front();
  // A handler that ends the program shall say why.
  return report_code(first.comm, ends_program(first.comm) ? first.code : MPI_ERR_IN_STATUS);
}

}  // namespace xylem::preload
