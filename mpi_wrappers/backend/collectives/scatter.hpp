// The arguments (collectives/movement.hpp) of the collectives in which a root's data goes to all ranks.
#pragma once

#include <mpi.h>

#include "backend/collectives/blocks.hpp"
#include "backend/collectives/movement.hpp"
#include "backend/collectives/width.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

template <class Width>
struct Bcast {
  using Count = typename Width::Count;
  using Signature = int(void*, Count, MPI_Datatype, int, MPI_Comm);
  static constexpr Collective kCollective = Collective::bcast;

  void* buffer;
  Count count;
  MPI_Datatype datatype;
  int root;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return p.is_root ? EvenBlocks(buffer, 1, count, datatype) : EvenBlocks::none(buffer);
  }
  EvenBlocks received(const Peers& p) const {
    return p.is_root ? EvenBlocks::none(buffer) : EvenBlocks(buffer, 1, count, datatype);
  }
  OwnBlock own(const Peers&) const { return {}; }

  template <class Sent, class Received>
  xylem_status start(const Peers& p, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    void* const data = p.is_root ? in.data() : out.data();
    const std::size_t bytes = p.is_root ? in.total() : out.total();
    return call_xylem(xylem_bcast, xylem_ibcast, r, data, bytes, XYLEM_BYTE, root, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, void* in, void* out, More... more) const {
    return call_mpi(comm, function, in != buffer ? in : out, count, datatype, root, comm, more...);
  }
};

template <class Width>
struct Scatter {
  using Count = typename Width::Count;
  using Signature = int(const void*, Count, MPI_Datatype, void*, Count, MPI_Datatype, int, MPI_Comm);
  static constexpr Collective kCollective = Collective::scatter;

  const void* sendbuf;
  Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  Count recvcount;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;

  EvenBlocks sent(const Peers& p) const {
    return p.is_root ? EvenBlocks(sendbuf, p.peers, sendcount, sendtype) : EvenBlocks::none(sendbuf);
  }
  EvenBlocks received(const Peers& p) const {
    return p.is_root && recvbuf == MPI_IN_PLACE ? EvenBlocks::none(recvbuf) : EvenBlocks(recvbuf, 1, recvcount, recvtype);
  }
  OwnBlock own(const Peers& p) const { return p.is_root ? OwnBlock{p.rank, 0} : OwnBlock{}; }

  template <class Sent, class Received>
  xylem_status start(const Peers& p, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    const std::size_t bytes = p.is_root ? in.length() : out.length();
    return call_xylem(xylem_scatter, xylem_iscatter, r, in.data(), out.data(), bytes, XYLEM_BYTE, root, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcount, sendtype, out, recvcount, recvtype, root, comm, more...);
  }
};

template <class Width>
struct Scatterv {
  using Count = typename Width::Count;
  using Displacement = typename Width::Displacement;
  using Signature = int(const void*, const Count*, const Displacement*, MPI_Datatype, void*, Count, MPI_Datatype, int,
                        MPI_Comm);
  static constexpr Collective kCollective = Collective::scatterv;

  const void* sendbuf;
  const Count* sendcounts;
  const Displacement* displs;
  MPI_Datatype sendtype;
  void* recvbuf;
  Count recvcount;
  MPI_Datatype recvtype;
  int root;
  MPI_Comm comm;

  UnevenBlocks<Width> sent(const Peers& p) const {
    using Blocks = UnevenBlocks<Width>;
    return p.is_root ? Blocks(sendbuf, p.peers, sendcounts, displs, sendtype) : Blocks::none(sendbuf);
  }
  EvenBlocks received(const Peers& p) const {
    return p.is_root && recvbuf == MPI_IN_PLACE ? EvenBlocks::none(recvbuf) : EvenBlocks(recvbuf, 1, recvcount, recvtype);
  }
  OwnBlock own(const Peers& p) const { return p.is_root ? OwnBlock{p.rank, 0} : OwnBlock{}; }

  template <class Sent, class Received>
  xylem_status start(const Peers&, const Sent& in, const Received& out, xylem_comm_t c, xylem_request_t* r) const {
    return call_xylem(xylem_scatterv, xylem_iscatterv, r, in.data(), in.lengths(), in.places(), out.data(), out.length(),
                      XYLEM_BYTE, root, c);
  }
  template <class Function, class... More>
  int pass_on(const Function& function, const void* in, void* out, More... more) const {
    return call_mpi(comm, function, in, sendcounts, displs, sendtype, out, recvcount, recvtype, root, comm, more...);
  }
};

}  // namespace xylem::preload
