#!/usr/bin/env python3
"""Runs MPI programs on several hosts, which are network namespaces, and checks that all of their collectives ran on Xylem.

usage: run.py --mpi NAME --mpirun PATH --preload LIBRARY --hosts N --ranks-per-host N [options] -- program...
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import hosts
from hosts import Hosts

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job  # noqa: E402
from pmi_job import PmiJob  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True, choices=["mpich", "openmpi"])
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--preload", required=True, help="libxylem_mpi.so")
    parser.add_argument("--hosts", required=True, type=int)
    parser.add_argument("--ranks-per-host", required=True, type=int)
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--provider", default="tcp;ofi_rxm", help="the provider that must have been used")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each program")
    parser.add_argument("--rate", help="of the network, such as 50mbit")
    parser.add_argument("--loss", type=float, help="percent of packets that are lost")
    parser.add_argument("--ipv6", action="store_true", help="the hosts have no IPv4 addresses but loopback's (MPICH only)")
    parser.add_argument("--docker", action="store_true", help="each host has an interface that reaches no other, with one address")
    parser.add_argument("--device", action="store_true", help="of the calls some must have run on GPUs, and some through host memory")
    parser.add_argument("programs", nargs="+")
    return parser.parse_args()


def run(options, network, command):
    """Exit status, stdout and stderr."""
    if not options.ipv6:
        launch = network.launch(options.mpi, options.mpirun, options.ranks_per_host)
        return Job([*launch, *command]).finish(options.timeout)
    # MPICH's mpirun speaks IPv4 only.
    ranks = [network.inside(name, *command) for name in network.names for _ in range(options.ranks_per_host)]
    statuses, out, err = PmiJob(ranks, [{}] * len(ranks)).finish(options.timeout)
    return max(statuses, key=abs), out, err


def check_run(options, network, program):
    """What is wrong, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "statistics.json"
        settings = [f"LD_PRELOAD={options.preload}", f"XYLEM_STATS={path}", *options.env]
        status, out, err = run(options, network, ["env", *settings, program])
        print(out, err, flush=True)
        if status != 0:
            return f"exit status {status}"
        if "xylem:" in err:
            return "a good run prints nothing to stderr"
        statistics = json.loads(path.read_text(encoding="utf-8"))
    print(json.dumps(statistics))
    if not statistics["active"]:
        return f"Xylem took no part: {statistics['why_off']}"
    found = (statistics["ranks"], statistics["core"]["hosts"], statistics["core"]["provider"])
    if found != (wanted := (options.hosts * options.ranks_per_host, options.hosts, options.provider)):
        return f"ranks, hosts, provider: {found} and not {wanted}"
    for name, collective in statistics["collectives"].items():
        if collective["on_xylem"] != collective["calls"] - sum(collective["handed_down"].values()):
            return f"{name}: {collective}"
    device = statistics["core"]["device"]
    if options.device and not (device["calls"] > 0 and device["staged"] > 0):
        return f"calls that ran on GPUs, and that were staged: {device}"
    if sum(collective["on_xylem"] for collective in statistics["collectives"].values()) == 0:
        return "no call ran on Xylem"
    return None


def main():
    options = arguments()
    hosts.enter((["tc"] if options.rate else []) + (["nft"] if options.loss else []))
    network = Hosts(options.hosts, ipv4=not options.ipv6, ipv6=options.ipv6)
    if options.docker:
        for name in network.names:
            network.on(name, "ip", "link", "add", "name", "docker0", "type", "bridge")
            network.on(name, "ip", "address", "add", "10.0.0.1/8", "dev", "docker0")
            network.on(name, "ip", "link", "set", "docker0", "up")
    if options.rate:
        network.limit_rate(options.rate)
    if options.loss:
        network.lose_packets(options.loss)
    for program in options.programs:
        if failure := check_run(options, network, program):
            return f"FAILED: {Path(program).name}: {failure}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
