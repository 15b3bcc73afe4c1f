#!/usr/bin/env python3
"""Runs `xylem bench` for a moment and checks its table, its JSON and its CSV.

usage: check_bench.py MPI MPIRUN RANKS XYLEM
"""
import csv
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

COLLECTIVES = ["allreduce", "reduce", "bcast", "allgather", "reduce_scatter_block", "barrier"]
SIZES = [0, 8, 4100, 300000]


def main(mpi, mpirun, ranks, xylem):
    with tempfile.TemporaryDirectory() as folder:
        json_file, csv_file = Path(folder) / "bench.json", Path(folder) / "bench.csv"
        job = Job(launch(mpi, mpirun, ranks) + [xylem, "bench", "--rounds", "3", "--type", "int", "--sizes",
                                                ",".join(map(str, SIZES)), "--json", json_file, "--csv", csv_file])
        status, out, err = job.finish(100)
        print(out)
        assert (status, err) == (0, ""), (status, err)
        report = json.loads(json_file.read_text(encoding="utf-8"))
        with open(csv_file, encoding="utf-8") as file:
            table = list(csv.DictReader(file))

    expected = [(name, size) for name in COLLECTIVES[:-1] for size in SIZES] + [("barrier", 0)]
    assert [(line["collective"], line["bytes"]) for line in report["lines"]] == expected
    assert [(line["collective"], int(line["bytes"])) for line in table] == expected
    assert len([line for line in out.splitlines() if line.split() and line.split()[0] in COLLECTIVES]) == len(expected)
    assert report["ranks"] == int(ranks)
    assert report["xylem_loaded"]
    for line in report["lines"]:
        for side in ("xylem", "mpi"):
            assert line[side]["wrong_calls"] == 0, line
            assert len(line[side]["samples_seconds"]) == 3
            assert 0 < line[side]["median_seconds"] <= line[side]["p95_seconds"]
    # The calls of one side, and no others, ran on Xylem: trials, warm-up and three rounds of each line. A few more come from
    # making communicators, which gathers over the parent.
    for name in COLLECTIVES:
        calls = sum(9 + 4 * line["xylem"]["calls_per_sample"] for line in report["lines"] if line["collective"] == name)
        counted = report["core"]["collectives"][name]["calls"]
        assert calls <= counted <= calls + 20, (name, calls, counted)

    # A file that cannot be written is told before anything is measured.
    status, out, err = Job(launch(mpi, mpirun, ranks) + [xylem, "bench", "--json", "/nowhere/bench.json"]).finish(100)
    assert status not in (0, "hang") and not any(name in out for name in COLLECTIVES), (status, out, err)
    assert err.count("xylem bench: cannot write /nowhere/bench.json: No such file or directory") == 1, err

    # A setting that makes no sense is told once by each rank.
    job = Job(launch(mpi, mpirun, ranks) + [xylem, "bench", "--rounds", "1", "--collectives", "barrier"], {"XYLEM_CHUNK": "x"})
    status, out, err = job.finish(100)
    assert status == 0 and err.count("XYLEM_CHUNK=x: expected a size") == int(ranks), (status, out, err)


if __name__ == "__main__":
    main(*sys.argv[1:])
