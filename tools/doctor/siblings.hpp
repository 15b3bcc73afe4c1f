// What processes of this host may do to each other, tried out.
#pragma once

namespace xylem::tools::doctor {

// errno of what was refused, 0: it works.
struct SiblingAccess {
  int open_error;  // opening a memfd of the other through /proc
  int copy_error;  // process_vm_readv
};

// Two children of this process try it on each other, as two ranks of a launcher would.
SiblingAccess try_siblings();

}  // namespace xylem::tools::doctor
