#!/usr/bin/env python3
"""Runs an MPI program with Xylem preloaded and checks that it passes, in silence, and that its collectives ran on Xylem.

usage: run.py --mpi NAME --mpirun PATH --ranks N [options] -- program [arguments]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import dev_shm
from job import Job, launch

HERE = Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True, choices=["mpich", "openmpi"])
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--ranks", required=True, type=int)
    parser.add_argument("--preload", required=True, help="libxylem_mpi.so")
    parser.add_argument("--without-preload", action="store_true", help="the program calls Xylem by itself")
    parser.add_argument("--hosts", type=int, default=1, help="hosts that the ranks believe to be on")
    parser.add_argument("--placement", default="block", choices=["block", "cyclic"], help="of ranks on hosts")
    parser.add_argument("--dev-shm", metavar="SIZE", help="the job has a /dev/shm of that size to itself, and leaves nothing there")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--on-xylem", default="", help="collectives of which every call must have run on Xylem, save those --handed-down")
    parser.add_argument("--handed-down", default="", help="reasons for which calls must have been handed down")
    parser.add_argument("--device", choices=["kernels", "staged"],
                        help="device buffers: every call of the core ran as a kernel, or some went through host memory")
    parser.add_argument("--warnings", action="store_true", help="Xylem may warn on stderr")
    parser.add_argument("--says", default="", help="what must be said on stderr")
    parser.add_argument("--says-once", metavar="TEXT", help="what one of the ranks must say on stderr, and no other")
    parser.add_argument("--fails", action="store_true", help="the program must fail, and soon; no statistics are looked at")
    parser.add_argument("--spawned", action="store_true", help="the program spawns a world, whose statistics must be as good")
    parser.add_argument("--unused", action="store_true", help="Xylem takes no part, and writes no statistics")
    parser.add_argument("--compare", help="run also without Xylem, then this program on the files of both outputs")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def run(options, preload, environment):
    wrapper = ["/bin/sh", str(HERE / "rank_environment.sh"), str(options.ranks), str(options.hosts), options.placement, preload]
    job = Job(launch(options.mpi, options.mpirun, options.ranks) + wrapper + options.command, environment)
    status, out, err = job.finish(options.timeout)
    print(out, end="", flush=True)
    print(err, end="", file=sys.stderr, flush=True)
    if status == "hang":
        sys.exit(f"FAILED: no end after {options.timeout:g} s")
    if (status != 0) != options.fails:
        sys.exit(f"FAILED: exit status {status}")
    return out, err


def words(text):
    return [word for word in text.split(",") if word]


def check_statistics(path, options):
    """What is wrong with the statistics file, or None."""
    try:
        statistics = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return f"no statistics were written: {error}"
    print(f"statistics: {json.dumps(statistics)}")
    if not statistics["active"]:
        return f"Xylem took no part: {statistics.get('why_off')}"
    for name in words(options.on_xylem):
        collective = statistics["collectives"][name]
        others = sum(count for reason, count in collective["handed_down"].items() if reason not in words(options.handed_down))
        if collective["on_xylem"] == 0 or others != 0:
            return f"{name}: {collective['on_xylem']} of {collective['calls']} calls ran on Xylem: {collective['handed_down']}"
    reasons = {reason for collective in statistics["collectives"].values() for reason in collective["handed_down"]}
    if missing := set(words(options.handed_down)) - reasons:
        return f"no call was handed down for {sorted(missing)}, only for {sorted(reasons)}"
    device = statistics["core"]["device"]
    calls = sum(collective["calls"] for collective in statistics["core"]["collectives"].values())
    if options.device == "kernels" and not 0 < calls == device["calls"]:
        return f"kernels ran {device['calls']} of {calls} calls"
    if options.device == "staged" and device["staged"] == 0:
        return f"no call was staged: {device}"
    if options.hosts > 1 and statistics["core"]["hosts"] != options.hosts:
        return f"Xylem saw {statistics['core']['hosts']} hosts and not {options.hosts}"
    return None


def main():
    options = arguments()
    if options.dev_shm:
        dev_shm.enter(options.dev_shm)
    environment = dict(setting.split("=", 1) for setting in options.env)
    if any("cuda_emu" in value for value in environment.values()):
        # The emulated GPUs of this job are its own: kernels of other jobs that run meanwhile do not take turns with its kernels.
        environment.setdefault("CUDA_EMU_MACHINE", f"job-{os.getpid()}")
    if options.without_preload:
        run(options, "", environment)
        return None
    with tempfile.TemporaryDirectory() as folder:
        statistics = Path(folder) / "statistics.json"
        without, with_xylem = Path(folder) / "without", Path(folder) / "with"
        if options.compare:
            without.write_text(run(options, "", environment)[0], encoding="utf-8")
        out, err = run(options, options.preload, environment | {"XYLEM_STATS": str(statistics)})
        with_xylem.write_text(out, encoding="utf-8")
        if options.compare and subprocess.run([options.compare, without, with_xylem], check=False).returncode != 0:
            return "the outputs with and without Xylem differ"
        if "XYLEM_LOG" not in environment and not options.warnings and "xylem:" in err:
            return "a good run prints nothing to stderr"
        if options.dev_shm and (left := dev_shm.left_behind()):
            return f"left in /dev/shm: {left}"
        if options.says not in err:
            return f"nobody said: {options.says}"
        if options.says_once and (times := err.count(options.says_once)) != 1:
            return f"{times} times it was said: {options.says_once}"
        if options.unused:
            return "statistics were written" if statistics.exists() else None
        if options.fails:
            return None
        spawned = list(Path(folder).glob("statistics.json.spawned-*"))
        if len(spawned) != int(options.spawned):
            return f"statistics of spawned worlds: {[path.name for path in spawned]}"
        return next(filter(None, (check_statistics(path, options) for path in [statistics, *spawned])), None)


if __name__ == "__main__":
    failure = main()
    sys.exit(f"FAILED: {failure}" if failure else 0)
