// Our requests among those that one MPI_Wait... or MPI_Test... is about.
//
// Legal order: (wait | (look call)* look) call hand_out* outcome.
#pragma once

#include <mpi.h>

#include <vector>

#include "backend/requests/request_table.hpp"

namespace xylem::preload {

// Element `i` of an array of statuses; null where the program wants none.
inline MPI_Status* status_at(MPI_Status* statuses, int i) { return statuses == MPI_STATUSES_IGNORE ? nullptr : statuses + i; }

// What is left of our way of completing: the tag of the message. All else is as in a status of the MPI's own collectives.
inline void clean(MPI_Status* status) {
  if (status != nullptr) status->MPI_TAG = 0;
}

class Completion {
 public:
  // Those that are active; others are the MPI's affair.
  Completion(int count, const MPI_Request handles[]);
  ~Completion() { offer(false); }
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  bool empty() const { return members_.empty(); }
  void wait();
  void look();
  bool ended(int index);

  // Calls a function of the MPI that may complete some of them.
  template <class Function, class... Args>
  int call(Function* function, Args... args) {
    offer(true);
    return function(args...);
  }

  // The MPI has completed the one at `index`, if it is ours; `status` is what it says of it, or null.
  void hand_out(int index, MPI_Status* status);

  // Calls hand_out() for all, after a call about all of them that returned `code`.
  void hand_out_all(int code, const MPI_Request handles[], MPI_Status statuses[]);

  // What the program's call returns where the MPI's returned `code`; tells the error handler of a collective that failed.
  int outcome(int code) const;
  // The same for calls that return an array of statuses, `count` of them filled.
  int outcome(int code, int count, MPI_Status statuses[]) const;

 private:
  struct Member {
    int index;
    CollectiveRequest* request;  // null: handed out
  };
  struct Failure {
    MPI_Comm comm;
    int code;
    MPI_Status* status;
  };

  void put_in_order();
  void offer(bool to_mpi);
  Member* find(int index);
  void hand_out(Member& member, MPI_Status* status);

  std::vector<Member> members_;  // by index
  std::vector<CollectiveRequest*> in_order_;
  std::vector<Failure> failures_;
};

}  // namespace xylem::preload
