#include "backend/errors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <string>

#include "backend/mpi_functions.hpp"
#include "base/log.hpp"

namespace xylem::preload {
namespace {

// The class of MPI that says most of what a status says. Where ranks disagree, an MPI finds more data than it has room for.
constexpr std::array<int, XYLEM_ERROR_INTERNAL + 1> kClasses = {MPI_SUCCESS,    MPI_ERR_ARG,   MPI_ERR_OTHER,
                                                                MPI_ERR_NO_MEM, MPI_ERR_OTHER, MPI_ERR_TRUNCATE,
                                                                MPI_ERR_OTHER,  MPI_ERR_OTHER, MPI_ERR_INTERN};

// What the MPI knows a failure with some status by. Only Open MPI shows a text of ours for a code in a class of its own.
// MPICH shows some built-in message, so MPI_Error_string does that in its place (error_string()), and a handler that ends the
// program is given another code, in a class of our own.
struct Code {
  int code = MPI_SUCCESS;
  int last_words = MPI_SUCCESS;
  std::string text;
};

struct Codes {
  std::mutex mutex;
  std::array<Code, XYLEM_ERROR_INTERNAL + 1> by_status;
  int own_class = MPI_SUCCESS;

  const Code* find(int code) const {
    const auto* const found =
        std::find_if(by_status.begin(), by_status.end(), [&](const Code& each) { return each.code == code; });
    return code == MPI_SUCCESS || found == by_status.end() ? nullptr : found;
  }
};

// Never destroyed: a program may finalize MPI from a destructor that runs after those of this library.
Codes& codes() {
  static Codes& it = *new Codes;
  return it;
}

void make(Code& made, xylem_status status) {
  PMPI_Add_error_code(kClasses.at(status), &made.code);
  made.last_words = made.code;
#ifndef OPEN_MPI
  if (codes().own_class == MPI_SUCCESS) {
    PMPI_Add_error_class(&codes().own_class);
    PMPI_Add_error_string(codes().own_class, "Xylem: a collective failed");
  }
  PMPI_Add_error_code(codes().own_class, &made.last_words);
#endif
}

int error_code(xylem_status status) {
  const std::lock_guard lock(codes().mutex);
  Code& known = codes().by_status.at(status);
  if (known.code == MPI_SUCCESS) make(known, status);
  known.text = "Xylem: " + std::string(xylem_last_error());
  known.text.resize(std::min<std::size_t>(known.text.size(), MPI_MAX_ERROR_STRING - 1));
  PMPI_Add_error_string(known.last_words, known.text.c_str());
  return known.code;
}

}  // namespace

int code_of(xylem_status status) {
  if (status == XYLEM_SUCCESS) return MPI_SUCCESS;
  log::warn(xylem_last_error());
  return error_code(status);
}

int code_of(const Outcome& outcome) { return outcome.code != MPI_SUCCESS ? outcome.code : code_of(outcome.status); }

int report(MPI_Comm comm, const Outcome& outcome) { return report_code(comm, code_of(outcome)); }

int report(MPI_Comm comm, xylem_status status) { return report_code(comm, code_of(status)); }

bool ends_program(MPI_Comm comm) {
  MPI_Errhandler handler;
  if (comm == MPI_COMM_NULL || PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
  bool ends = handler == MPI_ERRORS_ARE_FATAL;
#ifdef MPI_ERRORS_ABORT
  ends = ends || handler == MPI_ERRORS_ABORT;
#endif
  PMPI_Errhandler_free(&handler);
  return ends;
}

int report_code(MPI_Comm comm, int code) {
  if (code == MPI_SUCCESS || comm == MPI_COMM_NULL) return code;
  int told = code;
  if (ends_program(comm)) {
    const std::lock_guard lock(codes().mutex);
    if (const Code* const ours = codes().find(code)) told = ours->last_words;
  }
  PMPI_Comm_call_errhandler(comm, told);
  return code;
}

int error_string(int code, char* text, int* length) noexcept {
  {
    const std::lock_guard lock(codes().mutex);
    if (const Code* const ours = codes().find(code)) {
      *length = static_cast<int>(ours->text.size());
      std::memcpy(text, ours->text.c_str(), ours->text.size() + 1);
      return MPI_SUCCESS;
    }
  }
  return real().Error_string(code, text, length);
}

}  // namespace xylem::preload
