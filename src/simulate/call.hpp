// Calls to be simulated: the same arguments on every rank but for what is its own, blocks that are alike, root 0.
#pragma once

#include <cstdint>
#include <vector>

#include "coll/args.hpp"
#include "coll/collective.hpp"
#include "coll/traits.hpp"

namespace xylem::simulate {

// The bytes of an element: of a float where there is something to reduce.
constexpr std::size_t element_bytes(coll::Collective collective) { return coll::facts(collective).reduces ? 4 : 1; }

class Call {
 public:
  // work.bytes are those of the vector, or of all blocks of a rank together, as in the plan; blocks are rounded up to an
  // element. work.chunk_bytes is what the plan says.
  Call(coll::Collective collective, const coll::Workload& work);

  // Of one rank; the groups in them point into this object. Buffers are names for the recorder.
  coll::Args args(std::uint32_t rank) const;

 private:
  coll::Collective collective_;
  std::uint32_t ranks_, per_host_;
  std::size_t chunk_, vector_, block_;
  coll::Loans loans_;
  std::vector<std::uint32_t> all_, leaders_;
};

}  // namespace xylem::simulate
