// Copy and reduce on a CPU thread.
#pragma once

#include "exec/copy.hpp"
#include "exec/cpu_team.hpp"
#include "exec/process_memory.hpp"
#include "exec/reduce.hpp"
#include "exec/slice.hpp"

namespace xylem::exec {

struct CpuArithmetic {
  ReduceFunction function = nullptr;  // null where the call reduces nothing
  std::size_t element_bytes = 1;

  void copy(CpuTeam&, Slice out, View in) const { copy_bytes(out.data, in.data, in.bytes); }
  bool borrow(std::int32_t process, Slice out, const std::byte* address) const {
    return read_process(process, out.data, address, out.bytes);
  }
  void reduce(CpuTeam&, Slice out, View left, View right) const {
    function(out.data, left.data, right.data, out.bytes / element_bytes);
  }
};

}  // namespace xylem::exec
