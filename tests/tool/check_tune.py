#!/usr/bin/env python3
"""Runs `xylem tune` for a moment, and a program that follows the rules it wrote.

usage: check_tune.py MPI MPIRUN RANKS XYLEM
"""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

# Of another job: stays as it is.
KEPT = "allreduce hosts=7 ranks=99: ring\n"


def run(command, environment=None):
    status, out, err = Job(command, environment).finish(100)
    assert status == 0, (status, out, err)
    return out, err


def main(mpi, mpirun, ranks, xylem):
    with tempfile.TemporaryDirectory() as folder:
        rules, statistics = Path(folder) / "rules", Path(folder) / "statistics"
        rules.write_text(KEPT, encoding="utf-8")
        tune = launch(mpi, mpirun, ranks) + [xylem, "tune", "--rounds", "7", "--collectives", "allreduce,scatter,barrier,allgatherv,alltoallv",
                                             "--sizes", "8,4K,300000", "--file", rules]
        out, err = run(tune)
        assert err == "", err
        wanted = 3 * ["allreduce"] + 3 * ["scatter"] + ["barrier"] + 3 * ["allgatherv"] + ["alltoallv"]
        assert [line.split()[0] for line in out.splitlines() if line.split()[0] in wanted] == wanted, out
        text = rules.read_text(encoding="utf-8")
        assert text.startswith(f"# xylem tune: {ranks} ranks on 1 host") and text.endswith(KEPT), text
        measured = [line for line in text.splitlines()[1:] if line and line + "\n" != KEPT]
        assert all(f" hosts=1 ranks={ranks}: " in line for line in measured), text
        # Nothing is said of sizes above the largest one.
        last = [[line.split()[1] for line in measured if line.startswith(name)][-1] for name in ("allreduce", "scatter", "allgatherv")]
        assert all(size.endswith("-300000") for size in last), text
        assert {line.split()[0] for line in measured} == set(wanted), text
        # Where only two ranks know how long a block is, a rule holds for all lengths.
        assert any(line.startswith(f"alltoallv hosts=1 ranks={ranks}: ") for line in measured), text

        # A file that cannot be written is told before anything is measured.
        status, out, err = Job(launch(mpi, mpirun, ranks) + [xylem, "tune", "--file", "/nowhere/rules"]).finish(100)
        assert status not in (0, "hang") and "allreduce" not in out, (status, out, err)
        assert err.count("xylem tune: cannot write /nowhere/rules") == 1, err

        # A setting that makes no sense is told once.
        _, err = run(launch(mpi, mpirun, ranks) + [xylem, "tune", "--rounds", "7", "--collectives", "barrier", "--file", rules],
                     {"XYLEM_CHUNK": "x"})
        assert err.count("XYLEM_CHUNK=x: expected a size") == 1, err

        # Once more: what was tuned gives way to what is tuned now.
        run(tune)
        assert rules.read_text(encoding="utf-8").count("# xylem tune") == 1

        # A rule that differs from the plan's choice is followed, by every rank.
        rules.write_text("allreduce 0-64: ring\n", encoding="utf-8")
        bench = launch(mpi, mpirun, ranks) + [xylem, "bench", "--rounds", "3", "--collectives", "allreduce", "--sizes"]
        json_file = Path(folder) / "bench.json"
        run(bench + ["8", "--json", json_file], {"XYLEM_TUNING_FILE": str(rules), "XYLEM_STATS": str(statistics)})
        used = json.loads(json_file.read_text(encoding="utf-8"))["core"]["collectives"]["allreduce"]["algorithms"]
        assert set(used) == {"ring"}, used

        # One rank says what is wrong with a file, and the plan decides.
        rules.write_text("allreduce 0-64: ring\nallreduce: rnig\n", encoding="utf-8")
        _, err = run(bench + ["8", "--json", json_file], {"XYLEM_TUNING_FILE": str(rules)})
        assert f"XYLEM_TUNING_FILE: {rules}, line 2: 'rnig' names no algorithm" in err and err.count("rnig") == 1, err
        used = json.loads(json_file.read_text(encoding="utf-8"))["core"]["collectives"]["allreduce"]["algorithms"]
        assert "ring" not in used, used


if __name__ == "__main__":
    main(*sys.argv[1:])
