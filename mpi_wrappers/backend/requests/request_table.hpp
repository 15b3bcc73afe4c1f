// The collective requests that are alive, by their MPI handles. Any thread.
//
// While the MPI completes a request, another thread may be given the same handle for a request of its own before we learn of
// the completion. So a request which is being completed (offered()) is not found, and may be displaced by a newer one.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "backend/requests/collective_request.hpp"

namespace xylem::preload {

class RequestTable {
 public:
  // Never destroyed.
  static RequestTable& of_process();

  // Nothing is alive. One load.
  static bool empty() { return alive.load(std::memory_order_relaxed) == 0; }

  void insert(std::unique_ptr<CollectiveRequest> request);

  // Null: not one of ours.
  CollectiveRequest* find(MPI_Request handle) const;

  // Calls visit(index, request) for those of ours in an array.
  template <class Visit>
  void find_all(int count, const MPI_Request handles[], Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < count; ++i)
      if (CollectiveRequest* const found = find_locked(handles[i])) visit(i, *found);
  }

  std::unique_ptr<CollectiveRequest> remove(CollectiveRequest& request);

  // Ends in MPI_Finalize, whatever is alive.
  void abandon_all();

 private:
  CollectiveRequest* find_locked(MPI_Request handle) const;

  static inline constinit std::atomic<std::size_t> alive{0};
  mutable std::mutex mutex_;
  std::unordered_map<MPI_Request, CollectiveRequest*> by_handle_;  // owns them
};

}  // namespace xylem::preload
