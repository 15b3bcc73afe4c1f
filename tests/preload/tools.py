#!/usr/bin/env python3
"""A PMPI tool preloaded before or behind the library sees the program's calls, and these run on Xylem all the same."""
import re

from support import arguments, expect, run_ranks_apart, statistics_of, sum_output

options = arguments()
tool = options.programs / f"tool.{options.mpi}.so"
RANKS = 2
SUM = RANKS * (RANKS + 1) // 2


def sums_of_requests(out):
    """What requests.cpp and the tool print when all is well: the program says how often it called MPI_Test."""
    found = re.match(r"sums(?: (?:\d+)){6}, (\d+) tests\n", out)
    tests = found.group(1) if found else "some"
    return (f"sums{f' {SUM}' * 6}, {tests} tests\n"
            f"tool saw, 4 Iallreduce, 2 Request_free, 2 Start, {tests} Test, 3 Wait, 1 Waitall\n")


def sums_of_calls(_):
    return sum_output(RANKS) + "tool saw, 1 Allreduce, 1 Bcast, 1 Comm_dup\n"


def run_with(program, settings):
    return run_ranks_apart(options, RANKS, {rank: settings for rank in range(RANKS)},
                           [options.programs / f"{program}.{options.mpi}"])


for preload in (f"{tool}:{options.library}", f"{options.library}:{tool}"):
    for program, expected, calls in (("sum", sums_of_calls, {"allreduce": 1, "bcast": 1, "barrier": 1}),
                                     ("requests", sums_of_requests, {"allreduce": 6})):
        def start(path, program=program, preload=preload):
            return run_with(program, {"LD_PRELOAD": preload, "XYLEM_STATS": str(path)})
        (status, out, err), statistics = statistics_of(start)
        expect(f"status and errors of {program} with {preload}", (status, err), (0, ""))
        expect(f"output of {program} with {preload}", out, expected(out))
        expect(f"calls of {program} on Xylem with {preload}",
               {name: statistics["collectives"][name]["on_xylem"] for name in calls}, calls)

        status, out, err = run_with(program, {"LD_PRELOAD": preload, "XYLEM_DISABLE": "1"})
        expect(f"all of {program} with {preload} and XYLEM_DISABLE", (status, out, err), (0, expected(out), ""))

# An MPI that calls itself by the names that programs use: what it calls is handed back to it.
(status, out, err), statistics = statistics_of(
    lambda path: run_with("nested", {"LD_PRELOAD": str(options.library), "XYLEM_STATS": str(path),
                                     "XYLEM_COLLECTIVES": "reduce,bcast"}))
expect("a nested collective", (status, out, err), (0, f"sums {SUM} {SUM}\n", ""))
calls = {name: (statistics["collectives"][name]["on_xylem"], statistics["collectives"][name]["handed_down"])
         for name in ("allreduce", "reduce", "bcast")}
expect("who ran the calls of a nested collective", calls,
       {"allreduce": (0, {"not_selected": 2}), "reduce": (0, {"inside_mpi": 2}), "bcast": (0, {"inside_mpi": 2})})
