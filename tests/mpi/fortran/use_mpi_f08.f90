! The collectives through the module mpi_f08: handles of derived types, no error argument, error handling by a communicator's
! handler.
program use_mpi_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, i, failures, number, ierr
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: row
  type(MPI_Request) :: request
  integer, allocatable :: table(:, :), turned(:, :)
  integer(kind=8) :: in(5000), out(5000)
  double precision, allocatable :: blocks(:), block(:)
  integer, allocatable :: gathered(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., grid)
  failures = 0

  in = [(int(i, 8) * 2**20 + rank, i=1, 5000)]
  call MPI_Allreduce(in, out, 5000, MPI_INTEGER8, MPI_MIN, grid)
  if (any(out /= [(int(i, 8) * 2**20, i=1, 5000)])) failures = failures + 1
  call MPI_Allreduce(MPI_IN_PLACE, in, 5000, MPI_INTEGER8, MPI_MAX, grid)
  if (any(in /= out + ranks - 1)) failures = failures + 1

  allocate (gathered(2 * ranks), blocks(ranks), block(1))
  call MPI_Allgather([rank, -rank], 2, MPI_INTEGER, gathered, 2, MPI_INTEGER, grid)
  do i = 0, ranks - 1
    if (gathered(2 * i + 1) /= i .or. gathered(2 * i + 2) /= -i) failures = failures + 1
  end do

  blocks = [(dble(i), i=1, ranks)]
  call MPI_Reduce_scatter_block(blocks, block, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid)
  if (block(1) /= dble(ranks * (rank + 1))) failures = failures + 1

  ! Rows of a table that is stored by columns, one to each rank.
  allocate (table(ranks, 3), turned(3, ranks))
  do i = 1, ranks
    table(i, :) = [rank, i - 1, rank + i]
  end do
  call MPI_Type_vector(3, 1, ranks, MPI_INTEGER, row)
  block
    type(MPI_Datatype) :: next_row
    call MPI_Type_create_resized(row, 0_MPI_ADDRESS_KIND, int(storage_size(number) / 8, MPI_ADDRESS_KIND), next_row)
    call MPI_Type_commit(next_row)
    call MPI_Ialltoall(table, 1, next_row, turned, 3, MPI_INTEGER, grid, request)
    call MPI_Type_free(next_row)
  end block
  call MPI_Type_free(row)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  do i = 0, ranks - 1
    if (any(turned(:, i + 1) /= [i, rank, i + rank + 1])) failures = failures + 1
  end do

  number = rank
  call MPI_Bcast(number, 1, MPI_INTEGER, ranks - 1, grid)
  if (number /= ranks - 1) failures = failures + 1

  call MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN)
  call MPI_Bcast(number, 1, MPI_INTEGER, ranks, grid, ierr)
  if (ierr == MPI_SUCCESS) failures = failures + 1
  call MPI_Barrier(grid)
  call MPI_Comm_free(grid)

  if (failures /= 0) then
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end if
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'use_mpi_f08: good'
end program use_mpi_f08
