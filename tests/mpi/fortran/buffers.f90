! What a buffer may be in Fortran besides an array: MPI_IN_PLACE in every collective that takes it, MPI_BOTTOM, logical values, and
! the types that only Fortran has. The file includes itself once for each interface of MPI: mpif.h, the module mpi, and mpi_f08
! without an error argument.
#ifdef CHECK
! Returns the number of failures.
integer function CHECK(rank, ranks)
  MODULE_OF_MPI
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
  integer, intent(in) :: rank, ranks
  integer, parameter :: address = MPI_ADDRESS_KIND
  integer :: i, ierr, root, ones(ranks), places(ranks), bytes(ranks), own(ranks), all(ranks), part
  CHECK = 0
  own = [(100 * rank + i, i=0, ranks - 1)]
  ones = 1
  ! The last rank's block comes first.
  places = [(ranks - i, i=1, ranks)]
  bytes = 4 * places
  call in_place()
  call bottom()
  call logicals()
  call types()

contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    CHECK = CHECK + 1
    print '(a,i0,2a)', INTERFACE//', rank ', rank, ': ', what
  end subroutine expect

  subroutine in_place()
    HANDLE(MPI_Datatype) :: integers(ranks)
    HANDLE(MPI_Request) :: request
    integers = MPI_INTEGER
    do root = 0, ranks - 1
      all = own
      if (rank == root) then
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        call expect(all(root + 1) == 101 * root .and. count(all == [(100 * i, i=0, ranks - 1)]) >= ranks - 1, 'Gather')
        all = own
        call MPI_Scatter(all, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD IERR)
        call MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, ones, places, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        call expect(all(places(root + 1) + 1) == own(places(root + 1) + 1) .and. &
                    count(all(places + 1) == [(100 * i, i=0, ranks - 1)]) >= ranks - 1, 'Gatherv')
        all = own
        call MPI_Scatterv(all, ones, places, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD IERR)
        call expect(all(1) == own(1), 'Scatterv at the root')
        part = rank
        call MPI_Reduce(MPI_IN_PLACE, part, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD IERR)
        call expect(part == ranks * (ranks - 1) / 2, 'Reduce')
      else
        call MPI_Gather(own, 1, MPI_INTEGER, all, 0, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        call MPI_Scatter(own, 0, MPI_INTEGER, part, 1, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        call expect(part == 100 * root + rank, 'Scatter')
        call MPI_Gatherv(own, 1, MPI_INTEGER, all, ones, places, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        call MPI_Scatterv(own, ones, places, MPI_INTEGER, part, 1, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        call expect(part == 100 * root + places(rank + 1), 'Scatterv')
        call MPI_Reduce(rank, part, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD IERR)
      end if
    end do
    all = own
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call expect(all(ranks) == 101 * (ranks - 1) .and. all(1) == 0, 'Allgather')
    all(places(rank + 1) + 1) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, ones, places, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call expect(same(all(places + 1), [(i, i=0, ranks - 1)]), 'Allgatherv')
    all = own
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call expect(same(all, [(100 * i + rank, i=0, ranks - 1)]), 'Alltoall')
    all(places + 1) = own
    call MPI_Alltoallv(MPI_IN_PLACE, ones, places, MPI_DATATYPE_NULL, all, ones, places, MPI_INTEGER, MPI_COMM_WORLD IERR)
    call expect(same(all(places + 1), [(100 * i + rank, i=0, ranks - 1)]), 'Alltoallv')
    all(places + 1) = own
    call MPI_Alltoallw(MPI_IN_PLACE, ones, bytes, integers, all, ones, bytes, integers, MPI_COMM_WORLD IERR)
    call expect(same(all(places + 1), [(100 * i + rank, i=0, ranks - 1)]), 'Alltoallw')
    all = own
    call MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call expect(all(1) == 50 * ranks * (ranks - 1) + ranks * rank, 'Reduce_scatter_block')
    all = own
    call MPI_Reduce_scatter(MPI_IN_PLACE, all, ones, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call expect(all(1) == 50 * ranks * (ranks - 1) + ranks * rank, 'Reduce_scatter')
    all = 1
    call MPI_Scan(MPI_IN_PLACE, all, ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call expect(same(all, [(rank + 1, i=1, ranks)]), 'Scan')
    part = rank
    call MPI_Exscan(MPI_IN_PLACE, part, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD IERR)
    call expect(rank == 0 .or. part == rank * (rank - 1) / 2, 'Exscan')
    call MPI_Iallreduce(MPI_IN_PLACE, all, ranks, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request IERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
    call expect(same(all, [(ranks, i=1, ranks)]), 'Iallreduce')
  end subroutine in_place

  ! A datatype of absolute addresses: every second number of an array, and the end of another, in one message.
  subroutine bottom()
    integer, asynchronous :: scattered(9), tail(4)
    integer :: packed(7), joined(7, ranks)
    integer(address) :: at(5)
    HANDLE(MPI_Datatype) :: absolute
    HANDLE(MPI_Request) :: request
    do i = 1, 4
      call MPI_Get_address(scattered(2 * i), at(i) IERR)
    end do
    call MPI_Get_address(tail(2), at(5) IERR)
    call MPI_Type_create_hindexed(5, [1, 1, 1, 1, 3], at, MPI_INTEGER, absolute IERR)
    call MPI_Type_commit(absolute IERR)
    do root = 0, ranks - 1
      scattered = -1
      tail = -2
      packed = [(1000 * root + i, i=1, 7)]
      if (rank == root) then
        call MPI_Bcast(packed, 7, MPI_INTEGER, root, MPI_COMM_WORLD IERR)
        scattered(2:8:2) = packed(:4)
        tail(2:) = packed(5:)
      else
        call MPI_Bcast(MPI_BOTTOM, 1, absolute, root, MPI_COMM_WORLD IERR)
      end if
      call expect(same(scattered(2:8:2), packed(:4)) .and. same(tail(2:), packed(5:)), 'Bcast to absolute addresses')
      call expect(same(scattered(1:9:2), [-1, -1, -1, -1, -1]) .and. tail(1) == -2, 'Bcast between absolute addresses')
    end do
    scattered = rank
    tail = 10 * rank
    call MPI_Iallgather(MPI_BOTTOM, 1, absolute, joined, 7, MPI_INTEGER, MPI_COMM_WORLD, request IERR)
    call MPI_Type_free(absolute IERR)
    call MPI_Wait(request, MPI_STATUS_IGNORE IERR)
    do i = 0, ranks - 1
      call expect(same(joined(:, i + 1), [i, i, i, i, 10 * i, 10 * i, 10 * i]), 'Iallgather from absolute addresses')
    end do
  end subroutine bottom

  subroutine logicals()
    logical :: given(4), got(4), done
    HANDLE(MPI_Request) :: request
    given = [.true., rank == 0, .false., rank /= 0]
    call MPI_Allreduce(given, got, 4, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD IERR)
    call expect(alike(got, [.true., ranks == 1, .false., .false.]), 'MPI_LAND')
    call MPI_Allreduce(given, got, 4, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD IERR)
    call expect(alike(got, [.true., .true., .false., ranks > 1]), 'MPI_LOR')
    call MPI_Iallreduce(given, got, 4, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, request IERR)
    done = .false.
    do while (.not. done)
      call MPI_Test(request, done, MPI_STATUS_IGNORE IERR)
    end do
    call expect(alike(got, [modulo(ranks, 2) == 1, .true., .false., modulo(ranks - 1, 2) == 1]), 'MPI_LXOR')
    given = rank == ranks - 1
    call MPI_Bcast(given, 4, MPI_LOGICAL, ranks - 1, MPI_COMM_WORLD IERR)
    call expect(alike(given, [.true., .true., .true., .true.]), 'Bcast of logical values')
  end subroutine logicals

  subroutine types()
    real :: pair(2), best(2)
    double precision :: wide(2), widest(2)
    integer :: place(2), first(2)
    integer(1) :: tiny(3), least(3)
    integer(2) :: short(3), sums(3)
    complex :: turn, turned
    character(len=9) :: word
    pair = [real(modulo(rank, 2)), real(rank)]
    call MPI_Allreduce(pair, best, 1, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD IERR)
    call expect(best(1) == min(1, ranks - 1) .and. best(2) == min(1, ranks - 1), 'MPI_2REAL')
    wide = [-dble(rank), dble(rank)]
    call MPI_Allreduce(wide, widest, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD IERR)
    call expect(widest(1) == -dble(ranks - 1) .and. widest(2) == dble(ranks - 1), 'MPI_2DOUBLE_PRECISION')
    place = [7, ranks - rank]
    call MPI_Reduce(place, first, 1, MPI_2INTEGER, MPI_MINLOC, 0, MPI_COMM_WORLD IERR)
    call expect(rank /= 0 .or. same(first, [7, 1]), 'MPI_2INTEGER')
    tiny = int([rank - 100, 5, -rank], 1)
    call MPI_Allreduce(tiny, least, 3, MPI_INTEGER1, MPI_MIN, MPI_COMM_WORLD IERR)
    call expect(same(int(least), [-100, 5, 1 - ranks]), 'MPI_INTEGER1')
    short = int([300, rank, -1], 2)
    call MPI_Allreduce(short, sums, 3, MPI_INTEGER2, MPI_SUM, MPI_COMM_WORLD IERR)
    call expect(same(int(sums), [300 * ranks, ranks * (ranks - 1) / 2, -ranks]), 'MPI_INTEGER2')
    turn = (0.0, 1.0)
    call MPI_Allreduce(turn, turned, 1, MPI_COMPLEX, MPI_PROD, MPI_COMM_WORLD IERR)
    call expect(turned == turn**ranks, 'MPI_COMPLEX')
    word = merge('from root', 'elsewhere', rank == 0)
    call MPI_Bcast(word, 9, MPI_CHARACTER, 0, MPI_COMM_WORLD IERR)
    call expect(word == 'from root', 'MPI_CHARACTER')
  end subroutine types

  ! `all` is a variable here.
  pure logical function same(a, b)
    integer, intent(in) :: a(:), b(:)
    same = count(a == b) == size(b)
  end function same
  pure logical function alike(a, b)
    logical, intent(in) :: a(:), b(:)
    alike = count(a .eqv. b) == size(b)
  end function alike
end function CHECK
#undef CHECK
#undef MODULE_OF_MPI
#undef INTERFACE
#else

#define HANDLE(kind) integer
#define IERR , ierr

#define MPIF
#define CHECK with_mpif
#define MODULE_OF_MPI
#define INTERFACE 'mpif.h'
#include "buffers.f90"
#undef MPIF

#define CHECK with_mpi
#define MODULE_OF_MPI use mpi
#define INTERFACE 'mpi'
#include "buffers.f90"

#undef HANDLE
#undef IERR
#define HANDLE(kind) type(kind)
#define IERR
#define CHECK with_mpi_f08
#define MODULE_OF_MPI use mpi_f08
#define INTERFACE 'mpi_f08'
#include "buffers.f90"

program buffers
  use mpi
  implicit none
  integer, external :: with_mpif, with_mpi, with_mpi_f08
  integer :: ierr, rank, ranks

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  if (with_mpif(rank, ranks) + with_mpi(rank, ranks) + with_mpi_f08(rank, ranks) /= 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'buffers: good'
end program buffers
#endif
