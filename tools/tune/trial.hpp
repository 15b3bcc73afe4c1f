// One call as the tuner repeats it, straight on a communicator of the core.
#pragma once

#include <cstddef>
#include <vector>

#include "comm/communicator.hpp"

namespace xylem::tools {

class Trial {
 public:
  // `bytes` as rules mean them: of the whole vector, or of all blocks of a rank together.
  Trial(Communicator& comm, coll::Collective collective, std::size_t bytes);

  // As the plan knows the call.
  std::size_t bytes() const { return bytes_; }
  std::size_t element_bytes() const { return coll::facts(collective_).reduces ? sizeof(float) : 1; }

  // Call number `number`, whose root is the rank of that number: so no rank of a rooted collective can run ahead of the
  // others for long. Throws Error.
  void run(unsigned number);

 private:
  Communicator& comm_;
  coll::Collective collective_;
  std::size_t count_, bytes_;
  std::vector<std::size_t> counts_, offsets_;  // where blocks may differ: these are alike
  std::vector<std::byte> input_, output_;
};

}  // namespace xylem::tools
