! The collectives through the module mpi, on communicators of the program's own, with complex numbers and pairs.
program use_mpi
  use mpi
  implicit none
  integer :: ierr, rank, ranks, i, failures, duplicate, reversed, reversed_rank, root
  complex(kind=kind(1d0)) :: in(300), out(300)
  real :: pair(2), best(2)
  integer :: value, request
  integer, allocatable :: all(:)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, duplicate, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, ierr)
  call MPI_Comm_rank(reversed, reversed_rank, ierr)
  failures = 0

  in = [(cmplx(i, rank, kind(1d0)), i=1, 300)]
  call MPI_Allreduce(in, out, 300, MPI_DOUBLE_COMPLEX, MPI_SUM, duplicate, ierr)
  do i = 1, 300
    if (out(i) /= cmplx(ranks * i, ranks * (ranks - 1) / 2, kind(1d0))) failures = failures + 1
  end do

  ! The largest value is at the last rank; in MPI_2REAL the place is a real too.
  pair = [real(rank), real(10 + rank)]
  call MPI_Allreduce(pair, best, 1, MPI_2REAL, MPI_MAXLOC, reversed, ierr)
  if (best(1) /= real(ranks - 1) .or. best(2) /= real(9 + ranks)) failures = failures + 1

  do root = 0, ranks - 1
    value = merge(100 + root, -1, reversed_rank == root)
    call MPI_Bcast(value, 1, MPI_INTEGER, root, reversed, ierr)
    if (value /= 100 + root) failures = failures + 1
    value = 1
    if (reversed_rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, root, reversed, ierr)
      if (value /= ranks) failures = failures + 1
    else
      call MPI_Reduce(value, i, 1, MPI_INTEGER, MPI_SUM, root, reversed, ierr)
    end if

    ! There and back: the root adds its own number to what each rank has given.
    value = 10 * reversed_rank
    all = [(-1, i=1, ranks)]
    call MPI_Gather(value, 1, MPI_INTEGER, all, 1, MPI_INTEGER, root, reversed, ierr)
    if (reversed_rank == root .and. any(all /= [(10 * i, i=0, ranks - 1)])) failures = failures + 1
    all = all + root
    call MPI_Iscatter(all, 1, MPI_INTEGER, value, 1, MPI_INTEGER, root, reversed, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    if (value /= 10 * reversed_rank + root) failures = failures + 1
  end do

  call MPI_Comm_free(duplicate, ierr)
  call MPI_Comm_free(reversed, ierr)
  if (failures /= 0) then
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'use_mpi: good'
end program use_mpi
