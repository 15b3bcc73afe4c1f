#!/usr/bin/env python3
"""A PMPI tool preloaded before or behind the library sees the program's calls, and these run on Xylem all the same."""
from support import arguments, expect, run_ranks_apart, statistics_of, sum_output

options = arguments()
program = options.programs / f"sum.{options.mpi}"
tool = options.programs / f"tool.{options.mpi}.so"
RANKS = 2


def run_with(settings):
    return run_ranks_apart(options, RANKS, {rank: settings for rank in range(RANKS)}, [program])


for preload in (f"{tool}:{options.library}", f"{options.library}:{tool}"):
    def start(path, preload=preload):
        return run_with({"LD_PRELOAD": preload, "XYLEM_STATS": str(path)})
    (status, out, err), statistics = statistics_of(start)
    expect(f"status and errors with {preload}", (status, err), (0, ""))
    expect(f"output with {preload}", out, sum_output(RANKS) + "tool saw 1 allreduce, 1 bcast, 1 dup\n")
    on_xylem = {name: statistics["collectives"][name]["on_xylem"] for name in ("allreduce", "bcast", "barrier")}
    expect(f"calls on Xylem with {preload}", on_xylem, {"allreduce": 1, "bcast": 1, "barrier": 1})

    status, out, err = run_with({"LD_PRELOAD": preload, "XYLEM_DISABLE": "1"})
    expect(f"all with {preload} and XYLEM_DISABLE", (status, out, err),
           (0, sum_output(RANKS) + "tool saw 1 allreduce, 1 bcast, 1 dup\n", ""))
