// Whether all ranks of MPI_COMM_WORLD have this library, in one version and not disabled. A rank that lacks it takes part in
// nothing of ours, so nothing collective can find that out: each rank puts a word into the launcher's key-value space before
// MPI_Init. The lowest rank that is willing reads all words afterwards and sends the others that are willing what came of it.
#pragma once

#include <memory>
#include <string>

#include "backend/launcher/key_value_space.hpp"

namespace xylem::preload {

class Presence {
 public:
  // Before MPI_Init: puts this rank's word. `willing`: false where the user has disabled Xylem here.
  explicit Presence(bool willing);

  // After MPI_Init: whether Xylem runs, the same on all ranks of MPI_COMM_WORLD. Where it does not though a rank was willing,
  // one rank has warned and `why_off` tells more or less.
  bool agree(int rank, int size);

  const std::string& why_off() const { return why_off_; }

 private:
  bool ask_launcher(int rank, int size);
  int lowest_willing_rank(int size);
  std::string complaints(int size);

  std::unique_ptr<KeyValueSpace> space_;
  std::string word_;
  bool willing_;
  std::string why_off_;
};

}  // namespace xylem::preload
