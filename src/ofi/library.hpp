// The entry points of libfabric. Nothing is linked: the library is opened when the first network is, so that a program which
// stays on one host never loads it. All other libfabric calls are inline functions that go through the objects made here.
#pragma once

#include <rdma/fabric.h>

namespace xylem::ofi {

struct Library {
  decltype(&fi_version) version;
  decltype(&fi_getinfo) getinfo;
  decltype(&fi_freeinfo) freeinfo;
  decltype(&fi_dupinfo) dupinfo;
  decltype(&fi_fabric) fabric;
  decltype(&fi_strerror) strerror;
};

// Opens libfabric.so.1 at the first call; it stays open. Throws Error with the loader's reason when there is none.
// Thread-safe.
const Library& library();

}  // namespace xylem::ofi
