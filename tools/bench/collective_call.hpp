// One collective as a thing that can be prepared, called on either side, and checked.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>

#include "bench/pattern.hpp"
#include "bench/sides.hpp"

namespace xylem::tools {

enum class Collective { allreduce, reduce, bcast, allgather, reduce_scatter_block, barrier };

// The collective that the options call `name`.
Collective collective_named(const std::string& name);

// A pair of buffers.
struct Buffers {
  std::byte* send;
  std::byte* receive;
};

// A collective on `count` elements of each rank's vector.
class CollectiveCall {
 public:
  CollectiveCall(Collective collective, std::size_t bytes, const std::string& type, const std::string& op, MPI_Comm comm);

  std::size_t send_bytes() const;
  std::size_t receive_bytes() const;

  // Writes the input of call number `number`. Its root is number % ranks: as the root moves from call to call, no rank of a
  // rooted collective can run ahead of the others for long.
  void prepare(const Buffers& buffers, unsigned number) const;

  void run(const Calls& calls, const Buffers& buffers, unsigned number) const;

  // The first wrong element of this rank's result.
  std::optional<std::size_t> check(const Buffers& buffers, unsigned number) const;

 private:
  int root(unsigned number) const { return static_cast<int>(number % static_cast<unsigned>(ranks_)); }

  Collective collective_;
  MPI_Comm comm_;
  int rank_ = 0;
  int ranks_ = 1;
  Pattern pattern_;
  MPI_Datatype type_;
  MPI_Op op_;
  std::size_t count_;
};

}  // namespace xylem::tools
