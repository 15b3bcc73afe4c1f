#include "backend/errors.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string>

#include "base/log.hpp"

namespace xylem::preload {
namespace {

// One MPI error code per status, made when it is first needed. The class is one of its own: MPICH takes a code that is added
// to one of its own classes for a built-in message of its own.
int error_code(xylem_status status) {
  static std::mutex mutex;
  static int error_class = MPI_SUCCESS;
  static std::array<int, XYLEM_ERROR_INTERNAL + 1> codes{};
  const std::lock_guard lock(mutex);
  if (error_class == MPI_SUCCESS) {
    PMPI_Add_error_class(&error_class);
    PMPI_Add_error_string(error_class, "Xylem: a collective failed");
  }
  int& code = codes.at(status);
  if (code == MPI_SUCCESS) PMPI_Add_error_code(error_class, &code);
  std::string text = "Xylem: " + std::string(xylem_last_error());
  text.resize(std::min<std::size_t>(text.size(), MPI_MAX_ERROR_STRING - 1));
  PMPI_Add_error_string(code, text.c_str());
  return code;
}

}  // namespace

ErrorsReturn::ErrorsReturn() {
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &world_);
  PMPI_Comm_get_errhandler(MPI_COMM_SELF, &self_);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

ErrorsReturn::~ErrorsReturn() {
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, world_);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, self_);
  PMPI_Errhandler_free(&world_);
  PMPI_Errhandler_free(&self_);
}

int code_of(xylem_status status) {
  if (status == XYLEM_SUCCESS) return MPI_SUCCESS;
  log::warn(xylem_last_error());
  return error_code(status);
}

int code_of(const Outcome& outcome) { return outcome.code != MPI_SUCCESS ? outcome.code : code_of(outcome.status); }

int report(MPI_Comm comm, const Outcome& outcome) { return report_code(comm, code_of(outcome)); }

int report(MPI_Comm comm, xylem_status status) { return report_code(comm, code_of(status)); }

int report_code(MPI_Comm comm, int code) {
  if (code != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace xylem::preload
