// The predefined datatypes and operations of MPI, and what they are called in Xylem.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "backend/reason.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {

struct PredefinedType {
  xylem_type type;           // XYLEM_TYPE_COUNT: only moved, never reduced, by Xylem
  std::uint32_t operations;  // bit by xylem_op: those that Xylem reduces this type with
  std::size_t size;
  bool dense;  // elements lie in memory as they are sent, one after the other
};

// Fills the tables below; called once, after MPI_Init.
void learn_predefined_handles();

// Null: not predefined, or not available in this MPI.
const PredefinedType* find_predefined(MPI_Datatype datatype);

// How Xylem reduces with `op` on `datatype`; `reason` tells why it does not.
struct Reduction {
  Reason reason;
  xylem_type type;
  xylem_op op;
  std::size_t size;  // of an element in a message, in bytes
};
Reduction find_reduction(MPI_Datatype datatype, MPI_Op op);

}  // namespace xylem::preload
