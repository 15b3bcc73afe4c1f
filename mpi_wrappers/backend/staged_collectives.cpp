#include "backend/staged_collectives.hpp"

#include "backend/host_copies.hpp"
#include "backend/mpi_functions.hpp"

namespace xylem::preload {
namespace {

// Who a rank exchanges blocks with.
struct Ranks {
  int peers = 0;         // ranks that it sends a block to, or gets one from
  bool is_root = false;  // of a rooted call; buffers that mean something only there are not looked at elsewhere
};

Ranks ranks_of(MPI_Comm comm, int root = MPI_PROC_NULL) {
  int is_inter = 0, rank = 0, size = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &rank);
  (is_inter != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size);
  return {size, is_inter != 0 ? root == MPI_ROOT : rank == root};
}

// Calls from inside the MPI have buffers of its own.
bool may_have_device_buffers(MPI_Comm comm) { return !InsideMpi::here() && comm != MPI_COMM_NULL; }

template <class T>
std::ptrdiff_t times(T count, int ranks) {
  return static_cast<std::ptrdiff_t>(count) * ranks;
}

}  // namespace

int allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    sendbuf = copies.input(sendbuf, sendcount, sendtype);
    recvbuf = copies.output(recvbuf, ranks_of(comm).peers, recvcounts, displs, recvtype);
  }
  return copies.run(comm, [&] {
    return call_mpi(real().Allgatherv, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  });
}

int alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
             MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const int peers = ranks_of(comm).peers;
    sendbuf = copies.input(sendbuf, times(sendcount, peers), sendtype);
    recvbuf = copies.output(recvbuf, times(recvcount, peers), recvtype);
  }
  return copies.run(
      comm, [&] { return call_mpi(real().Alltoall, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm); });
}

int alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
              const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const int peers = ranks_of(comm).peers;
    sendbuf = copies.input(sendbuf, peers, sendcounts, sdispls, sendtype);
    recvbuf = copies.output(recvbuf, peers, recvcounts, rdispls, recvtype);
  }
  return copies.run(comm, [&] {
    return call_mpi(real().Alltoallv, sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  });
}

int alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
              const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const int peers = ranks_of(comm).peers;
    sendbuf = copies.input(sendbuf, peers, sendcounts, sdispls, sendtypes);
    recvbuf = copies.output(recvbuf, peers, recvcounts, rdispls, recvtypes);
  }
  return copies.run(comm, [&] {
    return call_mpi(real().Alltoallw, sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  });
}

int gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
           int root, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const Ranks ranks = ranks_of(comm, root);
    sendbuf = copies.input(sendbuf, sendcount, sendtype);
    if (ranks.is_root) recvbuf = copies.output(recvbuf, times(recvcount, ranks.peers), recvtype);
  }
  return copies.run(
      comm, [&] { return call_mpi(real().Gather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
            const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const Ranks ranks = ranks_of(comm, root);
    sendbuf = copies.input(sendbuf, sendcount, sendtype);
    if (ranks.is_root) recvbuf = copies.output(recvbuf, ranks.peers, recvcounts, displs, recvtype);
  }
  return copies.run(comm, [&] {
    return call_mpi(real().Gatherv, sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  });
}

int scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
            int root, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const Ranks ranks = ranks_of(comm, root);
    if (ranks.is_root) sendbuf = copies.input(sendbuf, times(sendcount, ranks.peers), sendtype);
    recvbuf = copies.output(recvbuf, recvcount, recvtype);
  }
  return copies.run(
      comm, [&] { return call_mpi(real().Scatter, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm); });
}

int scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    const Ranks ranks = ranks_of(comm, root);
    if (ranks.is_root) sendbuf = copies.input(sendbuf, ranks.peers, sendcounts, displs, sendtype);
    recvbuf = copies.output(recvbuf, recvcount, recvtype);
  }
  return copies.run(comm, [&] {
    return call_mpi(real().Scatterv, sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}

int reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    int rank = 0, size = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    std::ptrdiff_t all = 0;
    for (int i = 0; i < size; ++i) all += recvcounts[i];
    const bool in_place = sendbuf == MPI_IN_PLACE;
    sendbuf = copies.input(sendbuf, all, datatype);
    recvbuf = copies.output(recvbuf, in_place ? all : recvcounts[rank], datatype);
  }
  return copies.run(comm, [&] { return call_mpi(real().Reduce_scatter, sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    sendbuf = copies.input(sendbuf, count, datatype);
    recvbuf = copies.output(recvbuf, count, datatype);
  }
  return copies.run(comm, [&] { return call_mpi(real().Scan, sendbuf, recvbuf, count, datatype, op, comm); });
}

int exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) noexcept {
  HostCopies copies;
  if (may_have_device_buffers(comm)) {
    sendbuf = copies.input(sendbuf, count, datatype);
    recvbuf = copies.output(recvbuf, count, datatype);
  }
  return copies.run(comm, [&] { return call_mpi(real().Exscan, sendbuf, recvbuf, count, datatype, op, comm); });
}

}  // namespace xylem::preload
