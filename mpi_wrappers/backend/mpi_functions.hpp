// The functions of front/functions.def with the types that this MPI's mpi.h gives them; of the forms of a collective, the
// first.
//
// Within the back end no PMPI_X of that list is called by its name: the dynamic linker would lead the call to the front, and
// the front back to us. real().X is the MPI's own. All other MPI functions are called as PMPI_X.
#pragma once

#include <mpi.h>

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

// Calls between these two braces come from within the MPI, or from callbacks of the program that the MPI calls: wrappers
// hand them down, so that an MPI which implements one call by another does not come back to us.
class InsideMpi {
 public:
  InsideMpi() { ++depth; }
  ~InsideMpi() { --depth; }
  InsideMpi(const InsideMpi&) = delete;
  InsideMpi& operator=(const InsideMpi&) = delete;

  static bool here() { return depth != 0; }

 private:
  // initial-exec: read in every collective; the dynamic loader keeps room for a few such words of libraries opened late.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local int depth = 0;
};

// Calls a function of the MPI.
template <class Function, class... Args>
int call_mpi(const Function& function, Args... args) {
  const InsideMpi inside;
  return function(args...);
}

}  // namespace xylem::preload
