#!/usr/bin/env python3
"""Where ranks have environments of their own, what rank 0's says holds for all."""
from support import arguments, expect, run_ranks_apart, statistics_of, sum_output, warnings

RULES = ["allreduce:ring", "allreduce:two_phase"]  # by rank

options = arguments()


def start(path):
    return run_ranks_apart(options, len(RULES),
                           {rank: {"LD_PRELOAD": str(options.library), "XYLEM_ALGORITHM": rule, "XYLEM_STATS": str(path)}
                            for rank, rule in enumerate(RULES)}, [options.programs / f"sum.{options.mpi}"])


# Ranks that went different ways would wait for each other for ever.
(status, out, err), statistics = statistics_of(start)
expect("a job whose ranks have differing rules", (status, out, warnings(err)), (0, sum_output(len(RULES)), []))
expect("the algorithm that all took", list(statistics["core"]["collectives"]["allreduce"]["algorithms"]), ["ring"])
