// Ranks disagree about a nonblocking collective. The error comes out of the call that completes the request, through the
// error handler of its communicator, and beside it other requests complete as ever. And where a rank cannot make its call, in
// whatever form, the others do not wait for it.
#include <malloc.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

using namespace xylem::test;

namespace {

int handler_calls = 0;
int handler_class = MPI_SUCCESS;

void on_error(MPI_Comm*, int* code, ...) {
  ++handler_calls;
  MPI_Error_class(*code, &handler_class);
}

// An allreduce of other lengths on other ranks, and a message round the ring.
class Disagreement {
 public:
  Disagreement(int rank, int size) : previous_((rank + size - 1) % size), in_(10, 1), out_(10) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm_, handler);
    MPI_Errhandler_free(&handler);
    handler_calls = 0;
    sent_ = rank;
    MPI_Irecv(&received_, 1, MPI_INT, previous_, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(in_.data(), out_.data(), rank == 0 ? 1 : 10, MPI_INT, MPI_SUM, comm_, &requests[1]);
    MPI_Isend(&sent_, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[2]);
  }
  ~Disagreement() { MPI_Comm_free(&comm_); }

  void check(const char* form, bool good, int wanted_class, Verdict& verdict) const {
    const bool nulls = requests == std::array<MPI_Request, 3>{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    const bool told = handler_calls == 1 && (wanted_class == MPI_SUCCESS || handler_class == wanted_class);
    verdict.check(good && nulls && told && received_ == previous_, [&] {
      return std::string(form) + ": statuses " + (good ? "good" : "wrong") + ", handles " + (nulls ? "null" : "not null") +
             ", handler called " + std::to_string(handler_calls) + " times with class " + std::to_string(handler_class);
    });
  }

  std::array<MPI_Request, 3> requests{};

 private:
  int previous_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<int> in_, out_;
  int sent_ = -1, received_ = -1;
};

bool statuses_tell(const std::array<MPI_Status, 3>& statuses) {
  return statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR != MPI_SUCCESS && statuses[2].MPI_ERROR == MPI_SUCCESS;
}

// As long as it lives, the process can have so many bytes more than it has.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
    less.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + bytes;
    setrlimit(RLIMIT_AS, &less);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

constexpr int kCount = 4 << 20;
constexpr std::size_t kBytes = kCount * sizeof(int);

// `call` is made twice, the first time without enough memory on rank 1: it runs on `comm`, or on what is made of it.
template <class Call>
void out_of_memory(const char* what, int rank, std::size_t memory, MPI_Comm comm, Call call, Verdict& verdict) {
  int error_class = MPI_SUCCESS;
  {
    std::optional<MemoryLimit> limit;
    if (rank == 1) limit.emplace(memory);
    MPI_Error_class(call(comm), &error_class);
  }
  const int wanted = rank == 1 ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
  verdict.check(error_class == wanted, [&] { return std::string(what) + ": class " + std::to_string(error_class); });
  verdict.check(call(comm) != MPI_SUCCESS, [&] { return std::string(what) + ": another call passes"; });
}

void too_little_memory(int rank, Verdict& verdict) {
  std::vector<int> in(kCount), out(kCount);
  // Rank 1 needs memory to pack what it sends.
  MPI_Datatype type = MPI_INT;
  if (rank == 1) {
    MPI_Type_create_resized(MPI_INT, 0, 0, &type);
    MPI_Type_commit(&type);
  }
  MPI_Op op;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  std::array<MPI_Comm, 4> comms{};
  for (MPI_Comm& comm : comms) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  constexpr std::size_t kLess = kBytes / 2;
  const auto blocking = [&](MPI_Comm comm) { return MPI_Bcast(in.data(), kCount, type, 1, comm); };
  const auto nonblocking = [&](MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(in.data(), kCount, type, 1, comm, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  MPI_Request again = MPI_REQUEST_NULL;
  XYLEM_MPI_INIT(Bcast)(in.data(), kCount, type, 1, comms[2], MPI_INFO_NULL, &again);
  const auto persistent = [&](MPI_Comm) {
    MPI_Start(&again);
    return MPI_Wait(&again, MPI_STATUS_IGNORE);
  };
  // Between the two exchanges of a long vector: the first one has memory.
  const auto by_program = [&](MPI_Comm comm) { return MPI_Allreduce(in.data(), out.data(), kCount, MPI_INT, op, comm); };
  out_of_memory("bcast", rank, kLess, comms[0], blocking, verdict);
  out_of_memory("ibcast", rank, kLess, comms[1], nonblocking, verdict);
  out_of_memory("bcast_init", rank, kLess, comms[2], persistent, verdict);
  out_of_memory("allreduce by the program", rank, kBytes + kLess, comms[3], by_program, verdict);
  MPI_Request_free(&again);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Op_free(&op);
  if (rank == 1) MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  // What is freed goes back to the system, and is not there for the next call. And no heap that a thread leaves behind is.
  mallopt(M_MMAP_THRESHOLD, kBytes / 4);
  mallopt(M_ARENA_MAX, 1);
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Verdict verdict;
  std::array<MPI_Status, 3> statuses{};
  {
    Disagreement d(rank, size);
    const bool failed = MPI_Waitall(3, d.requests.data(), statuses.data()) == MPI_ERR_IN_STATUS;
    d.check("waitall", failed && statuses_tell(statuses), MPI_ERR_IN_STATUS, verdict);
  }
  {
    Disagreement d(rank, size);
    int flag = 0, code = MPI_SUCCESS;
    while (flag == 0 && code == MPI_SUCCESS) code = MPI_Testall(3, d.requests.data(), &flag, statuses.data());
    d.check("testall", code == MPI_ERR_IN_STATUS && statuses_tell(statuses), MPI_ERR_IN_STATUS, verdict);
  }
  {
    Disagreement d(rank, size);
    bool good = true;
    for (;;) {
      int completed = 0;
      std::array<int, 3> indices{};
      const int code = MPI_Waitsome(3, d.requests.data(), &completed, indices.data(), statuses.data());
      if (completed == MPI_UNDEFINED) break;
      bool ours = false;
      for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) ours = ours || indices.at(i) == 1;
      good = good && (code == MPI_ERR_IN_STATUS) == ours;
      for (std::size_t i = 0; ours && i < static_cast<std::size_t>(completed); ++i)
        good = good && (statuses.at(i).MPI_ERROR != MPI_SUCCESS) == (indices.at(i) == 1);
    }
    d.check("waitsome", good, MPI_ERR_IN_STATUS, verdict);
  }
  {
    Disagreement d(rank, size);
    bool good = true;
    for (int left = 3; left != 0; --left) {
      int index = -1;
      const int code = MPI_Waitany(3, d.requests.data(), &index, MPI_STATUS_IGNORE);
      good = good && (code != MPI_SUCCESS) == (index == 1);
    }
    d.check("waitany", good, MPI_SUCCESS, verdict);
  }
  {
    Disagreement d(rank, size);
    const bool failed = MPI_Wait(&d.requests[1], MPI_STATUS_IGNORE) != MPI_SUCCESS;
    const bool others = MPI_Waitall(3, d.requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS;
    d.check("wait", failed && others, MPI_SUCCESS, verdict);
  }
  too_little_memory(rank, verdict);
  const int code = verdict.finish("failed_requests");
  MPI_Finalize();
  return code;
}
