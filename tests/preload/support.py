"""What the preload tests share: their command line, running a job, and saying what is wrong."""
import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

HERE = Path(__file__).resolve().parent


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", required=True, type=Path, help="libxylem_mpi.so")
    parser.add_argument("--programs", required=True, type=Path, help="where the test programs are")
    parser.add_argument("--mpi", choices=["mpich", "openmpi"])
    parser.add_argument("--mpirun")
    parser.add_argument("--backend", type=Path)
    parser.add_argument("--core", type=Path, help="libxylem.so by its soname")
    return parser.parse_args()


def run(command, environment=None, timeout=60):
    """Exit status, stdout, stderr of a command whose environment has no other XYLEM_* and LD_PRELOAD than `environment`."""
    return Job([str(word) for word in command], environment).finish(timeout)


def run_ranks(options, ranks, command, environment=None):
    """The same for a job; `environment` is set for mpirun itself, and so for all ranks."""
    return run(launch(options.mpi, options.mpirun, ranks) + command, environment)


def run_ranks_apart(options, ranks, settings, command):
    """The same, where rank r has also the environment settings[r]."""
    choose = HERE / "per_rank.sh"
    words = [" ".join(f"{name}={value}" for name, value in settings.get(rank, {}).items()) or "-" for rank in range(ranks)]
    return run_ranks(options, ranks, ["/bin/bash", choose, ranks, *words, *command])


def sum_output(ranks):
    """What sum.c prints when all is well."""
    return f"sum {ranks * (ranks + 1) // 2}\n"


def statistics_of(run_with):
    """Calls run_with(path) and returns its result and the statistics that it left at that path, or None."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "statistics.json"
        result = run_with(path)
        return result, json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"FAILED: {what}:\n  found  {found!r}\n  wanted {wanted!r}")


def expect_in(what, text, part):
    if part not in text:
        sys.exit(f"FAILED: {what}: {part!r} is not in {text!r}")


def warnings(text):
    return [line for line in text.splitlines() if line.startswith("xylem:")]
