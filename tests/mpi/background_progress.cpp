// Correct programs in which a nonblocking collective must go on while its owner is elsewhere: blocked in the MPI, computing,
// or looking for a message; and in which a rank that waits for a collective must look after somebody else's message.
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

constexpr int elements = 100000;
constexpr int rendezvous = 8 << 20;  // bytes; in every MPI too large to be sent before the receiver asks for it
constexpr int tag = 6;

struct World {
  int rank;
  int size;
  bool first() const { return rank == 0; }
  bool last() const { return rank == size - 1; }
};

// A large sum over all ranks.
class Sum {
 public:
  explicit Sum(World world) : in_(elements, world.rank), out_(elements, -1), wanted_(world.size * (world.size - 1) / 2) {}
  void start(MPI_Comm comm) { MPI_Iallreduce(in_.data(), out_.data(), elements, MPI_INT, MPI_SUM, comm, &request_); }
  MPI_Request* request() { return &request_; }
  void finish(const char* where, Verdict& verdict) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    verdict.check(out_ == std::vector<int>(elements, wanted_), [&] { return std::string(where) + ": wrong sum"; });
  }

 private:
  std::vector<int> in_, out_;
  int wanted_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

void send_token(int to) { MPI_Send(&to, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }
void receive_token(int from) {
  int token = 0;
  MPI_Recv(&token, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Rank 0 sits in MPI_Recv for a message that the others send only when they have the result, to which it has contributed.
void owner_in_recv(World world, Verdict& verdict) {
  Sum sum(world);
  sum.start(MPI_COMM_WORLD);
  if (world.first())
    for (int from = 1; from < world.size; ++from) receive_token(from);
  sum.finish("owner in MPI_Recv", verdict);
  if (!world.first()) send_token(0);
}

// The root has left its broadcast and sits in MPI_Recv, for a message that is sent only after the others have the data; or it
// sits there while the broadcast is under way.
void root_in_recv(World world, Verdict& verdict) {
  for (const bool leaves_first : {true, false}) {
    for (const int count : {1, elements}) {
      std::vector<int> data(static_cast<std::size_t>(count), world.first() ? count : -1);
      MPI_Request request = MPI_REQUEST_NULL;
      if (!world.first()) usleep(5000);
      MPI_Ibcast(data.data(), count, MPI_INT, 0, MPI_COMM_WORLD, &request);
      if (leaves_first || !world.first()) MPI_Wait(&request, MPI_STATUS_IGNORE);
      verdict.check(data.front() == count && data.back() == count, [] { return "root in MPI_Recv: wrong data"; });
      for (int from = 1; world.first() && from < world.size; ++from) receive_token(from);
      if (!world.first()) send_token(0);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

// Rank 0 looks by MPI_Iprobe for a message that is sent when the sender has the result.
void owner_probes(World world, Verdict& verdict) {
  Sum sum(world);
  sum.start(MPI_COMM_WORLD);
  if (world.first() && world.size > 1) {
    for (int found = 0; found == 0;) MPI_Iprobe(world.size - 1, tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    receive_token(world.size - 1);
  }
  sum.finish("owner probes", verdict);
  if (!world.first() && world.last()) send_token(0);
}

// Rank 0 calls no MPI function until the others have the result. They tell it through memory that they share.
void owner_computes(World world, Verdict& verdict) {
  int* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  std::atomic_ref<int>(*memory).store(0);
  MPI_Barrier(MPI_COMM_WORLD);
  Sum sum(world);
  sum.start(MPI_COMM_WORLD);
  if (world.first() && world.size > 1) {
    MPI_Aint bytes = 0;
    int unit = 0;
    int* theirs = nullptr;
    MPI_Win_shared_query(window, world.size - 1, &bytes, &unit, &theirs);
    while (std::atomic_ref<int>(*theirs).load() == 0) usleep(1000);
  }
  sum.finish("owner computes", verdict);
  std::atomic_ref<int>(*memory).store(1);
  MPI_Win_free(&window);
}

// A synchronous send on either side of a barrier, and of a nonblocking one.
void synchronous_sends(World world, Verdict& verdict) {
  const int next = (world.rank + 1) % world.size, previous = (world.rank + world.size - 1) % world.size;
  for (const bool blocking : {true, false}) {
    int received = -1;
    MPI_Request send = MPI_REQUEST_NULL, barrier = MPI_REQUEST_NULL;
    MPI_Issend(&world.rank, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &send);
    if (blocking)
      MPI_Barrier(MPI_COMM_WORLD);
    else
      MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    MPI_Recv(&received, 1, MPI_INT, previous, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    verdict.check(received == previous, [] { return "synchronous send: wrong message"; });
  }
}

// Rank 0 has started a large message before the collective, and waits for the latter first.
void message_of_waiting_rank(World world, Verdict& verdict) {
  std::vector<char> message(rendezvous, static_cast<char>(world.rank + 1));
  MPI_Request send = MPI_REQUEST_NULL;
  Sum sum(world);
  if (world.first()) MPI_Isend(message.data(), rendezvous, MPI_CHAR, world.size - 1, tag, MPI_COMM_WORLD, &send);
  if (!world.last()) sum.start(MPI_COMM_WORLD);
  if (world.last()) {
    std::vector<char> received(rendezvous);
    if (world.first()) {  // to itself: the send needs its receive
      MPI_Request receive = MPI_REQUEST_NULL;
      MPI_Irecv(received.data(), rendezvous, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &receive);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    } else {
      usleep(50000);
      MPI_Recv(received.data(), rendezvous, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    verdict.check(received.front() == 1 && received.back() == 1, [] { return "the large message is wrong"; });
    sum.start(MPI_COMM_WORLD);
  }
  sum.finish("message of a waiting rank", verdict);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

// The last rank puts data into the memory of rank 0, which waits for a collective that the last rank joins afterwards.
void target_waits(World world, Verdict& verdict) {
  if (world.size == 1) return;  // Open MPI has no windows of memory of the program for one rank
  std::vector<int> memory(1000, -1), data(1000, 5);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory.data(), 1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  Sum sum(world);
  if (!world.last()) sum.start(MPI_COMM_WORLD);
  if (world.last()) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(data.data(), 1000, MPI_INT, 0, 0, 1000, MPI_INT, window);
    MPI_Win_unlock(0, window);
    sum.start(MPI_COMM_WORLD);
  }
  sum.finish("target waits", verdict);
  MPI_Win_free(&window);
  verdict.check(!world.first() || memory == data, [] { return "target waits: wrong data"; });
}

// Ranks start two collectives in different orders, and each waits first for the one that it has started first.
void different_orders(World world, Verdict& verdict) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  Sum one(world), two(world);
  const bool swapped = world.rank % 2 != 0;
  (swapped ? two : one).start(swapped ? other : MPI_COMM_WORLD);
  (swapped ? one : two).start(swapped ? MPI_COMM_WORLD : other);
  (swapped ? two : one).finish("different orders, first", verdict);
  (swapped ? one : two).finish("different orders, second", verdict);
  MPI_Comm_free(&other);
}

// MPI_Comm_idup makes a communicator where Xylem cannot see it ready. Its first collective is a nonblocking one, which must
// not wait for the ranks that come later; then a blocking one, and a nonblocking one again.
void unseen_communicator(World world, Verdict& verdict) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request made = MPI_REQUEST_NULL, barrier = MPI_REQUEST_NULL;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &made);
  MPI_Wait(&made, MPI_STATUS_IGNORE);
  if (!world.last()) MPI_Ibarrier(comm, &barrier);
  if (world.first() && !world.last()) send_token(world.size - 1);
  if (world.last()) {
    if (!world.first()) receive_token(0);
    MPI_Ibarrier(comm, &barrier);
  }
  MPI_Wait(&barrier, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  Sum sum(world);
  sum.start(comm);
  sum.finish("unseen communicator", verdict);
  MPI_Comm_free(&comm);
}

// Rank 0 computes, and looks after the collective now and then.
void owner_tests(World world, Verdict& verdict) {
  Sum sum(world);
  sum.start(MPI_COMM_WORLD);
  if (world.first()) {
    volatile double work = 1;
    for (int done = 0; done == 0;) {
      for (int i = 0; i < 10000; ++i) work = work * 1.0000001;
      MPI_Test(sum.request(), &done, MPI_STATUS_IGNORE);
    }
  }
  sum.finish("owner tests", verdict);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world{};
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  Verdict verdict;
  for (int i = 0; i < 3; ++i) {
    owner_in_recv(world, verdict);
    root_in_recv(world, verdict);
    owner_probes(world, verdict);
    owner_computes(world, verdict);
    owner_tests(world, verdict);
    synchronous_sends(world, verdict);
    message_of_waiting_rank(world, verdict);
    target_waits(world, verdict);
    different_orders(world, verdict);
    unseen_communicator(world, verdict);
  }
  const int code = verdict.finish("background_progress");
  MPI_Finalize();
  return code;
}
