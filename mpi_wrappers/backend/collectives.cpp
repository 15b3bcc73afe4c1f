#include "backend/collectives.hpp"

#include <algorithm>
#include <cstddef>

#include "backend/communicators.hpp"
#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/packing.hpp"
#include "backend/reductions.hpp"
#include "backend/statistics.hpp"
#include "xylem/xylem.h"

namespace xylem::preload {
namespace {

template <class Function, class... Args>
int hand_down(Collective collective, Reason reason, Function* function, Args... args) {
  count_handed_down(collective, reason);
  return call_mpi(function, args...);
}

// Runs one collective on Xylem; `call` returns its status.
template <class Call>
int run(Collective collective, const Communicator& comm, std::size_t bytes, Call&& call) {
  const xylem_status status = counted(collective, bytes, call);
  return status == XYLEM_SUCCESS ? MPI_SUCCESS : report(comm.mpi, status);
}

#ifdef MPICH_VERSION
constexpr bool kMpiRefusesAliases = true;
#else
constexpr bool kMpiRefusesAliases = false;
#endif

// Buffers with which the MPI refuses a reduction on the spot. Where it lets equal buffers pass, Xylem works in place.
bool wrong_buffers(const void* sendbuf, const void* recvbuf) {
  return sendbuf == nullptr || recvbuf == nullptr || recvbuf == MPI_IN_PLACE || (kMpiRefusesAliases && sendbuf == recvbuf);
}

const void* input(const void* sendbuf) { return sendbuf == MPI_IN_PLACE ? XYLEM_IN_PLACE : sendbuf; }

std::size_t elements(int count) { return static_cast<std::size_t>(count); }

}  // namespace

int allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    return hand_down(Collective::allreduce, why, real().Allreduce, sendbuf, recvbuf, count, datatype, op, comm);
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
    return hand_down(Collective::reduce, why, real().Reduce, sendbuf, recvbuf, count, datatype, op, root, comm);
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
    return hand_down(Collective::reduce_scatter_block, why, real().Reduce_scatter_block, sendbuf, recvbuf, recvcount,
                     datatype, op, comm);
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
    return hand_down(Collective::bcast, why, real().Bcast, buffer, count, datatype, root, comm);
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
  if (c.rank == root) {
    const int code = layout.pack(buffer, elements(count), packed.get());
    return code == MPI_SUCCESS ? move(packed.get()) : report_code(comm, code);
  }
  const int code = move(packed.get());
  if (code != MPI_SUCCESS) return code;
  return report_code(comm, layout.unpack(packed.get(), buffer, elements(count)));
}

int allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
              MPI_Comm comm) noexcept {
  const auto to_mpi = [&](Reason why) {
    return hand_down(Collective::allgather, why, real().Allgather, sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype,
                     comm);
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
  void* const all = out.dense() ? recvbuf : packed.get();
  const void* own = sendbuf;
  if (!in.dense()) {
    own = XYLEM_IN_PLACE;
    void* const own_block = static_cast<std::byte*>(all) + elements(c.rank) * block;
    const int code = in_place ? out.pack(out.element(recvbuf, own_place), elements(recvcount), own_block)
                              : in.pack(sendbuf, elements(sendcount), own_block);
    if (code != MPI_SUCCESS) return report_code(comm, code);
  }
  const int code = gather(own, all);
  if (code != MPI_SUCCESS || out.dense()) return code;
  return report_code(comm, out.unpack(packed.get(), recvbuf, elements(c.size) * elements(recvcount)));
}

int barrier(MPI_Comm comm) noexcept {
  const Communicator& c = find(comm);
  if (c.xylem == nullptr) return hand_down(Collective::barrier, c.reason, real().Barrier, comm);
  return run(Collective::barrier, c, 0, [&] { return xylem_barrier(c.xylem, XYLEM_STREAM_NONE); });
}

}  // namespace xylem::preload
