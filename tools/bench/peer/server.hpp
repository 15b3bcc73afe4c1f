// The other end of process.hpp: this program's ranks as a side of somebody else's comparison.
#pragma once

namespace xylem::tools {

// Collective over MPI_COMM_WORLD: answers what comes on rank 0's standard input, until it ends. Throws std::runtime_error for
// what is no question.
void serve();

}  // namespace xylem::tools
