// Of which integers a program's counts and displacements are: int, or those of the functions that end in _c.
#pragma once

#include <mpi.h>

namespace xylem::preload {

struct Narrow {
  using Count = int;
  using Displacement = int;
};

struct Wide {
  using Count = MPI_Count;
  using Displacement = MPI_Aint;
};

}  // namespace xylem::preload
