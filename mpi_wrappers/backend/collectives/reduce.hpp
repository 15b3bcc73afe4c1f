// The arguments of the collectives that reduce. What collectives/movement.hpp says of arguments holds, with these
// differences:
// - elements(): how many of them this rank's input has;
// - start() is told the type and operation, and the lengths of blocks where they differ.
#pragma once

#include <mpi.h>

#include <numeric>

#include "backend/collectives/blocks.hpp"
#include "backend/collectives/peers.hpp"
#include "backend/collectives/width.hpp"
#include "backend/collectives/xylem_call.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/reductions.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

inline const void* input_of(const void* sendbuf) { return sendbuf == MPI_IN_PLACE ? XYLEM_IN_PLACE : sendbuf; }

// A vector of every rank into one on every rank.
template <class Width, Collective collective, auto blocking, auto nonblocking>
struct VectorReduction {
  using Count = typename Width::Count;
  using Signature = int(const void*, void*, Count, MPI_Datatype, MPI_Op, MPI_Comm);
  static constexpr Collective kCollective = collective;

  const void* sendbuf;
  void* recvbuf;
  Count count;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;

  // Rank 0 gets nothing from an exscan.
  bool receives(const Peers& p) const { return collective != Collective::exscan || p.rank != 0 || sendbuf == MPI_IN_PLACE; }
  EvenBlocks sent(const Peers&) const {
    return sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, count, datatype);
  }
  EvenBlocks received(const Peers& p) const {
    return receives(p) ? EvenBlocks(recvbuf, 1, count, datatype) : EvenBlocks::none(recvbuf);
  }
  std::ptrdiff_t elements(const Peers&) const { return count; }

  xylem_status start(const Peers& p, const Reduction& how, const std::size_t*, xylem_comm_t c, xylem_request_t* r) const {
    void* const result = receives(p) ? recvbuf : const_cast<void*>(sendbuf);
    return call_xylem(blocking, nonblocking, r, input_of(sendbuf), result, static_cast<std::size_t>(count), how.type, how.op,
                      c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, out, count, datatype, op, comm, more...);
  }
};

template <class Width>
using Allreduce = VectorReduction<Width, Collective::allreduce, xylem_allreduce, xylem_iallreduce>;
template <class Width>
using Scan = VectorReduction<Width, Collective::scan, xylem_scan, xylem_iscan>;
template <class Width>
using Exscan = VectorReduction<Width, Collective::exscan, xylem_exscan, xylem_iexscan>;

template <class Width>
struct Reduce {
  using Count = typename Width::Count;
  using Signature = int(const void*, void*, Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
  static constexpr Collective kCollective = Collective::reduce;

  const void* sendbuf;
  void* recvbuf;
  Count count;
  MPI_Datatype datatype;
  MPI_Op op;
  int root;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return p.is_root && sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, count, datatype);
  }
  EvenBlocks received(const Peers& p) const {
    return p.is_root ? EvenBlocks(recvbuf, 1, count, datatype) : EvenBlocks::none(recvbuf);
  }
  std::ptrdiff_t elements(const Peers&) const { return count; }

  xylem_status start(const Peers&, const Reduction& how, const std::size_t*, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_reduce, xylem_ireduce, r, input_of(sendbuf), recvbuf, static_cast<std::size_t>(count), how.type,
                      how.op, root, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, out, count, datatype, op, root, comm, more...);
  }
};

template <class Width>
struct ReduceScatterBlock {
  using Count = typename Width::Count;
  using Signature = int(const void*, void*, Count, MPI_Datatype, MPI_Op, MPI_Comm);
  static constexpr Collective kCollective = Collective::reduce_scatter_block;

  const void* sendbuf;
  void* recvbuf;
  Count recvcount;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, p.size, recvcount, datatype);
  }
  EvenBlocks received(const Peers& p) const { return {recvbuf, sendbuf == MPI_IN_PLACE ? p.size : 1, recvcount, datatype}; }
  std::ptrdiff_t elements(const Peers& p) const { return std::ptrdiff_t{recvcount} * p.size; }

  xylem_status start(const Peers&, const Reduction& how, const std::size_t*, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_reduce_scatter_block, xylem_ireduce_scatter_block, r, input_of(sendbuf), recvbuf,
                      static_cast<std::size_t>(recvcount), how.type, how.op, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, out, recvcount, datatype, op, comm, more...);
  }
};

template <class Width>
struct ReduceScatter {
  using Count = typename Width::Count;
  using Signature = int(const void*, void*, const Count*, MPI_Datatype, MPI_Op, MPI_Comm);
  static constexpr Collective kCollective = Collective::reduce_scatter;

  const void* sendbuf;
  void* recvbuf;
  const Count* recvcounts;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, elements(p), datatype);
  }
  EvenBlocks received(const Peers& p) const {
    return {recvbuf, 1, sendbuf == MPI_IN_PLACE ? elements(p) : recvcounts[p.rank], datatype};
  }
  std::ptrdiff_t elements(const Peers& p) const {
    return std::accumulate(recvcounts, recvcounts + p.size, std::ptrdiff_t{0});
  }

  xylem_status start(const Peers&, const Reduction& how, const std::size_t* lengths, xylem_comm_t c,
                     xylem_request_t* r) const {
    return call_xylem(xylem_reduce_scatter, xylem_ireduce_scatter, r, input_of(sendbuf), recvbuf, lengths, how.type, how.op,
                      c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, out, recvcounts, datatype, op, comm, more...);
  }
};

}  // namespace xylem::preload
