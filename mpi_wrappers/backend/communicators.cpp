#include "backend/communicators.hpp"

#include <climits>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backend/groups.hpp"
#include "backend/own_communicators.hpp"
#include "base/log.hpp"

namespace xylem::preload {
namespace {

// A communicator that the program frees or has freed.
struct Freed {
  Communicator* entry;   // not_ready: it had none
  const Ending* by;      // as long as the call that frees it has not returned
  bool deleted = false;  // the MPI calls the callbacks, and has called ours
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<MPI_Comm, Communicator*> by_handle;
  std::unordered_set<MPI_Comm> without_entry;  // communicators that have been made and get one in their first collective
  std::unordered_map<MPI_Comm, Freed> freed;  // others than these, though the MPI may give out the same handle before we know
  std::deque<Communicator> entries;
  std::vector<Communicator*> unused;
};

// Never destroyed: a program may finalize MPI from a destructor that runs after those of this library.
Registry& registry() {
  static Registry& it = *new Registry;
  return it;
}

std::atomic<bool> running{false};
int keyval = MPI_KEYVAL_INVALID;  // of the attribute by which we learn that a communicator ends

// What calls are told that have no communicator of their own to hand down for.
Communicator not_running{no_handle(), nullptr, nullptr, Reason::not_running};
Communicator inside_mpi{no_handle(), nullptr, nullptr, Reason::inside_mpi};
Communicator null_handle{no_handle(), nullptr, nullptr, Reason::bad_argument};
Communicator unknown{no_handle(), nullptr, nullptr, Reason::unknown};
Communicator not_ready{no_handle(), nullptr, nullptr, Reason::not_ready};

int allgather_bytes(const void* send, void* recv, std::size_t bytes, void* context) {
  if (bytes > INT_MAX) return 1;
  MPI_Comm comm = static_cast<Communicator*>(context)->mpi.load(std::memory_order_relaxed);
  const int count = static_cast<int>(bytes);
  return call_mpi(comm, real().Allgather, send, count, MPI_BYTE, recv, count, MPI_BYTE, comm) == MPI_SUCCESS ? 0 : 1;
}

void progress(void*) {
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_communicators().world, &found, MPI_STATUS_IGNORE);
}

// The processes of another MPI_COMM_WORLD (spawned or connected) need not have this library.
bool all_in_this_world(MPI_Comm comm) {
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  const bool all = lies_within_group_of(group, MPI_COMM_WORLD);
  PMPI_Group_free(&group);
  return all;
}

// Asks the MPI about the communicator of an entry.
void describe(Communicator& entry) {
  MPI_Comm comm = entry.mpi.load(std::memory_order_relaxed);
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &entry.rank);
  PMPI_Comm_size(comm, &entry.size);
  entry.xylem = nullptr;
  entry.reason = is_inter != 0 ? Reason::intercommunicator : Reason::none;
}

// What went wrong, without "xylem_comm_create: rank 2 on node7: " before it.
std::string reason_in(const std::string& failure) {
  const std::size_t rank = failure.find(": rank ");
  const std::size_t end = rank == std::string::npos ? rank : failure.find(": ", rank + 1);
  return end == std::string::npos ? failure : failure.substr(end + 2);
}

// All ranks of a communicator come to the same status. A wrong setting is wrong for all communicators of a job: it is told of
// the first.
void accept(Communicator& entry, xylem_status status, xylem_comm_t made) {
  entry.xylem = made;
  entry.keeper = {made, xylem_comm_destroy};
  if (status == XYLEM_SUCCESS) return;
  entry.reason = Reason::not_connected;
  const std::string failure = xylem_last_error();
  if (log::is_news(reason_in(failure)) && entry.rank == 0)
    log::warn("a communicator's collectives are left to the MPI: " + failure);
}

// Connects the ranks of a communicator that share nothing yet. Collective over it.
void connect(Communicator& entry) {
  describe(entry);
  if (entry.reason != Reason::none) return;
  if (!all_in_this_world(entry.mpi.load(std::memory_order_relaxed))) {
    entry.reason = Reason::foreign_processes;
    return;
  }
  const xylem_bootstrap bootstrap = {entry.rank, entry.size, allgather_bytes, progress, &entry};
  xylem_comm_t made = nullptr;
  const xylem_status status = xylem_comm_create(&made, &bootstrap);
  accept(entry, status, made);
}

// The rank in `parent` of the first rank of `comm`: no other communicator made in the same call has it.
int first_parent_rank(MPI_Comm parent, MPI_Comm comm) {
  MPI_Group parent_group;
  MPI_Group group;
  PMPI_Comm_group(parent, &parent_group);
  PMPI_Comm_group(comm, &group);
  const int first = 0;
  int parent_rank = 0;
  PMPI_Group_translate_ranks(group, 1, &first, parent_group, &parent_rank);
  PMPI_Group_free(&parent_group);
  PMPI_Group_free(&group);
  return parent_rank;
}

Communicator& unused_entry(Registry& r) {
  if (r.unused.empty()) return r.entries.emplace_back();
  Communicator& entry = *r.unused.back();
  r.unused.pop_back();
  return entry;
}

// Makes it known to all threads.
void list(Communicator& entry) {
  MPI_Comm comm = entry.mpi.load(std::memory_order_relaxed);
  const std::lock_guard lock(registry().mutex);
  registry().by_handle[comm] = &entry;
  registry().without_entry.erase(comm);
  detail::recent_slot(comm).store(&entry, std::memory_order_release);
}

// It gets an entry in its first collective.
void note_without_entry(MPI_Comm comm) {
  const std::lock_guard lock(registry().mutex);
  if (!registry().by_handle.contains(comm)) registry().without_entry.insert(comm);
}

// The opposite. Whether that was so.
bool forget_without_entry(MPI_Comm comm) {
  const std::lock_guard lock(registry().mutex);
  return registry().without_entry.erase(comm) != 0;
}

// The opposite of list(). Null: it was not known.
Communicator* take_off_list(MPI_Comm comm) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().by_handle.find(comm);
  if (found == registry().by_handle.end()) return nullptr;
  Communicator* const entry = found->second;
  registry().by_handle.erase(found);
  Communicator* recent = entry;
  detail::recent_slot(comm).compare_exchange_strong(recent, nullptr);
  return entry;
}

// An entry for `comm`, which `fill` connects. Not under the lock: other threads make other communicators meanwhile, and ranks
// may come to them in different orders.
template <class Fill>
Communicator& make(MPI_Comm comm, Fill&& fill) {
  Communicator* entry = nullptr;
  {
    const std::lock_guard lock(registry().mutex);
    entry = &unused_entry(registry());
  }
  entry->mpi.store(comm, std::memory_order_relaxed);
  fill(*entry);
  PMPI_Comm_set_attr(comm, keyval, entry);
  list(*entry);
  return *entry;
}

// The caller has taken it off the list.
void end(Communicator& entry) {
  std::shared_ptr<xylem_comm> ended;  // not under the lock, if it ends now
  const std::lock_guard lock(registry().mutex);
  entry.mpi.store(no_handle(), std::memory_order_release);
  entry.xylem = nullptr;
  ended = std::move(entry.keeper);
  registry().unused.push_back(&entry);
}

// Null: it gets an entry in its first collective.
Communicator* find_known(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return &null_handle;
  if (!running.load(std::memory_order_acquire)) return &not_running;
  const std::lock_guard lock(registry().mutex);
  if (const auto freed = registry().freed.find(comm); freed != registry().freed.end()) return freed->second.entry;
  const auto found = registry().by_handle.find(comm);
  if (found == registry().by_handle.end()) {
    if (InsideMpi::here()) return &inside_mpi;
    return registry().without_entry.contains(comm) ? nullptr : &unknown;
  }
  if (InsideMpi::of(comm)) return &inside_mpi;
  detail::recent_slot(comm).store(found->second, std::memory_order_release);
  return found->second;
}

// Callbacks of the program may come after this one.
int on_delete(MPI_Comm comm, int, void*, void*) {
  if (!running.load(std::memory_order_relaxed)) return MPI_SUCCESS;
  if (Communicator* const entry = take_off_list(comm)) {
    end(*entry);
    return MPI_SUCCESS;
  }
  const std::lock_guard lock(registry().mutex);
  if (const auto freed = registry().freed.find(comm); freed != registry().freed.end()) {
    freed->second.deleted = true;
    freed->second.entry->mpi.store(no_handle(), std::memory_order_release);
  }
  return MPI_SUCCESS;
}

// Takes a communicator that the program frees or has freed off the list of these, if `which` says so of it. Null: it had no
// entry, or stays.
template <class Which>
Communicator* take_freed(MPI_Comm comm, Which which) {
  const std::lock_guard lock(registry().mutex);
  const auto freed = registry().freed.find(comm);
  if (freed == registry().freed.end() || !which(freed->second)) return nullptr;
  Communicator* const entry = freed->second.entry;
  registry().freed.erase(freed);
  return entry == &not_ready ? nullptr : entry;
}

bool whichever(const Freed&) { return true; }

}  // namespace

void start_communicators() {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, nullptr);
  running.store(true, std::memory_order_release);
  note_without_entry(MPI_COMM_SELF);
  make_ready(MPI_COMM_WORLD);
}

void stop_communicators() {
  running.store(false, std::memory_order_release);
  std::vector<std::shared_ptr<xylem_comm>> ended;  // not under the lock
  const std::lock_guard lock(registry().mutex);
  for (const auto& [handle, entry] : registry().by_handle) {
    entry->mpi.store(no_handle(), std::memory_order_release);
    entry->xylem = nullptr;
    ended.push_back(std::move(entry->keeper));
  }
  registry().by_handle.clear();
  for (const auto& [handle, freed] : registry().freed) ended.push_back(std::move(freed.entry->keeper));
  registry().freed.clear();
}

void make_ready(MPI_Comm comm) {
  if (running.load(std::memory_order_acquire) && !InsideMpi::here()) make(comm, connect);
}

void make_ready_from(const Communicator& known_parent, MPI_Comm parent, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    xylem_comm_t none = nullptr;
    xylem_comm_split(known_parent.xylem, -1, 0, &none);
    return;
  }
  make(comm, [&](Communicator& entry) {
    describe(entry);
    xylem_comm_t made = nullptr;
    const xylem_status status = xylem_comm_split(known_parent.xylem, first_parent_rank(parent, comm), entry.rank, &made);
    accept(entry, status, made);
  });
}

void is_made(MPI_Comm comm) {
  if (Communicator* const entry = take_freed(comm, whichever)) end(*entry);
  note_without_entry(comm);
}

Ending::Ending(MPI_Comm comm) : comm_(comm) {
  if (!running.load(std::memory_order_acquire)) return;
  Communicator* entry = take_off_list(comm);
  if (entry == nullptr) {
    if (!forget_without_entry(comm)) return;
    PMPI_Comm_set_attr(comm, keyval, nullptr);
    entry = &not_ready;
  }
  const std::lock_guard lock(registry().mutex);
  registry().freed[comm] = {entry, this};
}

Ending::~Ending() {
  Communicator* const entry = take_freed(comm_, [&](Freed& freed) {
    if (freed.by != this) return false;
    freed.by = nullptr;
    return freed.deleted;
  });
  if (entry != nullptr) end(*entry);
}

void Ending::refused() {
  if (Communicator* const entry = take_freed(comm_, whichever)) {
    list(*entry);
    return;
  }
  note_without_entry(comm_);
}

std::shared_ptr<xylem_comm> another(const Communicator& comm) {
  xylem_comm_t made = nullptr;
  if (xylem_comm_split(comm.xylem, 0, comm.rank, &made) != XYLEM_SUCCESS) return nullptr;
  return {made, xylem_comm_destroy};
}

Communicator& detail::find_or_make(MPI_Comm comm) {
  Communicator* const known = find_known(comm);
  return known != nullptr ? *known : make(comm, connect);
}

Communicator& detail::find_ready(MPI_Comm comm) {
  if (Communicator* const known = find_known(comm)) return *known;
  // Neither one rank alone nor one that leaves all to the MPI waits for others.
  int size = 0, is_inter = 0;
  PMPI_Comm_size(comm, &size);
  PMPI_Comm_test_inter(comm, &is_inter);
  return size == 1 || is_inter != 0 ? make(comm, connect) : not_ready;
}

}  // namespace xylem::preload
