! Requests of collectives beside those of messages, through mpif.h (handles are integers, indices begin with 1) and through the
! module mpi_f08.
#ifdef OPENMPI
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

! Returns the number of failures.
integer function with_mpif(rank, ranks)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank, ranks
  integer, asynchronous :: given(100), sums(100), received, sent, total
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), indices(4), status(MPI_STATUS_SIZE)
  integer :: ierr, round, i, completed, index, persistent
  logical :: flag

  call MPI_Allreduce_init(rank, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, persistent, ierr)
  with_mpif = 0
  do round = 1, 6
    given = rank + round
    sent = 10 * rank + round
    call MPI_Iallreduce(given, sums, 100, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Irecv(received, 1, MPI_INTEGER, modulo(rank - 1, ranks), 3, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(3), ierr)
    call MPI_Isend(sent, 1, MPI_INTEGER, modulo(rank + 1, ranks), 3, MPI_COMM_WORLD, requests(4), ierr)
    select case (round)
    case (1)
      call MPI_Waitall(4, requests, statuses, ierr)
      if (statuses(MPI_SOURCE, 2) /= modulo(rank - 1, ranks) .or. statuses(MPI_TAG, 2) /= 3) with_mpif = with_mpif + 1
      call MPI_Get_count(statuses(:, 1), MPI_INTEGER, completed, ierr)
      if (completed /= 0) with_mpif = with_mpif + 1
    case (2)
      do i = 1, 4
        call MPI_Waitany(4, requests, index, status, ierr)
        if (index < 1 .or. index > 4 .or. requests(index) /= MPI_REQUEST_NULL) with_mpif = with_mpif + 1
      end do
    case (3)
      i = 0
      do while (i < 4)
        call MPI_Waitsome(4, requests, completed, indices, MPI_STATUSES_IGNORE, ierr)
        if (any(requests(indices(:completed)) /= MPI_REQUEST_NULL)) with_mpif = with_mpif + 1
        i = i + completed
      end do
    case (4)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, ierr)
      end do
    case (5)
      do i = 4, 1, -1
        flag = .false.
        do while (.not. flag)
          call MPI_Request_get_status(requests(i), flag, status, ierr)
        end do
        call MPI_Wait(requests(i), status, ierr)
      end do
    case (6)
      do i = 1, 4
        flag = .false.
        do while (.not. flag)
          call MPI_Testany(4, requests, index, flag, status, ierr)
        end do
      end do
    end select
    if (any(requests /= MPI_REQUEST_NULL) .or. received /= 10 * modulo(rank - 1, ranks) + round) with_mpif = with_mpif + 1
    if (any(sums /= ranks * (ranks - 1) / 2 + ranks * round)) with_mpif = with_mpif + 1

    total = -1
    call MPI_Start(persistent, ierr)
    call MPI_Wait(persistent, MPI_STATUS_IGNORE, ierr)
    if (total /= ranks - 1 .or. persistent == MPI_REQUEST_NULL) with_mpif = with_mpif + 1
  end do
  call MPI_Request_free(persistent, ierr)
  if (persistent /= MPI_REQUEST_NULL) with_mpif = with_mpif + 1
end function with_mpif

integer function with_mpi_f08(rank, ranks)
  use mpi_f08
  implicit none
  integer, intent(in) :: rank, ranks
  double precision, asynchronous :: given(1000), sums(1000), largest(1000)
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: statuses(3)
  type(MPI_Comm) :: comm
  integer :: round, i, elements
  logical :: flag

  with_mpi_f08 = 0
  do round = 1, 3
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    given = dble(rank + round)
    call MPI_Iallreduce(given, sums, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, comm, requests(1))
    call MPI_Iallreduce(given, largest, 1000, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, requests(2))
    call MPI_Ibarrier(comm, requests(3))
    call MPI_Comm_free(comm)
    select case (round)
    case (1)
      call MPI_Waitall(3, requests, statuses)
      call MPI_Get_count(statuses(2), MPI_DOUBLE_PRECISION, elements)
      if (elements /= 0) with_mpi_f08 = with_mpi_f08 + 1
    case (2)
      do i = 1, 3
        call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
      end do
    case (3)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(3, requests, flag, MPI_STATUSES_IGNORE)
      end do
    end select
    do i = 1, 3
      if (requests(i) /= MPI_REQUEST_NULL) with_mpi_f08 = with_mpi_f08 + 1
    end do
    if (any(sums /= dble(ranks * (ranks - 1) / 2 + ranks * round))) with_mpi_f08 = with_mpi_f08 + 1
    if (any(largest /= dble(ranks - 1 + round))) with_mpi_f08 = with_mpi_f08 + 1
  end do
end function with_mpi_f08

program requests
  use mpi
  implicit none
  integer, external :: with_mpif, with_mpi_f08
  integer :: ierr, rank, ranks, failures

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  failures = with_mpif(rank, ranks) + with_mpi_f08(rank, ranks)
  if (failures /= 0) then
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'requests: good'
end program requests
