#!/usr/bin/env python3
"""Holds what `xylem simulate` predicts to what allreduce takes between hosts, which are network namespaces of this machine.

usage: validate_simulator.py [--build FOLDER] [--rate RATE] [--rounds N]        as root; takes some 8 minutes

The links are so slow (tc tbf) that the network sets the time and not the cores, however few there are. What the simulator is
told of the network is measured before, by a plain TCP connection between two of the hosts: half of a round trip of one byte,
and how fast one megabyte goes one way. Exit status 1 where a prediction is off by more than 30 %. What it prints stands in
docs/simulator.md.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT / "tests" / "hosts"))
import hosts  # noqa: E402
from hosts import Hosts  # noqa: E402

PLACEMENTS = [(2, 1), (3, 1), (4, 1), (2, 2), (4, 2)]  # hosts, ranks on each
ALGORITHMS = ["ring", "double_binary_tree", "split_tree"]
HOST_TREES = ["balanced_host_tree", "split_host_tree"]  # with one rank on each host, these are the double binary tree
SIZES = ["64K", "256K", "1M"]
WITHIN = 0.3

# One end of a TCP connection; prints the seconds of a latency and of a byte.
PROBE = """
import socket, sys, time
def receive(s, count):
    while count > 0: count -= len(s.recv(min(count, 1 << 20)))
if sys.argv[1] == "listen":
    l = socket.create_server(("0.0.0.0", 7000)); print("ready", flush=True); s, _ = l.accept()
else:
    s = socket.create_connection((sys.argv[1], 7000))
s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
if sys.argv[1] == "listen":
    for _ in range(100): receive(s, 1); s.sendall(b"x")
    for _ in range(3): receive(s, 1 << 20); s.sendall(b"x")
else:
    trips, streams = [], []
    for _ in range(100):
        begin = time.perf_counter(); s.sendall(b"x"); receive(s, 1); trips.append(time.perf_counter() - begin)
    for _ in range(3):
        begin = time.perf_counter(); s.sendall(bytes(1 << 20)); receive(s, 1); streams.append(time.perf_counter() - begin)
    latency = sorted(trips)[50] / 2
    print(latency, (sorted(streams)[1] - 2 * latency) / (1 << 20))
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=Path, help="where Xylem was built")
    parser.add_argument("--rate", default="10mbit", help="of each host's link")
    parser.add_argument("--rounds", default=3, type=int, help="that are measured at most; the median counts")
    parser.add_argument("--line-time", default=5, type=float, help="seconds after which a size has had its rounds")
    parser.add_argument("--mpi", default="openmpi", choices=["mpich", "openmpi"],
                        help="Debian's MPICH over UCX may hang in MPI_Finalize on links as slow as these")
    return parser.parse_args()


def measure_link(network):
    """Latency in seconds and bytes per second between the first two hosts."""
    command = [sys.executable, "-c", PROBE]
    with subprocess.Popen(network.inside("h0", *command, "listen"), stdout=subprocess.PIPE, text=True) as listener:
        listener.stdout.readline()
        latency, per_byte = network.on("h1", *command, "10.77.0.1").split()
    return float(latency), 1 / float(per_byte)


def predict(options, shape, link):
    """Seconds by algorithm and size."""
    latency, bandwidth = link
    command = [options.build / "bin" / "xylem", "simulate", "--collective", "allreduce", "--hosts", shape[0],
               "--ranks-per-host", shape[1], "--bytes", ",".join(SIZES), "--most-steps", 10000000, "--json",
               "--network", f"latency={latency * 1e6:.1f}us,bandwidth={bandwidth / 1e6:.4f}MB/s"]
    said = json.loads(Hosts.here(*command))
    return {(each["algorithm"], each["bytes"]): each["seconds"] for each in said["hosts"][0]["times"]}


def measure(options, network, shape, algorithm):
    """Seconds by size: the median of rounds, each the time of the slowest rank."""
    launch = network.launch(options.mpi, f"mpirun.{options.mpi}", shape[1])
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        command = [*launch, "env", f"XYLEM_ALGORITHM=allreduce:{algorithm}", "UCX_TLS=tcp,self",
                   str(options.build / "bin" / "xylem"), "bench", "--mpi", options.mpi, "--collectives", "allreduce",
                   "--sizes", ",".join(SIZES), "--rounds", str(options.rounds), "--line-time", str(options.line_time),
                   "--json", str(record)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"xylem bench failed:\n{done.stdout}{done.stderr}")
        lines = json.loads(record.read_text(encoding="utf-8"))["lines"]
    return {line["bytes"]: line["xylem"]["median_seconds"] for line in lines}


def main():
    options = arguments()
    hosts.enter(["tc"])
    print(f"Links of {options.rate} (tc tbf), {os.cpu_count()} cores; milliseconds of an allreduce", flush=True)
    worst = 0.0
    for shape in PLACEMENTS:
        network = Hosts(shape[0])
        network.limit_rate(options.rate)
        link = measure_link(network)
        print(f"\n{shape[0]} hosts, {shape[0] * shape[1]} ranks; a plain TCP connection: {link[0] * 1e6:.0f} us, "
              f"{link[1] / 1e6:.3f} MB/s\n{'':<22}" + "".join(f"{size:>28}" for size in SIZES) + f"\n{'':<22}"
              + len(SIZES) * f"{'predicted':>12}{'took':>8}{'off':>8}")
        predicted = predict(options, shape, link)
        for algorithm in ALGORITHMS + (HOST_TREES if shape[1] > 1 else []):
            line = f"{algorithm:<22}"
            for size, took in measure(options, network, shape, algorithm).items():
                wanted = predicted[algorithm, size]
                off = wanted / took - 1
                worst = max(worst, abs(off))
                line += f"{wanted * 1e3:>12.1f}{took * 1e3:>8.1f}{off * 100:>+7.0f}%"
            print(line, flush=True)
        network.remove()
    print(f"\nThe worst prediction is off by {worst * 100:.0f} %.")
    return 0 if worst <= WITHIN else 1


if __name__ == "__main__":
    sys.exit(main())
