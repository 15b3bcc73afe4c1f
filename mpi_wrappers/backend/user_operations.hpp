// Operations for reductions that the program has made. A collective on Xylem that reduces with one may end after the program
// has freed it, so MPI_Op_free is delayed as long as somebody holds the operation. Any thread.
#pragma once

#include <mpi.h>

#include <memory>

namespace xylem::preload {

class UserOperation {
 public:
  explicit UserOperation(MPI_Op op) : op_(op) {}
  ~UserOperation();
  UserOperation(const UserOperation&) = delete;
  UserOperation& operator=(const UserOperation&) = delete;

  MPI_Op get() const { return op_; }
  // The MPI forgets it when nobody holds this object any more.
  void free_at_end() { ours_to_free_ = true; }

 private:
  MPI_Op op_;
  bool ours_to_free_ = false;
};

// Null: the handle is of no operation. Predefined ones are never asked for.
std::shared_ptr<UserOperation> find_user_operation(MPI_Op op);

int op_free(MPI_Op* op) noexcept;

}  // namespace xylem::preload
