#include "backend/collectives/collectives.hpp"

#include "backend/collectives/alltoall.hpp"
#include "backend/collectives/barrier.hpp"
#include "backend/collectives/folding.hpp"
#include "backend/collectives/forms.hpp"
#include "backend/collectives/gather.hpp"
#include "backend/collectives/movement.hpp"
#include "backend/collectives/reduce.hpp"
#include "backend/collectives/scatter.hpp"

namespace xylem::preload {
namespace {

// Where the MPI has the function, or that of number `older` which can stand in for it.
template <class Function>
void put(xylem_mpi_function* wrapper, int number, Function* function, int older) {
  if (front().real[number] != nullptr || front().real[older] != nullptr)
    wrapper[number] = reinterpret_cast<xylem_mpi_function>(function);
}

template <class Function>
void put(xylem_mpi_function* wrapper, int number, Function* function) {
  put(wrapper, number, function, number);
}

// The forms of one collective, in the order of COLLECTIVE in front/functions.def. `declared` is what mpi.h says of the first.
template <template <class> class Call, template <class> class Arguments, int number>
void take_over(xylem_mpi_function* wrapper, typename Arguments<Narrow>::Signature* MpiFunctions::* /*declared*/) {
  using NarrowForms = Forms<Call<Arguments<Narrow>>, Arguments<Narrow>>;
  using WideForms = Forms<Call<Arguments<Wide>>, Arguments<Wide>>;
  put(wrapper, number, NarrowForms::template blocking<number>);
  put(wrapper, number + 1, WideForms::template blocking<number + 1>, number);
  put(wrapper, number + 2, NarrowForms::template nonblocking<number + 2>);
  put(wrapper, number + 3, WideForms::template nonblocking<number + 3>, number + 2);
  put(wrapper, number + 4, NarrowForms::template persistent<number + 4>);
  put(wrapper, number + 5, WideForms::template persistent<number + 5>, number + 4);
  put(wrapper, number + 6, NarrowForms::template persistent<number + 6>);
}

void take_over_barrier(xylem_mpi_function* wrapper) {
  using BarrierForms = Forms<Meeting, Barrier>;
  put(wrapper, XYLEM_MPI_Barrier, BarrierForms::blocking<XYLEM_MPI_Barrier>);
  put(wrapper, XYLEM_MPI_Ibarrier, BarrierForms::nonblocking<XYLEM_MPI_Ibarrier>);
  put(wrapper, XYLEM_MPI_Barrier_init, BarrierForms::persistent<XYLEM_MPI_Barrier_init>);
  put(wrapper, XYLEM_MPIX_Barrier_init, BarrierForms::persistent<XYLEM_MPIX_Barrier_init>);
}

}  // namespace

void take_over_collectives(xylem_mpi_function* wrapper) {
  take_over_barrier(wrapper);
#define TAKE_OVER(name, call, arguments) take_over<call, arguments, XYLEM_MPI_##name>(wrapper, &MpiFunctions::name)
  TAKE_OVER(Allgather, Movement, Allgather);
  TAKE_OVER(Allgatherv, Movement, Allgatherv);
  TAKE_OVER(Allreduce, Folding, Allreduce);
  TAKE_OVER(Alltoall, Movement, Alltoall);
  TAKE_OVER(Alltoallv, Movement, Alltoallv);
  TAKE_OVER(Alltoallw, Movement, Alltoallw);
  TAKE_OVER(Bcast, Movement, Bcast);
  TAKE_OVER(Exscan, Folding, Exscan);
  TAKE_OVER(Gather, Movement, Gather);
  TAKE_OVER(Gatherv, Movement, Gatherv);
  TAKE_OVER(Reduce, Folding, Reduce);
  TAKE_OVER(Reduce_scatter, Folding, ReduceScatter);
  TAKE_OVER(Reduce_scatter_block, Folding, ReduceScatterBlock);
  TAKE_OVER(Scan, Folding, Scan);
  TAKE_OVER(Scatter, Movement, Scatter);
  TAKE_OVER(Scatterv, Movement, Scatterv);
#undef TAKE_OVER
}

}  // namespace xylem::preload
