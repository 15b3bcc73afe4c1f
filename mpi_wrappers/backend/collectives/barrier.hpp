// The barrier: arguments and call (collectives/movement.hpp) in one, as there is nothing but the communicator.
#pragma once

#include <mpi.h>

#include "backend/collectives/blocks.hpp"
#include "backend/collectives/peers.hpp"
#include "backend/collectives/xylem_call.hpp"
#include "backend/errors.hpp"
#include "backend/mpi_functions.hpp"
#include "backend/reason.hpp"
#include "backend/statistics.hpp"

namespace xylem::preload {

struct Barrier {
  using Signature = int(MPI_Comm);
  static constexpr Collective kCollective = Collective::barrier;

  MPI_Comm comm;

  static EvenBlocks sent(const Peers&) { return EvenBlocks::none(nullptr); }
  static EvenBlocks received(const Peers&) { return EvenBlocks::none(nullptr); }
  template <class Function, class... More>
  int pass_on(const Function& function, const void*, void*, More... more) const {
    return call_mpi(comm, function, comm, more...);
  }
};

class Meeting {
 public:
  Meeting(const Barrier&, const Communicator& comm) : comm_(comm.xylem) {}

  static Reason reason() { return Reason::none; }
  static std::size_t bytes() { return 0; }

  void keep() {}
  void use(xylem_comm_t comm) { comm_ = comm; }
  xylem_comm_t comm() const { return comm_; }
  static Outcome begin() { return {}; }
  xylem_status start(xylem_request_t* request) { return call_xylem(xylem_barrier, xylem_ibarrier, request, comm_); }
  static Outcome finish(xylem_status status) { return {MPI_SUCCESS, status}; }

 private:
  xylem_comm_t comm_;
};

}  // namespace xylem::preload
