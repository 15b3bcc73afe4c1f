! The collectives through mpif.h: no interfaces, MPI_IN_PLACE as a sentinel in a common block.
program include_mpif
  implicit none
  include 'mpif.h'
  integer :: ierr, rank, ranks, i, failures
  integer :: number, total
  double precision :: in(1000), out(1000)
  integer, allocatable :: gathered(:), blocks(:), counts(:), places(:), received(:)
  logical :: mine, all_of_them

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  allocate (gathered(ranks), blocks(2 * ranks), counts(ranks), places(ranks), received(ranks * ranks))
  failures = 0

  in = [(dble(i + rank), i=1, 1000)]
  call MPI_Allreduce(in, out, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  do i = 1, 1000
    if (out(i) /= dble(ranks * i + ranks * (ranks - 1) / 2)) failures = failures + 1
  end do
  call MPI_Allreduce(MPI_IN_PLACE, in, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (any(in /= out)) failures = failures + 1

  number = rank + 1
  total = -1
  call MPI_Reduce(number, total, 1, MPI_INTEGER, MPI_MAX, ranks - 1, MPI_COMM_WORLD, ierr)
  if (rank == ranks - 1 .and. total /= ranks) failures = failures + 1

  number = merge(4711, 0, rank == 0)
  call MPI_Bcast(number, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  if (number /= 4711) failures = failures + 1

  call MPI_Allgather(rank, 1, MPI_INTEGER, gathered, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (any(gathered /= [(i, i=0, ranks - 1)])) failures = failures + 1
  gathered = -1
  gathered(rank + 1) = 3 * rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (any(gathered /= [(3 * i, i=0, ranks - 1)])) failures = failures + 1

  blocks = [(i, i=1, 2 * ranks)]
  call MPI_Reduce_scatter_block(MPI_IN_PLACE, blocks, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (any(blocks(1:2) /= ranks * [2 * rank + 1, 2 * rank + 2])) failures = failures + 1

  mine = rank /= 1
  call MPI_Allreduce(mine, all_of_them, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  if (all_of_them .neqv. ranks < 2) failures = failures + 1

  ! Rank r, counted from 1, has r elements for everybody.
  counts = [(i, i=1, ranks)]
  places = [(i * (i - 1) / 2, i=1, ranks)]
  received = -1
  blocks = rank
  call MPI_Allgatherv(blocks, rank + 1, MPI_INTEGER, received, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  do i = 1, ranks
    if (any(received(places(i) + 1:places(i) + i) /= i - 1)) failures = failures + 1
  end do
  blocks = 1
  call MPI_Reduce_scatter(MPI_IN_PLACE, received, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (any(received(1:rank + 1) /= ranks * rank)) failures = failures + 1

  gathered = [(100 * rank + i, i=1, ranks)]
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (any(gathered /= [(100 * i + rank + 1, i=0, ranks - 1)])) failures = failures + 1

  number = rank + 1
  total = 0
  call MPI_Scan(number, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (total /= (rank + 1) * (rank + 2) / 2) failures = failures + 1
  call MPI_Exscan(MPI_IN_PLACE, number, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank > 0 .and. number /= rank * (rank + 1) / 2) failures = failures + 1

  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (failures /= 0) then
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'include_mpif: good'
end program include_mpif
