// A real request of the MPI for a collective on Xylem, or for one that the MPI runs on copies of the program's buffers.
//
// The handle is that of an empty receive from this process itself, which nobody but this object ever sends: it does so once
// the collective has ended. So the program, and every function of the MPI, may treat it as any other request.
//
// Life of a nonblocking one: (post begin (look | wait)* hand_out); of a persistent one: post (begin (look | wait)*
// hand_out)*. One thread at a time, as MPI demands of who uses a request; only look() may be called by several.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "backend/communicators.hpp"
#include "backend/requests/operation.hpp"
#include "backend/requests/tag.hpp"

namespace xylem::preload {

class CollectiveRequest {
 public:
  enum class Kind { nonblocking, persistent };

  // `runs_on` is kept alive; null: the MPI runs it. The entry tells whose request it is.
  CollectiveRequest(std::unique_ptr<Operation> operation, const Communicator& entry, std::shared_ptr<xylem_comm> runs_on,
                    Kind kind);

  // Makes the MPI's request: active where it is nonblocking. Returns an MPI error code.
  int post();
  MPI_Request handle() const { return handle_; }
  bool persistent() const { return kind_ == Kind::persistent; }

  // Starts the collective; the MPI's request is active. Where that fails, it has ended.
  void begin();

  // No request of the process is active. One load.
  static bool none_active() { return active_count.load(std::memory_order_relaxed) == 0; }

  // Requests of one queue end in the order in which they began.
  bool began_before(const CollectiveRequest& other) const { return number_ < other.number_; }
  const void* queue() const { return keeper_ != nullptr ? static_cast<const void*>(keeper_.get()) : this; }

  // Between begin() and hand_out().
  bool active() const { return state_.load(std::memory_order_acquire) != State::inactive; }
  // The collective has ended, and the MPI will find its request complete.
  bool ended() const { return state_.load(std::memory_order_acquire) == State::ended; }

  // Goes on with the collective as far as it comes now. True: it has ended.
  bool look();
  // The same until it has ended; drives the MPI meanwhile.
  void wait();

  // The MPI has completed its request. Returns the error code that the collective came to.
  int hand_out();

  // Set while the MPI is completing it: should the handle be met elsewhere, it is another request's, or the MPI asks itself.
  void offer(bool to_mpi) { offered_.store(to_mpi, std::memory_order_relaxed); }
  bool offered() const { return offered_.load(std::memory_order_relaxed); }

  // Gives the MPI's request back, whatever came of the collective. False: it goes on, so this object must stay for ever.
  bool abandon();

  // Whose error handler is told; the communicator may have been freed.
  MPI_Comm error_communicator() const;
  // The same for what the collective came to: MPI_COMM_NULL if the MPI has told it already.
  MPI_Comm outcome_communicator() const { return keeper_ != nullptr ? error_communicator() : MPI_COMM_NULL; }

 private:
  enum class State : unsigned char { inactive, running, ended };

  void end(int outcome);

  const std::unique_ptr<Operation> operation_;
  const Communicator& entry_;
  MPI_Comm comm_;
  const std::shared_ptr<xylem_comm> keeper_;
  const Kind kind_;
  const Tag tag_;
  MPI_Request handle_ = MPI_REQUEST_NULL;

  static inline constinit std::atomic<std::uint64_t> begun{0};
  static inline constinit std::atomic<std::size_t> active_count{0};
  std::uint64_t number_ = 0;  // of those begun

  std::mutex looking_;
  int outcome_ = MPI_SUCCESS;
  std::atomic<State> state_{State::inactive};
  std::atomic<bool> offered_{false};
};

}  // namespace xylem::preload
