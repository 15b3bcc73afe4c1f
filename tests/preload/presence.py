#!/usr/bin/env python3
"""A rank that cannot take part turns Xylem off for all, with one warning and without a hang; nobody asks, nobody is told."""
import json
import os
import subprocess
import tempfile
from pathlib import Path

from support import (arguments, expect, expect_in, run, run_ranks, run_ranks_apart, statistics_of, sum_output, warnings)

options = arguments()
program = options.programs / f"sum.{options.mpi}"
has_it = {"LD_PRELOAD": str(options.library)}
disabled = has_it | {"XYLEM_DISABLE": "1"}
RANKS = 3


def run_with(settings):
    """Statistics and warnings of a run whose ranks have these settings; it must pass."""
    def start(path):
        # Any rank that could write a file writes the same one.
        return run_ranks_apart(options, len(settings),
                               {rank: own | {"XYLEM_STATS": str(path)} for rank, own in enumerate(settings)}, [program])
    (status, out, err), statistics = statistics_of(start)
    expect(f"status with {settings}: {err}", status, 0)
    expect(f"output with {settings}", out, sum_output(len(settings)))
    return statistics, warnings(err)


for absent in range(RANKS):
    statistics, told = run_with([{} if rank == absent else has_it for rank in range(RANKS)])
    expect(f"warnings where rank {absent} lacks the library: {told}", len(told), 1)
    expect_in("the warning names the rank", told[0], f"off for this job: rank {absent} runs without the library")
    if absent != 0:
        expect("active where a rank lacks the library", statistics["active"], False)
        expect_in("why it is off", statistics["why_off"], f"rank {absent} runs without the library")

_, told = run_with([{}, has_it, {}, disabled])
expect(f"warnings where most ranks do not take part: {told}", len(told), 1)
expect_in("ranks without the library", told[0], "ranks 0, 2 run without the library")
expect_in("the rank with XYLEM_DISABLE", told[0], "rank 3 runs with XYLEM_DISABLE set")

_, told = run_with([has_it, disabled])
expect(f"warnings where one rank has XYLEM_DISABLE: {told}", len(told), 1)

statistics, told = run_with([disabled] * RANKS)
expect("warnings where all ranks have XYLEM_DISABLE", told, [])
expect("active where all ranks have XYLEM_DISABLE", (statistics["active"], statistics["why_off"]),
       (False, "XYLEM_DISABLE is set"))

statistics, told = run_with([has_it] * RANKS)
expect("warnings where all ranks take part", told, [])
expect("active where all ranks take part", statistics["active"], True)

(status, out, err), statistics = statistics_of(lambda path: run([program], has_it | {"XYLEM_STATS": str(path)}))
expect("a program started without mpirun", (status, out, err), (0, sum_output(1), ""))
expect("active where there is one rank", (statistics["active"], statistics["ranks"]), (True, 1))

status, out, err = run_ranks(options, RANKS, [program], has_it | {"XYLEM_STATS": "/nowhere/statistics.json"})
expect("a file that cannot be written does not matter to the program", (status, out), (0, sum_output(RANKS)))
expect_in("a file that cannot be written", err, "XYLEM_STATS: cannot create /nowhere/statistics.json")

with tempfile.TemporaryDirectory() as folder:
    # What the path names stays what it is: a link is followed, a pipe is written to.
    target, link, pipe = (Path(folder) / name for name in ("target.json", "link.json", "pipe"))
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    run([program], has_it | {"XYLEM_STATS": str(link)})
    expect("the link", (link.is_symlink(), json.loads(target.read_text(encoding="utf-8"))["active"]), (True, True))
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True)
    run([program], has_it | {"XYLEM_STATS": str(pipe)})
    expect("the pipe", (pipe.is_fifo(), json.loads(reader.communicate(timeout=60)[0])["active"]), (True, True))
    # Nobody reads the pipe any more: nobody waits for that.
    status, out, err = run_ranks(options, RANKS, [program], has_it | {"XYLEM_STATS": str(pipe)})
    expect("a pipe that nobody reads does not matter to the program", (status, out), (0, sum_output(RANKS)))
    expect_in("a pipe that nobody reads", err, f"XYLEM_STATS: cannot create {pipe}: No such device or address")
    expect("what is left in the folder", sorted(os.listdir(folder)), ["link.json", "pipe", "target.json"])

status, out, err = run_ranks(options, RANKS, [program], has_it | {"XYLEM_LOG": "info"})
expect("a run that is asked for its events", (status, out), (0, sum_output(RANKS)))
expect_in("the event of the first communicator", err, f"a communicator of {RANKS} ranks is connected, all on one host")
