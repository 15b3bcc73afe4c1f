#include "backend/user_operations.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "backend/mpi_functions.hpp"
#include "backend/own_communicators.hpp"

namespace xylem::preload {
namespace {

struct Table {
  std::recursive_mutex mutex;  // a question to the MPI may run callbacks of the program, which come here, too
  std::unordered_map<MPI_Op, std::shared_ptr<UserOperation>> by_handle;
};

// Never destroyed: a program may finalize MPI from a destructor that runs after those of this library.
Table& table() {
  static Table& it = *new Table;
  return it;
}

// Asked in a reduction over this rank alone, which calls no function of the program: only there does the MPI tell nobody but
// us that a handle is none. The caller holds the lock, for that communicator's calls come one at a time.
bool is_operation(MPI_Op op) {
  MPI_Comm self = own_communicators().self;
  int value = 0;
  return call_mpi(self, real().Allreduce, MPI_IN_PLACE, &value, 1, MPI_INT, op, self) == MPI_SUCCESS;
}

std::shared_ptr<UserOperation> forget(MPI_Op op) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().by_handle.find(op);
  if (found == table().by_handle.end()) return nullptr;
  std::shared_ptr<UserOperation> forgotten = std::move(found->second);
  table().by_handle.erase(found);
  return forgotten;
}

}  // namespace

UserOperation::~UserOperation() {
  if (ours_to_free_) real().Op_free(&op_);
}

std::shared_ptr<UserOperation> find_user_operation(MPI_Op op) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().by_handle.find(op);
  if (found != table().by_handle.end()) return found->second;
  if (!is_operation(op)) return nullptr;
  return table().by_handle[op] = std::make_shared<UserOperation>(op);
}

// One that nobody holds is freed at once, and so is one that no collective has been called with.
int op_free(MPI_Op* op) noexcept {
  const std::shared_ptr<UserOperation> known = op == nullptr ? nullptr : forget(*op);
  if (known == nullptr) return real().Op_free(op);
  known->free_at_end();
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

}  // namespace xylem::preload
