#!/usr/bin/env python3
"""Ends each rank of a job in turn with SIGKILL in the middle of collectives: the others learn of it at once, and name it.

usage: killed_rank.py --ranks N [--hosts N] [--env NAME=VALUE] --preload LIBRARY -- program

The program is tests/faults/endless.cpp under MPICH. mpirun would end the survivors, so this starts the ranks itself.
"""
import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from pmi_job import PmiJob  # noqa: E402
import survivors  # noqa: E402

START, LIMIT = 60, 10  # seconds; an idle machine needs one, and a tenth


def kill_rank(options, victim):
    """What is wrong, or None."""
    ranks = range(options.ranks)
    common = dict(setting.split("=", 1) for setting in options.env) | {"LD_PRELOAD": options.preload}
    hosts = [{"XYLEM_HOSTID": f"host{rank * options.hosts // options.ranks}"} if options.hosts > 1 else {} for rank in ranks]
    job = PmiJob([[options.program, "return"]] * options.ranks, [common | host for host in hosts])
    try:
        if not job.wait_for(lambda out, err: "running" in out, START):
            return f"the job did not come to run: {job.texts()}"
        job.processes[victim].kill()
        begin = time.monotonic()
        others = [rank for rank in ranks if rank != victim]
        job.wait_for(lambda out, err: not survivors.silent(err, others), LIMIT)
        _, err = job.texts()
        print(f"{err}{time.monotonic() - begin:.2f} s after the end of rank {victim}", flush=True)
        # The provider may fail before anybody has noticed: then it is the network's failure with that rank.
        return survivors.failure(err, others, victim, ["died", "gave up this communicator"])
    finally:
        job.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", required=True, type=int)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--preload", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    for victim in range(options.ranks):
        if wrong := kill_rank(options, victim):
            return f"FAILED: {wrong}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
