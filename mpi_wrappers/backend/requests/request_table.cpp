#include "backend/requests/request_table.hpp"

namespace xylem::preload {

RequestTable& RequestTable::of_process() {
  static RequestTable& it = *new RequestTable;
  return it;
}

void RequestTable::insert(std::unique_ptr<CollectiveRequest> request) {
  const std::lock_guard lock(mutex_);
  MPI_Request handle = request->handle();
  by_handle_[handle] = request.release();
  alive.fetch_add(1, std::memory_order_relaxed);
}

CollectiveRequest* RequestTable::find_locked(MPI_Request handle) const {
  const auto found = by_handle_.find(handle);
  return found == by_handle_.end() || found->second->offered() ? nullptr : found->second;
}

CollectiveRequest* RequestTable::find(MPI_Request handle) const {
  const std::lock_guard lock(mutex_);
  return find_locked(handle);
}

std::unique_ptr<CollectiveRequest> RequestTable::remove(CollectiveRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto found = by_handle_.find(request.handle());
  if (found != by_handle_.end() && found->second == &request) by_handle_.erase(found);
  alive.fetch_sub(1, std::memory_order_relaxed);
  return std::unique_ptr<CollectiveRequest>(&request);
}

void RequestTable::abandon_all() {
  std::unordered_map<MPI_Request, CollectiveRequest*> left;
  {
    const std::lock_guard lock(mutex_);
    left.swap(by_handle_);
    alive = 0;
  }
  for (const auto& [handle, request] : left)
    if (request->abandon()) delete request;
}

}  // namespace xylem::preload
