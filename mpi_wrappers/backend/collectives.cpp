#include "backend/collectives.hpp"

#include <algorithm>
#include <cstddef>

#include "backend/communicators.hpp"
#include "backend/errors.hpp"
#include "backend/host_copies.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/packing.hpp"
#include "backend/reductions.hpp"
#include "backend/statistics.hpp"
#include "backend/wrong_buffers.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {
namespace {

template <class Function, class... Args>
int hand_down(Collective collective, Reason reason, Function* function, Args... args) {
  count_handed_down(collective, reason);
  return call_mpi(function, args...);
}

// Whether the buffers of a call that is handed down are worth a look: not where the MPI refuses it, or calls itself.
bool may_use_buffers(Reason reason) { return reason != Reason::bad_argument && reason != Reason::inside_mpi; }

// Runs one collective on Xylem; `call` returns its status.
template <class Call>
int run(Collective collective, const Communicator& comm, std::size_t bytes, Call&& call) {
  const xylem_status status = counted(collective, bytes, call);
  return status == XYLEM_SUCCESS ? MPI_SUCCESS : report(comm.mpi, status);
}

// Whether the receive buffer of a rooted collective means anything on this rank.
bool receives(MPI_Comm comm, int root) {
  int rank = 0, is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_rank(comm, &rank);
  return is_inter != 0 ? root == MPI_ROOT : rank == root;
}

// Ranks of the local group: each of them gets a block of what this rank gives to a reduction.
std::ptrdiff_t blocks_sent(MPI_Comm comm) {
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}
// Ranks that this one gets a block from in an allgather.
std::ptrdiff_t blocks_received(MPI_Comm comm) {
  int size = 0, is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  (is_inter != 0 ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size);
  return size;
}

const void* input(const void* sendbuf) { return sendbuf == MPI_IN_PLACE ? XYLEM_IN_PLACE : sendbuf; }

std::size_t elements(int count) { return static_cast<std::size_t>(count); }

}  // namespace

int allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    HostCopies copies;
    const std::ptrdiff_t used = may_use_buffers(why) ? count : 0;
    const void* const in = copies.input(sendbuf, used, datatype);
    void* const out = copies.output(recvbuf, used, datatype);
    return copies.run(
        comm, [&] { return hand_down(Collective::allreduce, why, real().Allreduce, in, out, count, datatype, op, comm); });
  };
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return to_mpi(c.reason);
  const Reduction r = find_reduction(datatype, op);
  if (r.reason != Reason::none) return to_mpi(r.reason);
  if (count < 0 || (count > 0 && wrong_buffers(sendbuf, recvbuf))) return to_mpi(Reason::bad_argument);
  return run(Collective::allreduce, c, elements(count) * r.size, [&] {
    return xylem_allreduce(input(sendbuf), recvbuf, elements(count), r.type, r.op, c.xylem, XYLEM_STREAM_NONE);
  });
}

int reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
           MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    HostCopies copies;
    const std::ptrdiff_t used = may_use_buffers(why) ? count : 0;
    const void* const in = copies.input(sendbuf, used, datatype);
    void* const out = copies.output(recvbuf, receives(comm, root) ? used : 0, datatype);
    return copies.run(
        comm, [&] { return hand_down(Collective::reduce, why, real().Reduce, in, out, count, datatype, op, root, comm); });
  };
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return to_mpi(c.reason);
  const Reduction r = find_reduction(datatype, op);
  if (r.reason != Reason::none) return to_mpi(r.reason);
  const bool wrong = c.rank == root ? wrong_buffers(sendbuf, recvbuf) : sendbuf == nullptr || sendbuf == MPI_IN_PLACE;
  if (count < 0 || root < 0 || root >= c.size || (count > 0 && wrong)) return to_mpi(Reason::bad_argument);
  return run(Collective::reduce, c, elements(count) * r.size, [&] {
    return xylem_reduce(input(sendbuf), recvbuf, elements(count), r.type, r.op, root, c.xylem, XYLEM_STREAM_NONE);
  });
}

int reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    HostCopies copies;
    const std::ptrdiff_t used = may_use_buffers(why) ? recvcount : 0;
    const std::ptrdiff_t blocks = blocks_sent(comm);
    const void* const in = copies.input(sendbuf, used * blocks, datatype);
    void* const out = copies.output(recvbuf, sendbuf == MPI_IN_PLACE ? used * blocks : used, datatype);
    return copies.run(comm, [&] {
      return hand_down(Collective::reduce_scatter_block, why, real().Reduce_scatter_block, in, out, recvcount, datatype, op,
                       comm);
    });
  };
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return to_mpi(c.reason);
  const Reduction r = find_reduction(datatype, op);
  if (r.reason != Reason::none) return to_mpi(r.reason);
  if (recvcount < 0 || (recvcount > 0 && wrong_buffers(sendbuf, recvbuf))) return to_mpi(Reason::bad_argument);
  const std::size_t bytes = elements(recvcount) * elements(c.size) * r.size;
  return run(Collective::reduce_scatter_block, c, bytes, [&] {
    return xylem_reduce_scatter_block(input(sendbuf), recvbuf, elements(recvcount), r.type, r.op, c.xylem, XYLEM_STREAM_NONE);
  });
}

int bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    HostCopies copies;
    void* const data = copies.output(buffer, may_use_buffers(why) ? count : 0, datatype);
    return copies.run(comm,
                      [&] { return hand_down(Collective::bcast, why, real().Bcast, data, count, datatype, root, comm); });
  };
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return to_mpi(c.reason);
  if (count < 0 || root < 0 || root >= c.size) return to_mpi(Reason::bad_argument);
  const Layout layout(datatype);
  const std::size_t bytes = layout.bytes(count);
  if (!layout.usable() || (layout.dense() && buffer == nullptr && bytes > 0)) return to_mpi(Reason::bad_argument);

  const auto move = [&](void* data) {
    return run(Collective::bcast, c, bytes,
               [&] { return xylem_bcast(data, bytes, XYLEM_BYTE, root, c.xylem, XYLEM_STREAM_NONE); });
  };
  if (layout.dense() || bytes == 0) return move(buffer);
  const Scratch packed = scratch(bytes);
  if (packed == nullptr) return report_code(comm, MPI_ERR_NO_MEM);
  HostCopies copies;
  if (c.rank == root) {
    const void* const data = copies.input(buffer, count, datatype);
    return copies.run(comm, [&] {
      const int code = layout.pack(data, elements(count), packed.get());
      return code == MPI_SUCCESS ? move(packed.get()) : report_code(comm, code);
    });
  }
  void* const data = copies.output(buffer, count, datatype);
  return copies.run(comm, [&] {
    const int code = move(packed.get());
    if (code != MPI_SUCCESS) return code;
    return report_code(comm, layout.unpack(packed.get(), data, elements(count)));
  });
}

int allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
              MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    HostCopies copies;
    const bool used = may_use_buffers(why);
    const void* const in = copies.input(sendbuf, used ? sendcount : 0, sendtype);
    void* const all = copies.output(recvbuf, used ? recvcount * blocks_received(comm) : 0, recvtype);
    return copies.run(comm, [&] {
      return hand_down(Collective::allgather, why, real().Allgather, in, sendcount, sendtype, all, recvcount, recvtype, comm);
    });
  };
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return to_mpi(c.reason);
  if (recvcount < 0) return to_mpi(Reason::bad_argument);
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const Layout out(recvtype);
  const Layout in = in_place ? out : Layout(sendtype);
  const std::size_t own_place = elements(c.rank) * elements(recvcount);
  const std::size_t block = out.bytes(recvcount);
  if (!out.usable() || !in.usable() || recvbuf == MPI_IN_PLACE) return to_mpi(Reason::bad_argument);
  if (!in_place && (sendcount < 0 || in.bytes(sendcount) != block)) return to_mpi(Reason::bad_argument);
  if (block > 0) {
    const bool aliased = kMpiRefusesAliases && sendbuf == out.element(recvbuf, own_place);
    const bool nowhere = (out.dense() && recvbuf == nullptr) || (in.dense() && sendbuf == nullptr);
    if (aliased || nowhere) return to_mpi(Reason::bad_argument);
  }

  const auto gather = [&](const void* own, void* all) {
    return run(Collective::allgather, c, block,
               [&] { return xylem_allgather(own, all, block, XYLEM_BYTE, c.xylem, XYLEM_STREAM_NONE); });
  };
  if ((in.dense() && out.dense()) || block == 0) return gather(input(sendbuf), recvbuf);

  // What is not dense on this rank is packed into this rank's own block, and all blocks are unpacked in the end.
  Scratch packed;
  if (!out.dense()) {
    packed = scratch(block * elements(c.size));
    if (packed == nullptr) return report_code(comm, MPI_ERR_NO_MEM);
  }
  HostCopies copies;
  const void* const given = copies.input(sendbuf, sendcount, sendtype);
  void* const wanted = copies.output(recvbuf, recvcount * static_cast<std::ptrdiff_t>(c.size), recvtype);
  return copies.run(comm, [&] {
    void* const all = out.dense() ? wanted : packed.get();
    const void* own = given;
    if (!in.dense()) {
      own = XYLEM_IN_PLACE;
      void* const own_block = static_cast<std::byte*>(all) + elements(c.rank) * block;
      const int code = in_place ? out.pack(out.element(wanted, own_place), elements(recvcount), own_block)
                                : in.pack(given, elements(sendcount), own_block);
      if (code != MPI_SUCCESS) return report_code(comm, code);
    }
    const int code = gather(own, all);
    if (code != MPI_SUCCESS || out.dense()) return code;
    return report_code(comm, out.unpack(packed.get(), wanted, elements(c.size) * elements(recvcount)));
  });
}

int barrier(MPI_Comm comm) noexcept {
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return hand_down(Collective::barrier, c.reason, real().Barrier, comm);
  return run(Collective::barrier, c, 0, [&] { return xylem_barrier(c.xylem, XYLEM_STREAM_NONE); });
}

}  // namespace xylem::preload
