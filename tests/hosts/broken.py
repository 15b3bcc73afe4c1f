#!/usr/bin/env python3
"""Breaks a running job on three hosts and checks that the survivors say so soon, with an error that names who is missing.

usage: broken.py --preload LIBRARY --deed cut|kill --within SECONDS [--env NAME=VALUE] -- program

cut    takes host h1 off the network in the middle of a collective
kill   ends the rank on host h1 with SIGKILL

The program is tests/faults/endless.cpp under MPICH. mpirun would end the survivors, so this starts the ranks itself.
"""
import argparse
import sys
import time
from pathlib import Path

import hosts
from hosts import Hosts

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from pmi_job import PmiJob  # noqa: E402
import survivors  # noqa: E402

HOSTS, LOST = 3, 1  # one rank on each
# What may be said of it. The provider may fail before anybody has noticed: then it is the network's failure with that rank.
DEEDS = {"cut": ["did not come within XYLEM_TIMEOUT", "cannot be reached"], "kill": ["died", "gave up this communicator"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--deed", required=True, choices=DEEDS)
    parser.add_argument("--within", required=True, type=float, help="seconds from the deed to the last complaint")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("program")
    options = parser.parse_args()
    hosts.enter()
    network = Hosts(HOSTS)
    settings = dict(setting.split("=", 1) for setting in options.env) | {"LD_PRELOAD": options.preload}
    job = PmiJob([network.inside(name, "env", *(f"{key}={value}" for key, value in settings.items()), options.program, "return")
                  for name in network.names], [{}] * HOSTS)
    if not job.wait_for(lambda out, err: "running" in out, 60):
        return f"FAILED: the job did not come to run: {job.texts()}"
    if options.deed == "cut":
        network.cut(network.names[LOST])
    else:
        job.processes[LOST].kill()
    begin = time.monotonic()
    others = [rank for rank in range(HOSTS) if rank != LOST]
    job.wait_for(lambda out, err: not survivors.silent(err, others), options.within)
    _, err = job.texts()
    print(f"{err}{time.monotonic() - begin:.2f} s after the deed")
    # The lost host's own rank has lost the others, and says so too.
    said = "".join(line + "\n" for line in err.splitlines() if f" rank {LOST} on " not in line[:30])
    wrong = survivors.failure(said, others, LOST, DEEDS[options.deed])
    return f"FAILED: {wrong}" if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
