// Which Xylem communicator belongs to which MPI communicator.
//
// An entry is made in the call that makes the MPI communicator, or by the first collective on it where that call does not let
// all ranks meet (idup); both are collective over it. A communicator that the program got by no function of MPI that we know
// has none, and is the MPI's: asking whether such a handle is one would call the program's error handler. An entry ends with
// the MPI communicator: in the call that frees it (Ending), or, where the MPI does so itself, by an attribute that dups do
// not inherit, whose callback we are. While operations are under way on a communicator that is freed, an MPI may keep it and
// call the program's callbacks later, in any call: then its entry stays as it is, for these callbacks, until the MPI gives
// the handle to another one (is_made()). All functions may be called by any thread, the collective ones as MPI allows
// collectives on one communicator.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "backend/mpi_functions.hpp"
#include "backend/reason.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {

// A value that is the handle of no communicator, nor MPI_COMM_NULL.
inline MPI_Comm no_handle() { return (MPI_Comm)(std::intptr_t)-1; }  // NOLINT(performance-no-int-to-ptr)

// Entries are used again for other communicators but never given back to the system: find() may look at one that another
// thread is just ending, and sees by `mpi` that it is not meant.
struct Communicator {
  std::atomic<MPI_Comm> mpi;     // no_handle() while unused
  xylem_comm_t xylem = nullptr;  // null: calls are handed down
  // Keeps `xylem` alive. Requests hold it too, for the program may free the MPI communicator before it completes them.
  std::shared_ptr<xylem_comm> keeper;
  Reason reason = Reason::none;  // why, where they are
  int rank = 0;
  int size = 0;
};

// From now on communicators are made ready; called once, in MPI_Init. Collective over MPI_COMM_WORLD.
void start_communicators();

// Ends all of them, and leaves all that come to the MPI. Called in MPI_Finalize.
void stop_communicators();

// Makes an entry for a communicator that has just been made. Collective over it.
void make_ready(MPI_Comm comm);

// The same where all ranks of `parent` are in the call that made it, by splitting the parent's Xylem communicator: much
// cheaper than meeting anew. Collective over the parent; on a rank that the new communicator leaves out it is MPI_COMM_NULL.
void make_ready_from(const Communicator& known_parent, MPI_Comm parent, MPI_Comm comm);

// To be called of every communicator that has just been made: one of that handle that the program has freed is no more.
void is_made(MPI_Comm comm);

// Another Xylem communicator of the same ranks, with its own order of calls. Collective over it; null on all ranks where it
// cannot be had.
std::shared_ptr<xylem_comm> another(const Communicator& comm);

// Around the call that frees a communicator. From here on the entry is there for callbacks of the program only, whenever the
// MPI calls them and in whatever order, and is the same for them on all ranks: a communicator without one gets none there.
class Ending {
 public:
  explicit Ending(MPI_Comm comm);
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // The MPI has not freed it.
  void refused();

 private:
  MPI_Comm comm_;
};

namespace detail {

// A few recently used entries by a hash of the handle. The rest are in a map behind a lock.
inline constinit std::array<std::atomic<Communicator*>, 256> recent{};

inline std::atomic<Communicator*>& recent_slot(MPI_Comm comm) {
  const auto bits = static_cast<std::uint64_t>((std::uintptr_t)comm);  // an integer or a pointer
  return recent[(bits * 0x9e3779b97f4a7c15u) >> 56];
}

Communicator& find_or_make(MPI_Comm comm);
Communicator& find_ready(MPI_Comm comm);

// The entry if it was used recently, else null. Null also within the MPI.
inline Communicator* find_recent(MPI_Comm comm) {
  if (InsideMpi::here()) return nullptr;
  Communicator* const entry = recent_slot(comm).load(std::memory_order_acquire);
  return entry != nullptr && entry->mpi.load(std::memory_order_acquire) == comm ? entry : nullptr;
}

}  // namespace detail

// The entry of a communicator on which a collective is called. Collective over it where it has none yet. Where the
// call must be handed down (also for MPI_COMM_NULL and handles that are none), the entry's `xylem` is null.
inline Communicator& find(MPI_Comm comm) {
  Communicator* const entry = detail::find_recent(comm);
  return entry != nullptr ? *entry : detail::find_or_make(comm);
}

// The same for a nonblocking call, which must not wait for other ranks: a communicator of several ranks without an entry is
// not made ready, on no rank. Its first blocking collective does that.
inline Communicator& find_ready(MPI_Comm comm) {
  Communicator* const entry = detail::find_recent(comm);
  return entry != nullptr ? *entry : detail::find_ready(comm);
}

}  // namespace xylem::preload
