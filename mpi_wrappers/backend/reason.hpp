// Why a call was handed down to the MPI.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace xylem::preload {

enum class Reason : unsigned char {
  none,
  not_running,   // before MPI_Init or after MPI_Finalize
  inside_mpi,    // called by the MPI itself, or by a callback in a call on the same communicator
  not_selected,  // XYLEM_COLLECTIVES names others
  intercommunicator,
  foreign_processes,  // the communicator has processes of another MPI_COMM_WORLD
  not_ready,          // a nonblocking call is the first on a communicator that its ranks did not make together
  not_connected,      // Xylem could not make the communicator ready
  unknown,            // the communicator was made out of our sight, or is none: the MPI knows
  bad_argument,       // something is wrong with it; the MPI says what
  user_operation,     // a reduction by a function of the program
  operation,          // a predefined operation that Xylem does not have for this type
  datatype,           // a reduction on a type that is not predefined
};

// As they are called in the statistics.
inline constexpr std::array<std::string_view, 13> kReasonNames = {
    "",          "not_running",   "inside_mpi", "not_selected", "intercommunicator", "foreign_processes",
    "not_ready", "not_connected", "unknown",    "bad_argument", "user_operation",    "operation",
    "datatype"};

inline std::string_view name_of(Reason reason) { return kReasonNames[static_cast<std::size_t>(reason)]; }

}  // namespace xylem::preload
