"""Collectives of mpi4py on NumPy arrays. Python loads the MPI as a private library of an extension module."""
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
ranks = numpy.arange(size)


def check(name, got, wanted):
    assert numpy.array_equal(got, wanted), f"{name} on rank {rank}: {got} in place of {wanted}"


def blocks(value):
    """Three numbers for, or from, each rank: value(of the rank)."""
    return numpy.concatenate([numpy.full(3, value(other)) for other in ranks]).astype("d")


for communicator in (world, world.Dup(), world.Split(0, -rank)):
    me, root = communicator.Get_rank(), size - 1
    own = numpy.full(1000, float(me))

    total = numpy.zeros(1000)
    communicator.Allreduce(own, total, MPI.SUM)
    check("Allreduce", total, numpy.full(1000, ranks.sum()))
    communicator.Allreduce(MPI.IN_PLACE, total, MPI.MAX)
    check("Allreduce in place", total, numpy.full(1000, ranks.sum()))

    total[:] = -1
    communicator.Reduce(own, total, MPI.SUM, root)
    check("Reduce", total, numpy.full(1000, ranks.sum() if me == root else -1))

    number = numpy.array([1j * me])
    communicator.Bcast(number, root)
    check("Bcast", number, [1j * root])

    gathered = numpy.zeros(3 * size)
    communicator.Allgather(own[:3], gathered)
    check("Allgather", gathered, blocks(lambda other: other))

    part = numpy.zeros(3)
    communicator.Reduce_scatter_block(blocks(lambda other: other + me), part)
    check("Reduce_scatter_block", part, numpy.full(3, size * me + ranks.sum()))

    exchanged = numpy.zeros(3 * size)
    communicator.Alltoall(blocks(lambda other: 100 * me + other), exchanged)
    check("Alltoall", exchanged, blocks(lambda other: 100 * other + me))

    counts = ranks + 1
    joined = numpy.zeros(counts.sum())
    communicator.Allgatherv(numpy.full(me + 1, float(me)), [joined, counts])
    check("Allgatherv", joined, numpy.repeat(ranks, counts))

    communicator.Gather(own[:3], gathered if me == root else None, root)
    part[:] = 0
    communicator.Scatter(blocks(lambda other: other) if me == root else None, part, root)
    check("Scatter", part, own[:3])

    communicator.Scan(own[:3], part)
    check("Scan", part, numpy.full(3, ranks[:me + 1].sum()))

    # Objects are pickled, and travel as bytes.
    assert communicator.allreduce({me}, lambda a, b: a | b) == set(ranks)
    assert communicator.bcast({"from": root} if me == root else None, root) == {"from": root}

    request = communicator.Iallreduce(own, total)
    request.Wait()
    check("Iallreduce", total, numpy.full(1000, ranks.sum()))
    communicator.Barrier()

if rank == 0:
    print("all collectives gave exact results")
