// What the launcher (mpirun, srun) keeps for the processes of a job: each may put a word before MPI_Init, which publishes it,
// and read the words of all others afterwards. So ranks learn of each other without a collective call, which a rank without
// this library would not join.
//
// Order: put, then the MPI's own MPI_Init, then published, then get as often as wanted. Nothing else speaks to the launcher
// between MPI_Init and the end of this object.
//
// One implementation per protocol, PMI (1 and 2) and PMIx; a back end is built with the one that its MPI's processes are
// started with.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace xylem::preload {

class KeyValueSpace {
 public:
  virtual ~KeyValueSpace() = default;

  // This process's number in the job, as the launcher counts.
  virtual int rank() const = 0;

  // `word` has letters, digits and "._-/" only.
  virtual void put(const std::string& word) = 0;

  // Whether the launcher took the word.
  virtual bool published() = 0;

  // Nothing: that process has put no word.
  virtual std::optional<std::string> get(int rank) = 0;
};

// Null: the launcher is none that we know, or there is none.
std::unique_ptr<KeyValueSpace> open_key_value_space();

}  // namespace xylem::preload
