#!/usr/bin/env python3
"""Runs `xylem bench` on several hosts, which are network namespaces: Xylem against the MPI's own collectives over TCP.

usage: bench.py --mpi NAME --mpirun PATH --xylem PATH --hosts N --ranks-per-host N [options] -- [options of xylem bench]

A benchmark, not a test. MPICH's ranks of one host talk over TCP as well: it would take shared memory between hosts, too.
"""
import argparse
import subprocess
import sys
from pathlib import Path

import hosts
from hosts import Hosts

# MPICH's UCX takes namespaces of one machine for one host.
MPI_SETTINGS = {"mpich": ["UCX_TLS=tcp,self"], "openmpi": []}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True, choices=MPI_SETTINGS)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--xylem", required=True, help="the tool")
    parser.add_argument("--hosts", required=True, type=int)
    parser.add_argument("--ranks-per-host", required=True, type=int)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rate", help="of the network, such as 1gbit")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    hosts.enter(["tc"] if options.rate else [])
    network = Hosts(options.hosts)
    if options.rate:
        network.limit_rate(options.rate)
    launch = network.launch(options.mpi, options.mpirun, options.ranks_per_host)
    settings = [*MPI_SETTINGS[options.mpi], *options.env]
    tool = Path(options.xylem).resolve()
    return subprocess.run([*launch, "env", *settings, str(tool), "bench", "--mpi", options.mpi, *options.arguments],
                          stdin=subprocess.DEVNULL, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
