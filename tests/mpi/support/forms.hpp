// One collective in all the forms that MPI has of it.
#pragma once

#include <mpi.h>
#include <vector>

#include "support/large.hpp"
#include "support/persistent.hpp"

namespace xylem::test {

enum class Form { blocking, large, nonblocking, large_nonblocking, persistent, large_persistent };
inline constexpr Form forms[] = {Form::blocking,          Form::large,      Form::nonblocking,
                                 Form::large_nonblocking, Form::persistent, Form::large_persistent};
inline constexpr const char* form_names[] = {"", "_c", " nonblocking", "_c nonblocking", " persistent", "_c persistent"};

// Arrays of counts and of displacements, as both kinds of functions take them.
struct Counts {
  explicit Counts(std::size_t n) : narrow(n), wide(n) {}
  void set(std::size_t i, long value) {
    narrow[i] = static_cast<int>(value);
    wide[i] = value;
  }
  operator const int*() const { return narrow.data(); }
  operator const MPI_Count*() const { return wide.data(); }
  std::vector<int> narrow;
  std::vector<MPI_Count> wide;
};
struct Displacements {
  explicit Displacements(std::size_t n) : narrow(n), wide(n) {}
  void set(std::size_t i, long value) {
    narrow[i] = static_cast<int>(value);
    wide[i] = value;
  }
  operator const int*() const { return narrow.data(); }
  operator const MPI_Aint*() const { return wide.data(); }
  std::vector<int> narrow;
  std::vector<MPI_Aint> wide;
};

inline int wait_for(int error, MPI_Request* request) {
  return error == MPI_SUCCESS ? MPI_Wait(request, MPI_STATUS_IGNORE) : error;
}
inline int start_and_free(int error, MPI_Request* request) {
  if (error == MPI_SUCCESS) error = MPI_Start(request);
  if (error == MPI_SUCCESS) error = MPI_Wait(request, MPI_STATUS_IGNORE);
  return error == MPI_SUCCESS ? MPI_Request_free(request) : error;
}

// The error code of MPI_<name>(arguments), MPI_I<small name>(...) or what else the form says.
#define CALL_AS(form, name, small_name, ...)                                                           \
  [&](Form form_) {                                                                                    \
    MPI_Request request_ = MPI_REQUEST_NULL;                                                           \
    switch (form_) {                                                                                   \
      case Form::large:                                                                                \
        return MPI_##name##_c(__VA_ARGS__);                                                            \
      case Form::nonblocking:                                                                          \
        return wait_for(MPI_I##small_name(__VA_ARGS__, &request_), &request_);                         \
      case Form::large_nonblocking:                                                                    \
        return wait_for(MPI_I##small_name##_c(__VA_ARGS__, &request_), &request_);                     \
      case Form::large_persistent:                                                                     \
        return start_and_free(MPI_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &request_), &request_);  \
      case Form::persistent:                                                                           \
        return start_and_free(XYLEM_MPI_INIT(name)(__VA_ARGS__, MPI_INFO_NULL, &request_), &request_); \
      default:                                                                                         \
        return MPI_##name(__VA_ARGS__);                                                                \
    }                                                                                                  \
  }(form)

}  // namespace xylem::test
