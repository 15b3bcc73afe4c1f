#include "backend/user_operations.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<MPI_Op, std::shared_ptr<UserOperation>> by_handle;
};

// Never destroyed: a program may finalize MPI from a destructor that runs after those of this library.
Table& table() {
  static Table& it = *new Table;
  return it;
}

bool is_operation(MPI_Op op) {
  const ErrorsReturn errors_return;
  int commutes = 0;
  return PMPI_Op_commutative(op, &commutes) == MPI_SUCCESS;
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
  {
    const std::lock_guard lock(table().mutex);
    const auto found = table().by_handle.find(op);
    if (found != table().by_handle.end()) return found->second;
  }
  if (!is_operation(op)) return nullptr;
  const std::lock_guard lock(table().mutex);
  std::shared_ptr<UserOperation>& entry = table().by_handle[op];
  if (entry == nullptr) entry = std::make_shared<UserOperation>(op);
  return entry;
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
