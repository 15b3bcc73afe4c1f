#!/usr/bin/env python3
"""What becomes of a job under its own mpirun when one of its ranks is killed, or calls MPI_Abort.

usage: ended_job.py --mpi NAME --mpirun PATH --preload LIBRARY [--abort] -- program

mpirun ends the job; what is said of it is clear, and nothing is left behind.

The program is tests/faults/lost_rank.cpp.
"""
import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

RANKS, LOST, LIMIT = 3, 1, 60


def shared_memory():
    return set(os.listdir("/dev/shm"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--abort", action="store_true")
    parser.add_argument("program")
    options = parser.parse_args()
    before = shared_memory()
    words = ["abort"] if options.abort else []
    job = Job([*launch(options.mpi, options.mpirun, RANKS), "env", f"LD_PRELOAD={options.preload}", options.program, *words])
    status, out, err = job.finish(LIMIT)
    print(f"status {status}\n{out}\n{err}", flush=True)
    if status == "hang":
        return "FAILED: the job hangs"
    if job.pids():
        return "FAILED: processes are left"
    said = [line for line in err.splitlines() if line.startswith("xylem: warn")]
    if wrong := [line for line in said if f": rank {LOST} on " not in line or "died: its process has ended" not in line]:
        return f"FAILED: these do not say who died: {wrong}"
    if any("xylem" in name for name in shared_memory() - before):
        return "FAILED: something is left in /dev/shm"
    return "FAILED: a job that lost a rank is no success" if status == 0 else None


if __name__ == "__main__":
    sys.exit(main())
