#!/usr/bin/env python3
"""The library finds the MPI of the process, however it was loaded, and its own parts, wherever they lie."""
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from support import HERE, arguments, expect, expect_in, run, run_ranks, statistics_of, sum_output

options = arguments()
program = options.programs / f"sum.{options.mpi}"


def run_active(ranks, command, preload):
    def start(path):
        return run_ranks(options, ranks, command, {"LD_PRELOAD": str(preload), "XYLEM_STATS": str(path)})
    (status, out, err), statistics = statistics_of(start)
    expect(f"status and errors of {command}", (status, err), (0, ""))
    expect(f"output of {command}", out, sum_output(ranks))
    expect(f"active in {command}", statistics["active"], True)
    expect(f"allreduce in {command}", statistics["collectives"]["allreduce"]["on_xylem"], 1)


plugin = options.programs / f"plugin.{options.mpi}.so"
run_active(2, [options.programs / f"load_locally.{options.mpi}", plugin], options.library)

with tempfile.TemporaryDirectory() as folder:
    # As an installation that was moved, and named relative to a directory that the program leaves.
    moved = Path(folder) / "lib"
    (moved / "xylem").mkdir(parents=True)
    shutil.copy(options.library, moved)
    shutil.copy(options.core, moved)
    shutil.copy(options.backend, moved / "xylem")
    run_active(2, ["/bin/bash", "-c", f"cd {folder} && LD_PRELOAD=lib/{options.library.name} exec {program}"], "")

    shutil.rmtree(moved / "xylem")
    status, out, err = run([program], {"LD_PRELOAD": str(moved / options.library.name)})
    expect("a program whose back end is missing", (status, out), (0, sum_output(1)))
    expect_in("the warning of a missing back end", err, f"Xylem is off: {moved}/xylem/{options.backend.name}")

# A back end that called an intercepted function by its name would come to the front, and the front back to it.
listed = re.findall(r"^(?:FUNCTION|EXTENSION)\((\w+)\)", (HERE.parent.parent / "mpi_wrappers/front/functions.def").read_text(),
                    re.MULTILINE)
symbols = subprocess.run(["nm", "-D", "--undefined-only", options.backend], check=True, capture_output=True, text=True).stdout
used = set(re.findall(r"\bP?MPIX?_(\w+)", symbols))
expect("functions that the back end takes from the front", sorted(used & set(listed)), [])
expect("functions that the back end calls as MPI_X", re.findall(r"\bMPI_\w+", symbols), [])
