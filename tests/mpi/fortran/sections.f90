! Sections of arrays as buffers, through the module mpi_f08: contiguous ones, and rows, blocks and strides of larger arrays, in
! blocking and, where the MPI supports them there, in nonblocking collectives. What lies beside a section stays. (Both MPIs want a
! section with strides to have as many elements as its count says: no blocks of several ranks.)
program sections
  use mpi_f08
  implicit none
  integer :: rank, ranks, root, i, failures

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  failures = 0
  call broadcasts()
  call blocks()
  call reductions()
#ifndef OPENMPI
  call nonblocking()
#endif
  if (failures /= 0) then
    print '(a,i0,a,i0,a)', 'rank ', rank, ': ', failures, ' failures'
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end if
  call MPI_Finalize()
  if (rank == 0) print '(a)', 'sections: good'

contains
  subroutine expect(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    if (good) return
    failures = failures + 1
    print '(a,i0,2a)', 'rank ', rank, ': ', what
  end subroutine expect

  ! A table with a number of its own in each place.
  function numbered(rows, columns, first) result(table)
    integer, intent(in) :: rows, columns, first
    integer :: table(rows, columns)
    table = reshape([(first + i, i=1, rows * columns)], [rows, columns])
  end function numbered

  ! As large arrays are passed on in programs: the shape comes along.
  subroutine pass_on(some)
    integer, intent(inout) :: some(:, :)
    call MPI_Bcast(some, size(some), MPI_INTEGER, root, MPI_COMM_WORLD)
  end subroutine pass_on

  subroutine broadcasts()
    integer :: table(6, 8), there(6, 8), line(40), there_line(40)
    integer, allocatable :: long(:, :)
    do root = 0, ranks - 1
      there = numbered(6, 8, 1000 * root)
      table = merge(there, -1, rank == root)
      call MPI_Bcast(table(:, 3:5), 18, MPI_INTEGER, root, MPI_COMM_WORLD)
      call expect(all(table(:, 3:5) == there(:, 3:5)), 'columns')
      call expect(rank == root .or. all(table(:, [1, 2, 6, 7, 8]) == -1), 'beside columns')

      table = merge(there, -1, rank == root)
      call MPI_Bcast(table(4, :), 8, MPI_INTEGER, root, MPI_COMM_WORLD)
      call expect(all(table(4, :) == there(4, :)), 'a row')
      call expect(rank == root .or. all(table([1, 2, 3, 5, 6], :) == -1), 'beside a row')

      table = merge(there, -1, rank == root)
      call pass_on(table(2:5, 2:8:3))
      call expect(all(table(2:5, 2:8:3) == there(2:5, 2:8:3)), 'a block with strides')
      call expect(rank == root .or. count(table == -1) == 48 - 12, 'beside a block with strides')

      ! Each rank may have its own section of the same number of elements.
      there_line = [(2000 * root + i, i=1, 40)]
      line = merge(there_line, -1, rank == root)
      if (rank == root) then
        call MPI_Bcast(line(11:20), 10, MPI_INTEGER, root, MPI_COMM_WORLD)
      else
        call MPI_Bcast(line(1:40:4), 10, MPI_INTEGER, root, MPI_COMM_WORLD)
        call expect(all(line(1:40:4) == there_line(11:20)) .and. count(line == -1) == 30, 'every fourth of a line')
      end if

      ! Enough for many chunks, with bounds that do not begin with 1.
      allocate (long(0:99, -5:994))
      long = -1
      if (rank == root) long(7, :) = [(i, i=1, 1000)]
      call MPI_Bcast(long(7, :), 1000, MPI_INTEGER, root, MPI_COMM_WORLD)
      call expect(all(long(7, :) == [(i, i=1, 1000)]) .and. count(long == -1) == 99000, 'a row of a large table')
      call expect(lbound(long, 1) == 0 .and. lbound(long, 2) == -5 .and. ubound(long, 2) == 994, 'bounds of the large table')
      deallocate (long)
    end do
  end subroutine broadcasts

  subroutine blocks()
    integer :: table(5, 4), gathered(4, ranks), part(2, 4)
    table = numbered(5, 4, 1000 * rank)
    call MPI_Allgather(table(3, :), 4, MPI_INTEGER, gathered, 4, MPI_INTEGER, MPI_COMM_WORLD)
    do i = 0, ranks - 1
      call expect(all(gathered(:, i + 1) == 1000 * i + [3, 8, 13, 18]), 'Allgather of a row')
    end do
    do root = 0, ranks - 1
      part = -1
      gathered = numbered(4, ranks, 100 * root)
      call MPI_Scatter(gathered, 4, MPI_INTEGER, part(2, :), 4, MPI_INTEGER, root, MPI_COMM_WORLD)
      call expect(all(part(2, :) == 100 * root + 4 * rank + [1, 2, 3, 4]) .and. all(part(1, :) == -1), 'Scatter to a row')
      gathered = -1
      call MPI_Gather(table(1:4:3, 1:2), 4, MPI_INTEGER, gathered, 4, MPI_INTEGER, root, MPI_COMM_WORLD)
      do i = 0, ranks - 1
        call expect(rank /= root .or. all(gathered(:, i + 1) == 1000 * i + [1, 4, 6, 9]), 'Gather of a block with strides')
      end do
    end do
  end subroutine blocks

  ! Where the elements lie side by side.
  subroutine reductions()
    integer :: table(6, 8), sums(6, 8)
    table = rank
    sums = -1
    call MPI_Allreduce(table(:, 2:3), sums(:, 5:6), 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(sums(:, 5:6) == ranks * (ranks - 1) / 2) .and. count(sums == -1) == 36, 'Allreduce of columns')
    call MPI_Allreduce(MPI_IN_PLACE, table(2:4, 8), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect(all(table(2:4, 8) == ranks - 1) .and. count(table == rank) >= 45, 'Allreduce of a part of a column')
  end subroutine reductions

#ifndef OPENMPI
  subroutine nonblocking()
    integer, asynchronous :: table(6, 8), joined(8, ranks), other(6, 8)
    type(MPI_Request) :: requests(2)
    do root = 0, ranks - 1
      table = numbered(6, 8, 1000 * rank)
      other = merge(numbered(6, 8, root), -1, rank == root)
      call MPI_Iallgather(table(6, :), 8, MPI_INTEGER, joined, 8, MPI_INTEGER, MPI_COMM_WORLD, requests(1))
      call MPI_Ibcast(other(1:6:5, 2:4), 6, MPI_INTEGER, root, MPI_COMM_WORLD, requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      do i = 0, ranks - 1
        call expect(all(joined(:, i + 1) == 1000 * i + [6, 12, 18, 24, 30, 36, 42, 48]), 'Iallgather of a row')
      end do
      call expect(all(other(1, 2:4) == root + [7, 13, 19]) .and. all(other(6, 2:4) == root + [12, 18, 24]), 'Ibcast')
      call expect(rank == root .or. count(other == -1) == 42, 'beside a section of Ibcast')
    end do
  end subroutine nonblocking
#endif
end program sections
