// The arguments (collectives/movement.hpp) of the collectives in which every rank has a block for every other.
#pragma once

#include <mpi.h>

#include "backend/collectives/blocks.hpp"
#include "backend/collectives/movement.hpp"
#include "backend/collectives/width.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

template <class Width>
struct Alltoall {
  using Count = typename Width::Count;
  using Signature = int(const void*, Count, MPI_Datatype, void*, Count, MPI_Datatype, MPI_Comm);
  static constexpr Collective kCollective = Collective::alltoall;
  static constexpr bool kExchanges = true;

  const void* sendbuf;
  Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  Count recvcount;
  MPI_Datatype recvtype;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, p.peers, sendcount, sendtype);
  }
  EvenBlocks received(const Peers& p) const { return {recvbuf, p.peers, recvcount, recvtype}; }
  OwnBlock own(const Peers& p) const { return {p.rank, p.rank}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_alltoall, xylem_ialltoall, r, in.data(), out.data(), out.length(), XYLEM_BYTE, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcount, sendtype, out, recvcount, recvtype, comm, more...);
  }
};

template <class Width>
struct Alltoallv {
  using Count = typename Width::Count;
  using Displacement = typename Width::Displacement;
  using Signature = int(const void*, const Count*, const Displacement*, MPI_Datatype, void*, const Count*,
                        const Displacement*, MPI_Datatype, MPI_Comm);
  static constexpr Collective kCollective = Collective::alltoallv;
  static constexpr bool kExchanges = true;

  const void* sendbuf;
  const Count* sendcounts;
  const Displacement* sdispls;
  MPI_Datatype sendtype;
  void* recvbuf;
  const Count* recvcounts;
  const Displacement* rdispls;
  MPI_Datatype recvtype;
  MPI_Comm comm;

  UnevenBlocks<Width> sent(const Peers& p) const {
    using Blocks = UnevenBlocks<Width>;
    return sendbuf == MPI_IN_PLACE ? Blocks::none(sendbuf) : Blocks(sendbuf, p.peers, sendcounts, sdispls, sendtype);
  }
  UnevenBlocks<Width> received(const Peers& p) const { return {recvbuf, p.peers, recvcounts, rdispls, recvtype}; }
  OwnBlock own(const Peers& p) const { return {p.rank, p.rank}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_alltoallv, xylem_ialltoallv, r, in.data(), in.lengths(), in.places(), out.data(), out.lengths(),
                      out.places(), XYLEM_BYTE, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcounts, sdispls, sendtype, out, recvcounts, rdispls, recvtype, comm, more...);
  }
};

template <class Width>
struct Alltoallw {
  using Count = typename Width::Count;
  using Displacement = typename Width::Displacement;
  using Signature = int(const void*, const Count*, const Displacement*, const MPI_Datatype*, void*, const Count*,
                        const Displacement*, const MPI_Datatype*, MPI_Comm);
  static constexpr Collective kCollective = Collective::alltoallw;
  static constexpr bool kExchanges = true;

  const void* sendbuf;
  const Count* sendcounts;
  const Displacement* sdispls;
  const MPI_Datatype* sendtypes;
  void* recvbuf;
  const Count* recvcounts;
  const Displacement* rdispls;
  const MPI_Datatype* recvtypes;
  MPI_Comm comm;

  TypedBlocks<Width> sent(const Peers& p) const {
    using Blocks = TypedBlocks<Width>;
    return sendbuf == MPI_IN_PLACE ? Blocks::none(sendbuf) : Blocks(sendbuf, p.peers, sendcounts, sdispls, sendtypes);
  }
  TypedBlocks<Width> received(const Peers& p) const { return {recvbuf, p.peers, recvcounts, rdispls, recvtypes}; }
  OwnBlock own(const Peers& p) const { return {p.rank, p.rank}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_alltoallw, xylem_ialltoallw, r, in.data(), in.lengths(), in.places(), out.data(), out.lengths(),
                      out.places(), c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcounts, sdispls, sendtypes, out, recvcounts, rdispls, recvtypes, comm, more...);
  }
};

}  // namespace xylem::preload
