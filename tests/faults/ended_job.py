#!/usr/bin/env python3
"""What becomes of a job under its own mpirun when one of its ranks is killed, or calls MPI_Abort.

usage: ended_job.py --mpi NAME --mpirun PATH --preload LIBRARY [--go-on | --abort] -- program

mpirun ends the job; what is said of it is clear, and nothing is left behind. With --go-on mpirun (of MPICH) leaves the others
alone: all of them say who died, get an error, and still reach one another.

The program is tests/faults/lost_rank.cpp.
"""
import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

RANKS, LOST, LIMIT = 3, 1, 60
# As docs/failures.md says: mpirun kills everybody when a process of its own was ended by a signal. A shell between them exits.
OUTLIVE = ["sh", "-c", 'trap : USR1; "$@"; exit $?', "sh"]


def shared_memory():
    return set(os.listdir("/dev/shm"))


def those_who_did_not_go_on(out, said):
    """What is wrong, or None."""
    for rank, other in ((0, 2), (2, 0)):
        if f"rank {rank} goes on: error returned, received {other + 10}\n" not in out:
            return f"rank {rank} did not go on"
        if not any(f" rank {rank} on " in line[:40] for line in said):
            return f"rank {rank} did not say who died"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--go-on", action="store_const", const="go-on", dest="way")
    parser.add_argument("--abort", action="store_const", const="abort", dest="way")
    parser.add_argument("program")
    options = parser.parse_args()
    before = shared_memory()
    command = launch(options.mpi, options.mpirun, RANKS)
    if options.way == "go-on":
        command = [command[0], "-disable-auto-cleanup", *command[1:], *OUTLIVE]
    job = Job([*command, "env", f"LD_PRELOAD={options.preload}", options.program, *([options.way] if options.way else [])])
    status, out, err = job.finish(LIMIT)
    print(f"status {status}\n{out}\n{err}", flush=True)
    if status == "hang":
        return "FAILED: the job hangs"
    if job.pids():
        return "FAILED: processes are left"
    said = [line for line in err.splitlines() if line.startswith("xylem: warn")]
    if wrong := [line for line in said if f": rank {LOST} on " not in line or "died: its process has ended" not in line]:
        return f"FAILED: these do not say who died: {wrong}"
    if options.way == "go-on" and (wrong := those_who_did_not_go_on(out, said)):
        return f"FAILED: {wrong}"
    if any("xylem" in name for name in shared_memory() - before):
        return "FAILED: something is left in /dev/shm"
    # Of a rank that was lost while the others went on, MPICH's mpirun does not always tell.
    return "FAILED: a job that lost a rank is no success" if status == 0 and options.way != "go-on" else None


if __name__ == "__main__":
    sys.exit(main())
