#!/usr/bin/env python3
"""Kills all processes of a job at once, with SIGKILL, and looks for what is left of it: in /dev/shm, in /tmp, in the process list.

usage: killed_job.py --mpi NAME --mpirun PATH --ranks N [--hosts N] [--env NAME=VALUE] --preload LIBRARY -- program

The MPIs leave things behind themselves when they are killed (Open MPI a folder in /tmp, both of them segments in /dev/shm). So a
job without Xylem is killed first; only what a job with Xylem leaves beyond that is a failure.
"""
import argparse
import os
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

FOLDERS = [Path("/dev/shm"), Path(os.environ.get("TMPDIR", "/tmp")), Path("/tmp")]
WRAPPER = Path(__file__).resolve().parent.parent / "mpi" / "rank_environment.sh"


def entries():
    found = set()
    for folder in FOLDERS:
        try:
            found.update(folder / name for name in os.listdir(folder))
        except OSError:
            pass
    return found


def name_of_kind(path):
    """The path with what differs from job to job taken out: numbers, and random words with digits or capitals in them."""
    return re.sub(r"\b(?=\w*[\dA-Z])\w+\b", "*", str(path))


def run_and_kill(options, preload):
    """Returns the entries that the killed job left behind."""
    before = entries()
    wrapper = ["/bin/sh", str(WRAPPER), str(options.ranks), str(options.hosts), "block", preload]
    job = Job(launch(options.mpi, options.mpirun, options.ranks) + wrapper + options.command,
              dict(setting.split("=", 1) for setting in options.env))
    line = job.process.stdout.readline()
    if line.strip() != "running":
        job.kill()
        _, err = job.process.communicate()
        sys.exit(f"FAILED: the job did not come to run: {line} {err}")
    pids = job.pids()
    owned = {pid: executable(pid) for pid in pids}
    ranks = [pid for pid, name in owned.items() if name == Path(options.command[0]).name]
    if len(ranks) != options.ranks:
        sys.exit(f"FAILED: {options.ranks} ranks should run, these do: {owned}")
    # All of them stop first, so that none sees another one die and cleans up.
    for pid in pids:
        os.kill(pid, 19)
    job.kill(pids)
    job.process.communicate()
    deadline = time.monotonic() + 10
    while job.pids() and time.monotonic() < deadline:
        time.sleep(0.05)
    if job.pids():
        sys.exit(f"FAILED: processes that outlive the job: {job.pids()}")
    # Other jobs of this machine come and go in the same folders: an entry is this job's if it tells one of its processes.
    marks = [re.compile(rf"(?<!\d){pid}(?!\d)") for pid in pids]
    return {path for path in entries() - before
            if "xylem" in path.name.lower() or any(mark.search(path.name) for mark in marks)}


def executable(pid):
    try:
        return Path(os.readlink(f"/proc/{pid}/exe")).name
    except OSError:
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--ranks", required=True, type=int)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--env", action="append", default=[])
    parser.add_argument("--preload", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    without = run_and_kill(options, "")
    with_xylem = run_and_kill(options, options.preload)
    print(f"left behind without Xylem: {sorted(map(str, without))}")
    print(f"left behind with Xylem: {sorted(map(str, with_xylem))}")
    usual = {name_of_kind(path) for path in without}
    added = [str(path) for path in with_xylem if name_of_kind(path) not in usual]
    for path in without | with_xylem:
        remove(path)
    return f"FAILED: left behind by Xylem: {added}" if added else None


def remove(path):
    """What an MPI left is not kept for ever either."""
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            remove(inner)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
