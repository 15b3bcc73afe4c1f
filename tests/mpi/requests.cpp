// Requests of nonblocking and persistent collectives, mixed with those of messages, null handles and inactive ones, in every
// call that completes requests or asks for their status; and those calls that start, free and cancel them.
#include <mpi.h>

#include <array>
#include <string>
#include <vector>

#include "support/persistent.hpp"
#include "support/verdict.hpp"

// Of MPI-4.1: the preload library has them where the MPI has not. Weak, so that the program can be linked.
extern "C" {
[[gnu::weak]] int MPI_Request_get_status_all(int, const MPI_Request[], int*, MPI_Status[]);
[[gnu::weak]] int MPI_Request_get_status_any(int, const MPI_Request[], int*, int*, MPI_Status*);
[[gnu::weak]] int MPI_Request_get_status_some(int, const MPI_Request[], int*, int[], MPI_Status[]);
}

using namespace xylem::test;

namespace {

constexpr int tag = 17;

struct World {
  int rank = 0;
  int size = 1;
  int next() const { return (rank + 1) % size; }
  int previous() const { return (rank + size - 1) % size; }
  int sum(int each) const { return size * (size - 1) / 2 + size * each; }
};

// One request of each kind, and what becomes of it.
class Mixture {
 public:
  enum Place { allreduce, receive, null, barrier, send, inactive, started, receive_again, count };

  Mixture(World world, MPI_Comm other, int round) : world_(world), round_(round), in_(3000), out_(3000, -1) {
    for (int& value : in_) value = world.rank + round;
    own_ = {world.rank * 100 + round, round};
    requests_.fill(MPI_REQUEST_NULL);
    XYLEM_MPI_INIT(Allreduce)(&own_[1], &started_sum_, 1, MPI_INT, MPI_SUM, other, MPI_INFO_NULL, &requests_[started]);
    XYLEM_MPI_INIT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &requests_[inactive]);
    MPI_Recv_init(&received_again_, 1, MPI_INT, world.previous(), tag + 1, MPI_COMM_WORLD, &requests_[receive_again]);
    std::array<MPI_Request, 2> both = {requests_[started], requests_[receive_again]};
    MPI_Iallreduce(in_.data(), out_.data(), 3000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests_[allreduce]);
    MPI_Irecv(&received_, 1, MPI_INT, world.previous(), tag, MPI_COMM_WORLD, &requests_[receive]);
    MPI_Startall(2, both.data());
    MPI_Ibarrier(other, &requests_[barrier]);
    MPI_Isend(own_.data(), 1, MPI_INT, world.next(), tag, MPI_COMM_WORLD, &requests_[send]);
    MPI_Send(own_.data(), 1, MPI_INT, world.next(), tag + 1, MPI_COMM_WORLD);
  }

  ~Mixture() {
    for (const Place place : {inactive, started, receive_again}) MPI_Request_free(&requests_[place]);
  }

  MPI_Request* requests() { return requests_.data(); }

  // The calls have said that `place` is complete, with this status.
  void done(int place, const MPI_Status& status) {
    done_.at(static_cast<std::size_t>(place))++;
    int elements = -1, cancelled = -1;
    MPI_Get_count(&status, MPI_INT, &elements);
    MPI_Test_cancelled(&status, &cancelled);
    const bool message = place == receive || place == receive_again;
    if (place != send && elements != (message ? 1 : 0)) wrong_ += "count ";
    if (cancelled != 0) wrong_ += "cancelled ";
    if (message && (status.MPI_SOURCE != world_.previous() || status.MPI_TAG != (place == receive ? tag : tag + 1)))
      wrong_ += "source or tag ";
  }

  // All are complete: `seen` says whether the form tells of each of them.
  void check(const std::string& form, bool seen, Verdict& verdict) {
    for (int place = 0; place < count; ++place) {
      const bool persistent = place == inactive || place == started || place == receive_again;
      if ((requests_.at(static_cast<std::size_t>(place)) != MPI_REQUEST_NULL) != persistent) wrong_ += "handle ";
      if (seen && place != null && place != inactive && done_.at(static_cast<std::size_t>(place)) != 1) wrong_ += "told ";
    }
    for (const int value : out_)
      if (value != world_.sum(round_)) wrong_ += "sum ";
    if (started_sum_ != world_.size * round_) wrong_ += "persistent sum ";
    if (received_ != world_.previous() * 100 + round_ || received_again_ != received_) wrong_ += "message ";
    verdict.check(wrong_.empty(), [&] { return form + ": wrong " + wrong_.substr(0, 200); });
  }

 private:
  World world_;
  int round_;
  std::vector<int> in_, out_;
  std::array<int, 2> own_{};
  int received_ = -1, received_again_ = -2, started_sum_ = -1;
  std::array<MPI_Request, count> requests_{};
  std::array<int, count> done_{};
  std::string wrong_;
};

using Statuses = std::array<MPI_Status, Mixture::count>;

void each_with_wait(Mixture& mixture) {
  for (int i = 0; i < Mixture::count; ++i) {
    MPI_Status status;
    MPI_Wait(&mixture.requests()[i], &status);
    mixture.done(i, status);
  }
}

void each_with_test(Mixture& mixture) {
  for (int i = Mixture::count - 1; i >= 0; --i) {
    MPI_Status status;
    for (int flag = 0; flag == 0;) MPI_Test(&mixture.requests()[i], &flag, &status);
    mixture.done(i, status);
  }
}

void with_waitall(Mixture& mixture) {
  Statuses statuses;
  MPI_Waitall(Mixture::count, mixture.requests(), statuses.data());
  for (int i = 0; i < Mixture::count; ++i) mixture.done(i, statuses.at(static_cast<std::size_t>(i)));
}

void with_testall(Mixture& mixture) {
  Statuses statuses;
  for (int flag = 0; flag == 0;) MPI_Testall(Mixture::count, mixture.requests(), &flag, statuses.data());
  for (int i = 0; i < Mixture::count; ++i) mixture.done(i, statuses.at(static_cast<std::size_t>(i)));
}

void with_waitany(Mixture& mixture) {
  for (;;) {
    int index = -1;
    MPI_Status status;
    MPI_Waitany(Mixture::count, mixture.requests(), &index, &status);
    if (index == MPI_UNDEFINED) return;
    mixture.done(index, status);
  }
}

void with_testany(Mixture& mixture) {
  for (;;) {
    int index = -1, flag = 0;
    MPI_Status status;
    MPI_Testany(Mixture::count, mixture.requests(), &index, &flag, &status);
    if (flag != 0 && index == MPI_UNDEFINED) return;
    if (flag != 0) mixture.done(index, status);
  }
}

void with_some(Mixture& mixture, decltype(&MPI_Waitsome) some) {
  for (;;) {
    int completed = -1;
    std::array<int, Mixture::count> indices{};
    Statuses statuses;
    some(Mixture::count, mixture.requests(), &completed, indices.data(), statuses.data());
    if (completed == MPI_UNDEFINED) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) mixture.done(indices.at(i), statuses.at(i));
  }
}

void with_waitsome(Mixture& mixture) { with_some(mixture, MPI_Waitsome); }
void with_testsome(Mixture& mixture) { with_some(mixture, MPI_Testsome); }

// Asking for the status completes nothing, however often.
void with_get_status(Mixture& mixture) {
  for (int i = 0; i < Mixture::count; ++i) {
    MPI_Status status;
    for (int flag = 0; flag == 0;) MPI_Request_get_status(mixture.requests()[i], &flag, &status);
    int again = 0;
    // The status is that of the first time: MPICH 4.3 and 5 know only then who sent what to a persistent receive.
    MPI_Request_get_status(mixture.requests()[i], &again, MPI_STATUS_IGNORE);
    if (again != 0) mixture.done(i, status);
  }
  MPI_Waitall(Mixture::count, mixture.requests(), MPI_STATUSES_IGNORE);
}

// The same by functions of MPI-4.1, which complete nothing either: who has been told of is waited for before the next is
// looked for. Persistent requests, which come last, stay where they are.
void each_with_wait_from(Mixture& mixture, int first) {
  for (int i = first; i < Mixture::count; ++i) {
    MPI_Status status;
    MPI_Wait(&mixture.requests()[i], &status);
    mixture.done(i, status);
  }
}

void with_get_status_all(Mixture& mixture) {
  Statuses statuses;
  for (int flag = 0; flag == 0;) MPI_Request_get_status_all(Mixture::inactive, mixture.requests(), &flag, statuses.data());
  for (int i = 0; i < Mixture::inactive; ++i) mixture.done(i, statuses.at(static_cast<std::size_t>(i)));
  MPI_Waitall(Mixture::inactive, mixture.requests(), MPI_STATUSES_IGNORE);
  each_with_wait_from(mixture, Mixture::inactive);
}

void with_get_status_any(Mixture& mixture) {
  for (;;) {
    int index = -1, flag = 0;
    MPI_Status status;
    while (flag == 0) MPI_Request_get_status_any(Mixture::inactive, mixture.requests(), &index, &flag, &status);
    if (index == MPI_UNDEFINED) break;
    mixture.done(index, status);
    MPI_Wait(&mixture.requests()[index], MPI_STATUS_IGNORE);
  }
  each_with_wait_from(mixture, Mixture::inactive);
}

void with_get_status_some(Mixture& mixture) {
  for (;;) {
    int completed = 0;
    std::array<int, Mixture::count> indices{};
    Statuses statuses;
    while (completed == 0)
      MPI_Request_get_status_some(Mixture::inactive, mixture.requests(), &completed, indices.data(), statuses.data());
    if (completed == MPI_UNDEFINED) break;
    for (std::size_t i = 0; i < static_cast<std::size_t>(completed); ++i) {
      mixture.done(indices.at(i), statuses.at(i));
      MPI_Wait(&mixture.requests()[indices.at(i)], MPI_STATUS_IGNORE);
    }
  }
  each_with_wait_from(mixture, Mixture::inactive);
}

// The calls that need no status.
void without_statuses(Mixture& mixture) {
  int index = -1, completed = -1, flag = 0;
  std::array<int, Mixture::count> indices{};
  MPI_Wait(&mixture.requests()[Mixture::barrier], MPI_STATUS_IGNORE);
  MPI_Waitany(Mixture::count, mixture.requests(), &index, MPI_STATUS_IGNORE);
  MPI_Waitsome(Mixture::count, mixture.requests(), &completed, indices.data(), MPI_STATUSES_IGNORE);
  while (flag == 0) MPI_Testall(Mixture::count, mixture.requests(), &flag, MPI_STATUSES_IGNORE);
}

struct Form {
  const char* name;
  void (*complete)(Mixture& mixture);
  bool tells_all;
};

constexpr Form forms[] = {
    {"wait", each_with_wait, true},
    {"waitall", with_waitall, true},
    {"waitany", with_waitany, true},
    {"waitsome", with_waitsome, true},
    {"test", each_with_test, true},
    {"testall", with_testall, true},
    {"testany", with_testany, true},
    {"testsome", with_testsome, true},
    {"get_status", with_get_status, true},
    {"get_status_all", with_get_status_all, true},
    {"get_status_any", with_get_status_any, true},
    {"get_status_some", with_get_status_some, true},
    {"no statuses", without_statuses, false},
};

// One persistent collective, executed many times, alone and beside others; its communicator is freed before.
void persistent(World world, Verdict& verdict) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<int> in(500), out(500), other(500);
  std::array<MPI_Request, 3> requests{};
  XYLEM_MPI_INIT(Allreduce)(in.data(), out.data(), 500, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  XYLEM_MPI_INIT(Allreduce)(in.data(), other.data(), 500, MPI_INT, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  XYLEM_MPI_INIT(Barrier)(comm, MPI_INFO_NULL, &requests[2]);
  MPI_Comm_free(&comm);
  for (int round = 0; round < 50; ++round) {
    for (int& value : in) value = world.rank + round;
    if (round % 2 == 0) {
      MPI_Startall(3, requests.data());
      MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    } else {
      for (MPI_Request& request : requests) MPI_Start(&request);
      for (int left = 3; left != 0; --left) {
        int index = -1;
        MPI_Waitany(3, requests.data(), &index, MPI_STATUS_IGNORE);
      }
    }
    const bool good =
        out == std::vector<int>(500, world.sum(round)) && other == std::vector<int>(500, world.size - 1 + round);
    verdict.check(good, [&] { return "persistent, round " + std::to_string(round) + ": wrong result"; });
  }
  MPI_Status status;
  MPI_Wait(&requests[0], &status);  // inactive: returns at once
  int elements = -1;
  MPI_Get_count(&status, MPI_INT, &elements);
  verdict.check(elements == 0, [] { return "the status of an inactive request is not empty"; });
  for (MPI_Request& request : requests) {
    MPI_Request_free(&request);
    verdict.check(request == MPI_REQUEST_NULL, [] { return "a freed request is not null"; });
  }
}

// The communicator is freed while a collective on it is under way.
void freed_communicator(World world, Verdict& verdict) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    std::vector<int> in(20000, world.rank), out(in.size(), -1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Iallreduce(in.data(), out.data(), 20000, MPI_INT, MPI_SUM, comm, &request);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verdict.check(out == std::vector<int>(20000, world.sum(0)), [] { return "communicator freed early: wrong result"; });
  }
}

// What the MPI refuses leaves the request as it was.
void refused(World world, Verdict& verdict) {
#ifdef OPEN_MPI
  constexpr int cannot_cancel = MPI_ERR_REQUEST, cannot_free = MPI_ERR_REQUEST;
#else
  constexpr int cannot_cancel = MPI_ERR_INTERN, cannot_free = MPI_ERR_OTHER;
#endif
  const auto expect = [&](const char* call, int code, int wanted) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    verdict.check(error_class == wanted, [&] { return std::string(call) + ": error class " + std::to_string(error_class); });
  };
  int sum = 0;
  MPI_Request request = MPI_REQUEST_NULL, again = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Iallreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  expect("cancel", MPI_Cancel(&request), cannot_cancel);
  expect("free", MPI_Request_free(&request), cannot_free);
  expect("start", MPI_Start(&request), MPI_ERR_REQUEST);
  expect("wait", MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  XYLEM_MPI_INIT(Barrier)(MPI_COMM_WORLD, MPI_INFO_NULL, &again);
  MPI_Start(&again);
  expect("start twice", MPI_Start(&again), MPI_ERR_REQUEST);
  MPI_Wait(&again, MPI_STATUS_IGNORE);
  MPI_Request_free(&again);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  verdict.check(sum == world.sum(0), [] { return "after refused calls: wrong result"; });
}

// The program may complete a request, and start and complete another, in a callback that the MPI calls.
int on_copy(MPI_Comm, int, void* sum, void* started, void*, int* flag) {
  static const int one = 1;
  MPI_Request own = MPI_REQUEST_NULL;
  MPI_Iscan(&one, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &own);
  MPI_Wait(static_cast<MPI_Request*>(started), MPI_STATUS_IGNORE);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  *flag = 0;
  return MPI_SUCCESS;
}

void completed_in_callback(World world, Verdict& verdict) {
  int keyval = MPI_KEYVAL_INVALID, sum = -1, sum_of_callback = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &keyval, &sum_of_callback);
  MPI_Iallreduce(&world.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &request);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_free_keyval(&keyval);
  verdict.check(sum == world.sum(0) && sum_of_callback == world.rank + 1,
                [] { return "completed in a callback: wrong sum"; });
}

// Which of two ends first is known: the calls that wait for any must see that one.
void whichever_comes_first(World world, MPI_Comm other, Verdict& verdict) {
  if (world.size < 2) return;
  int value = -1, sum = 0, go = 1;
  for (const bool message_first : {true, false}) {
    std::array<MPI_Request, 2> requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index = -1, second = -1;
    if (world.rank == 0) {
      MPI_Iallreduce(&world.size, &sum, 1, MPI_INT, MPI_SUM, other, &requests[0]);
      MPI_Irecv(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
      MPI_Send(&go, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
      MPI_Waitany(2, requests.data(), &second, MPI_STATUS_IGNORE);
      verdict.check(index == (message_first ? 1 : 0) && second == 1 - index,
                    [&] { return "the first was " + std::to_string(index) + ", then " + std::to_string(second); });
    } else if (world.rank == 1) {
      const auto reduce = [&] { MPI_Allreduce(&world.size, &sum, 1, MPI_INT, MPI_SUM, other); };
      if (!message_first) reduce();
      if (message_first) MPI_Send(&world.rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
      MPI_Recv(&go, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (message_first) reduce();
      if (!message_first) MPI_Send(&world.rank, 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(&world.size, &sum, 1, MPI_INT, MPI_SUM, other);
    }
    verdict.check(sum == world.size * world.size, [] { return "whichever comes first: wrong sum"; });
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world.rank, &other);
  Verdict verdict;
  for (int round = 0; round < 10; ++round) {
    for (const Form& form : forms) {
      Mixture mixture(world, other, round);
      form.complete(mixture);
      mixture.check(form.name, form.tells_all, verdict);
    }
  }
  persistent(world, verdict);
  freed_communicator(world, verdict);
  refused(world, verdict);
  completed_in_callback(world, verdict);
  whichever_comes_first(world, other, verdict);
  // Neither freed nor ever started again: MPI_Finalize copes with it.
  static int in = 1, out = 0;
  MPI_Request left = MPI_REQUEST_NULL;
  XYLEM_MPI_INIT(Allreduce)(&in, &out, 1, MPI_INT, MPI_SUM, other, MPI_INFO_NULL, &left);
  MPI_Start(&left);
  MPI_Wait(&left, MPI_STATUS_IGNORE);
  MPI_Comm_free(&other);
  const int code = verdict.finish("requests");
  MPI_Finalize();
  return code;
}
