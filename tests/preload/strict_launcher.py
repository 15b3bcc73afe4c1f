#!/usr/bin/env python3
"""A launcher that speaks PMI-1 as srun does: it answers no second greeting on a socket. Xylem runs there, or leaves all alone."""
import sys
from pathlib import Path

from support import arguments, expect, expect_in, statistics_of, sum_output, warnings

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from pmi_job import PmiJob  # noqa: E402

options = arguments()
program = options.programs / "sum.mpich"
LIMIT = 60  # seconds


def run(settings):
    """Runs one rank for each of `settings`, its environment. Returns (exit statuses, output, errors)."""
    job = PmiJob([[program]] * len(settings), settings)
    result = job.finish(LIMIT)
    if job.complaint:
        sys.exit(f"FAILED: {job.complaint}")
    return result


preload = {"LD_PRELOAD": str(options.library)}
for ranks in (1, 2, 3):
    (statuses, out, err), statistics = statistics_of(lambda path, n=ranks: run([preload | {"XYLEM_STATS": str(path)}] * n))
    expect(f"{ranks} ranks: {err}", (statuses, out), ([0] * ranks, sum_output(ranks)))
    expect(f"warnings of {ranks} ranks", warnings(err), [])
    expect(f"active with {ranks} ranks", statistics["active"], True)

statuses, out, err = run([preload, {}, preload])
expect(f"a rank without the library: {err}", (statuses, out), ([0] * 3, sum_output(3)))
expect(f"warnings with a rank without the library: {err}", len(warnings(err)), 1)
expect_in("the warning", err, "rank 1 runs without the library")
