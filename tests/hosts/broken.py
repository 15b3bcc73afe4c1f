#!/usr/bin/env python3
"""Breaks a running job on several hosts and checks that the survivors say so soon, with an error that names who is missing.

usage: broken.py --mpi NAME --mpirun PATH --preload LIBRARY --deed cut --within SECONDS [--env NAME=VALUE] -- program

cut   takes host h1 off the network in the middle of a collective
"""
import argparse
import sys
import threading
import time
from pathlib import Path

import hosts
from hosts import Hosts

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job  # noqa: E402

HOSTS, BROKEN = 3, 1  # one rank on each


class Complaints:
    """What Xylem says on a job's stderr, collected while the job runs: mpirun itself may not end when a host is gone."""

    def __init__(self, job):
        self.lines = []
        self.reader = threading.Thread(target=self.read, args=(job.process.stderr,), daemon=True)
        self.reader.start()

    def read(self, stream):
        for line in stream:
            print(line, end="", flush=True)
            if line.startswith("xylem:"):
                self.lines.append(line)

    def wait(self, survivors, seconds):
        """Until each of `survivors` has complained. Returns the ranks that have not."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            silent = [rank for rank in survivors if not any(f" rank {rank} on h{rank}: " in line for line in self.lines)]
            if not silent:
                break
            time.sleep(0.05)
        return silent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True, choices=["mpich", "openmpi"])
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--deed", required=True, choices=["cut"])
    parser.add_argument("--within", required=True, type=float, help="seconds from the deed to the last complaint")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("program")
    options = parser.parse_args()
    hosts.enter()
    network = Hosts(HOSTS)
    job = Job([*network.launch(options.mpi, options.mpirun, 1), "env", f"LD_PRELOAD={options.preload}", *options.env,
               options.program])
    complaints = Complaints(job)
    try:
        if job.process.stdout.readline() != "running\n":
            return "FAILED: the job did not come to run"
        if options.deed == "cut":
            network.cut(f"h{BROKEN}")
        begin = time.monotonic()
        survivors = [rank for rank in range(HOSTS) if rank != BROKEN]
        silent = complaints.wait(survivors, options.within)
        print(f"{time.monotonic() - begin:.1f} s after the deed")
    finally:
        job.kill()
    if silent:
        return f"FAILED: ranks {silent} said nothing within {options.within:g} s"
    if not any(f"rank {BROKEN} on h{BROKEN} " in line for line in complaints.lines):
        return f"FAILED: nobody named rank {BROKEN} on h{BROKEN}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
