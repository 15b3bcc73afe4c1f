#!/usr/bin/env python3
"""What becomes of a job under its own mpirun when one of its ranks is killed.

usage: go_on.py --mpi NAME --mpirun PATH --preload LIBRARY [--keep] -- program

--keep   mpirun does not end the survivors (-disable-auto-cleanup), and errors return: they go on, also when mpirun has ended
else     mpirun ends the job; what is said of it is clear, and nothing is left behind

The program is tests/faults/go_on.cpp.
"""
import argparse
import os
import sys
import tempfile
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
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("program")
    options = parser.parse_args()
    before = shared_memory()
    command = launch(options.mpi, options.mpirun, RANKS)
    if options.keep:
        command.insert(1, "-disable-auto-cleanup")
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        words = ["return", file.name] if options.keep else []
        job = Job([*command, "env", f"LD_PRELOAD={options.preload}", options.program, *words])
        status, out, err = job.finish(LIMIT)
        out += file.read()
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
    if not options.keep:
        return "FAILED: a job that lost a rank is no success" if status == 0 else None
    for line in ("rank 0 goes on with token 42 after: ", "rank 2 goes on after: "):
        if line not in out:
            return f"FAILED: not said: {line}"
    if out.count(f"rank {LOST} on ") != RANKS - 1:
        return "FAILED: the error's own text names who died"
    return None


if __name__ == "__main__":
    sys.exit(main())
