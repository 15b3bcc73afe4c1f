// Owners of libfabric's objects: each is closed when its owner goes, in the reverse order of making.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <memory>

#include "ofi/library.hpp"

namespace xylem::ofi {

struct CloseHandle {
  template <class Object>
  void operator()(Object* object) const {
    fi_close(&object->fid);
  }
};

template <class Object>
using Handle = std::unique_ptr<Object, CloseHandle>;

struct FreeInfo {
  void operator()(fi_info* info) const { library().freeinfo(info); }
};

using Info = std::unique_ptr<fi_info, FreeInfo>;

}  // namespace xylem::ofi
