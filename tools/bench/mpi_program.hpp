// What the programs have in common that the tool starts under mpirun, once per rank.
#pragma once

#include <functional>

namespace CLI {  // NOLINT(readability-identifier-naming): the library calls itself so
class App;
}

namespace xylem::tools {

// Parses the command line, and runs `run` between MPI_Init and MPI_Finalize; returns the exit status. Where `run` throws,
// says why in the name of `app` and ends the job.
int run_mpi_program(CLI::App& app, int argc, char** argv, const std::function<int()>& run);

}  // namespace xylem::tools
