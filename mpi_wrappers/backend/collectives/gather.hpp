// The arguments (collectives/movement.hpp) of the collectives that gather a block from every rank.
#pragma once

#include <mpi.h>

#include <utility>

#include "backend/collectives/blocks.hpp"
#include "backend/collectives/movement.hpp"
#include "backend/collectives/width.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

template <class Width>
struct Allgather {
  using Count = typename Width::Count;
  using Signature = int(const void*, Count, MPI_Datatype, void*, Count, MPI_Datatype, MPI_Comm);
  static constexpr Collective kCollective = Collective::allgather;

  const void* sendbuf;
  Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  Count recvcount;
  MPI_Datatype recvtype;
  MPI_Comm comm;

  EvenBlocks sent(const Peers&) const {
    return sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, sendcount, sendtype);
  }
  EvenBlocks received(const Peers& p) const { return {recvbuf, p.peers, recvcount, recvtype}; }
  OwnBlock own(const Peers& p) const { return {0, p.rank}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_allgather, xylem_iallgather, r, in.data(), out.data(), out.length(), XYLEM_BYTE, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcount, sendtype, out, recvcount, recvtype, comm, more...);
  }
};

template <class Width>
struct Allgatherv {
  using Count = typename Width::Count;
  using Displacement = typename Width::Displacement;
  using Signature = int(const void*, Count, MPI_Datatype, void*, const Count*, const Displacement*, MPI_Datatype, MPI_Comm);
  static constexpr Collective kCollective = Collective::allgatherv;

  const void* sendbuf;
  Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  const Count* recvcounts;
  const Displacement* displs;
  MPI_Datatype recvtype;
  MPI_Comm comm;

  EvenBlocks sent(const Peers&) const {
    return sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, sendcount, sendtype);
  }
  UnevenBlocks<Width> received(const Peers& p) const { return {recvbuf, p.peers, recvcounts, displs, recvtype}; }
  OwnBlock own(const Peers& p) const { return {0, p.rank}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_allgatherv, xylem_iallgatherv, r, in.data(), in.length(), out.data(), out.lengths(), out.places(),
                      XYLEM_BYTE, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcount, sendtype, out, recvcounts, displs, recvtype, comm, more...);
  }
};

template <class Width>
struct Gather {
  using Count = typename Width::Count;
  using Signature = int(const void*, Count, MPI_Datatype, void*, Count, MPI_Datatype, int, MPI_Comm);
  static constexpr Collective kCollective = Collective::gather;

  const void* sendbuf;
  Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  Count recvcount;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return p.is_root && sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, sendcount, sendtype);
  }
  EvenBlocks received(const Peers& p) const {
    return p.is_root ? EvenBlocks(recvbuf, p.peers, recvcount, recvtype) : EvenBlocks::none(recvbuf);
  }
  OwnBlock own(const Peers& p) const { return p.is_root ? OwnBlock{0, p.rank} : OwnBlock{}; }

  template <class Sent, class Received>
  xylem_status start(const Peers& p, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    const std::size_t bytes = p.is_root ? out.length() : in.length();
    return call_xylem(xylem_gather, xylem_igather, r, in.data(), out.data(), bytes, XYLEM_BYTE, root, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcount, sendtype, out, recvcount, recvtype, root, comm, more...);
  }
};

template <class Width>
struct Gatherv {
  using Count = typename Width::Count;
  using Displacement = typename Width::Displacement;
  using Signature = int(const void*, Count, MPI_Datatype, void*, const Count*, const Displacement*, MPI_Datatype, int,
                        MPI_Comm);
  static constexpr Collective kCollective = Collective::gatherv;

  const void* sendbuf;
  Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  const Count* recvcounts;
  const Displacement* displs;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return p.is_root && sendbuf == MPI_IN_PLACE ? EvenBlocks::none(sendbuf) : EvenBlocks(sendbuf, 1, sendcount, sendtype);
  }
  UnevenBlocks<Width> received(const Peers& p) const {
    using Blocks = UnevenBlocks<Width>;
    return p.is_root ? Blocks(recvbuf, p.peers, recvcounts, displs, recvtype) : Blocks::none(recvbuf);
  }
  OwnBlock own(const Peers& p) const { return p.is_root ? OwnBlock{0, p.rank} : OwnBlock{}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_gatherv, xylem_igatherv, r, in.data(), in.length(), out.data(), out.lengths(), out.places(),
                      XYLEM_BYTE, root, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcount, sendtype, out, recvcounts, displs, recvtype, root, comm, more...);
  }
};

}  // namespace xylem::preload
