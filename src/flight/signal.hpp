// The signal of XYLEM_DUMP_SIGNAL, as a descriptor that can be read after it has come.
#pragma once

namespace xylem::flight {

// Installs a handler where the program has left the signal to its default, which would end the process, or where its MPI has
// a handler, which is called too.
void take_signal();
// Back to what it was, unless the program has installed a handler of its own meanwhile.
void give_signal_back();

// -1: the signal was not taken.
int signal_bell();
void silence_bell();

}  // namespace xylem::flight
