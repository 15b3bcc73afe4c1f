// The functions of front/functions.def with the types that this MPI's mpi.h gives them; of the forms of a collective, the
// first.
//
// Within the back end no PMPI_X of that list is called by its name: the dynamic linker would lead the call to the front, and
// the front back to us. real().X is the MPI's own. All other MPI functions are called as PMPI_X.
#pragma once

#include <mpi.h>

#include <utility>

#include "backend/later_functions.hpp"
#include "front/contract.h"

namespace xylem::preload {

struct MpiFunctions {
#define COLLECTIVE(name, nonblocking) FUNCTION(name)
#define FUNCTION(name) decltype(&PMPI_##name) name = nullptr;  // NOLINT(bugprone-macro-parentheses): a member's name
#define EXTENSION(name)
#include "front/functions.def"
#undef EXTENSION
#undef FUNCTION
};

namespace detail {
inline constinit MpiFunctions real_functions;
inline constinit const xylem_mpi_front* front = nullptr;
}  // namespace detail

// Who opened this back end.
inline const xylem_mpi_front& front() { return *detail::front; }

// The MPI's own functions; null: it does not have it.
inline const MpiFunctions& real() { return detail::real_functions; }

// The same by number, also those that this mpi.h does not declare. Null: this MPI does not have it.
template <class Signature>
Signature* real_function(int number) {
  return reinterpret_cast<Signature*>(front().real[number]);
}

// Calls between these two braces come from within the MPI, or from callbacks of the program that the MPI calls. Those on the
// communicator of the call around them are handed down by wrappers, so that an MPI which implements one call by another does
// not come back to us. Others that we know the MPI does not use for itself: they are a callback's.
class InsideMpi {
 public:
  // MPI_COMM_NULL: the call is about no communicator.
  explicit InsideMpi(MPI_Comm comm) : comm_(comm), around_(std::exchange(innermost, this)) {}
  ~InsideMpi() { innermost = around_; }
  InsideMpi(const InsideMpi&) = delete;
  InsideMpi& operator=(const InsideMpi&) = delete;

  static bool here() { return innermost != nullptr; }

  // In a call on this communicator.
  static bool of(MPI_Comm comm) {
    const InsideMpi* call = innermost;
    while (call != nullptr && call->comm_ != comm) call = call->around_;
    return call != nullptr;
  }

 private:
  MPI_Comm comm_;
  const InsideMpi* around_;
  // initial-exec: read in every collective; the dynamic loader keeps room for a few such words of libraries opened late.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local const InsideMpi* innermost = nullptr;
};

// Calls a function of the MPI that is about a communicator, or about none (MPI_COMM_NULL).
template <class Function, class... Args>
int call_mpi(MPI_Comm comm, const Function& function, Args... args) {
  const InsideMpi inside(comm);
  return function(args...);
}

}  // namespace xylem::preload
