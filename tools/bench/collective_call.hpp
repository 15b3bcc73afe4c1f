// One collective as a thing that can be prepared, called on either side, and checked.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/call_kind.hpp"
#include "bench/pattern.hpp"
#include "bench/sides.hpp"

namespace xylem::tools {

// A pair of buffers.
struct Buffers {
  std::byte* send;
  std::byte* receive;
};

class CollectiveCall {
 public:
  CollectiveCall(const CallKind& kind, MPI_Comm comm);

  std::size_t send_bytes() const { return send_count_ * pattern_.element_size(); }
  std::size_t receive_bytes() const { return receive_count_ * pattern_.element_size(); }

  // Writes the input of call number `number`. Its root is number % ranks: as the root moves from call to call, no rank of a
  // rooted collective can run ahead of the others for long.
  void prepare(const Buffers& buffers, unsigned number) const;

  void run(const Calls& calls, const Buffers& buffers, unsigned number) const;

  // The first wrong element of this rank's result.
  std::optional<std::size_t> check(const Buffers& buffers, unsigned number) const;

 private:
  int root(unsigned number) const { return static_cast<int>(number % static_cast<unsigned>(ranks_)); }
  std::size_t count_of(coll::Buffer buffer) const;
  bool has_result(unsigned number) const;
  // Where in the send buffer of `from` the elements begin that this rank gets.
  std::size_t begin_at_sender(int from) const;

  coll::Collective collective_;
  MPI_Comm comm_;
  int rank_;
  int ranks_;
  Pattern pattern_;
  MPI_Datatype type_;
  MPI_Op op_;
  std::vector<std::size_t> lengths_;  // of every rank's block, in elements
  int count_;                         // of a vector, or of a block where all are equal
  std::size_t send_count_, receive_count_;
  // As MPI takes the blocks that this rank has for, or from, every rank.
  std::vector<int> counts_, displacements_, byte_displacements_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace xylem::tools
