#!/usr/bin/env python3
"""Runs `xylem bench` for a moment and checks its table, its JSON, its CSV and its page.

usage: check_bench.py MPI MPIRUN RANKS XYLEM [OTHER]

OTHER: an MPI whose benchmark shall run beside.
"""
import csv
import html.parser
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from job import Job, launch  # noqa: E402

COLLECTIVES = ["allreduce", "reduce", "bcast", "allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block",
               "alltoall", "alltoallv", "alltoallw", "gather", "gatherv", "scatter", "scatterv", "scan", "exscan", "barrier"]
SIZES = [0, 4100]


def check_record(report, table, out, ranks):
    expected = [(name, size) for name in COLLECTIVES[:-1] for size in SIZES] + [("barrier", 0)]
    assert [(line["collective"], line["bytes"]) for line in report["lines"]] == expected
    assert [(line["collective"], int(line["bytes"])) for line in table] == expected
    assert len([line for line in out.splitlines() if line.split() and line.split()[0] in COLLECTIVES]) == len(expected)
    assert report["ranks"] == ranks
    assert report["xylem_loaded"]
    assert report["sides"] == ["xylem", "mpi"] and report["peers"] == {}
    assert 1 <= len(report["limits"]["cores"]) <= ranks
    for line in report["lines"]:
        for side in ("xylem", "mpi"):
            assert line[side]["wrong_calls"] == 0, line
            assert len(line[side]["samples_seconds"]) == 3
            assert 0 < line[side]["median_seconds"] <= line[side]["p95_seconds"]
            assert line[side]["cpu_seconds"] > 0
            low, high = line[side]["median_interval_seconds"]
            assert low <= line[side]["median_seconds"] <= high
        low, high = line["ratio_interval"]
        assert low <= line["ratio"] <= high
        moves = line["bytes"] > 0 or line["collective"] == "barrier"
        one_way = line["collective"] in ("scan", "exscan")
        assert (line["least_seconds"] > 0) == (ranks > 1 and moves), line
        assert one_way or line["of_limit"] == line["least_seconds"] / line["xylem"]["median_seconds"]
    # The calls of one side, and no others, ran on Xylem: trials, warm-up and three rounds of each line. A few more come from
    # making communicators, which gathers over the parent.
    for name in COLLECTIVES:
        calls = sum(9 + 4 * line["xylem"]["calls_per_sample"] for line in report["lines"] if line["collective"] == name)
        counted = report["core"]["collectives"][name]["calls"]
        assert calls <= counted <= calls + 20, (name, calls, counted)


class Page(html.parser.HTMLParser):
    """Looks for whatever would be fetched from elsewhere, and counts the plots."""
    def __init__(self):
        super().__init__()
        self.plots, self.outside, self.open = 0, [], []

    def handle_starttag(self, tag, attributes):
        self.plots += tag == "svg"
        self.outside += [name for name, _ in attributes if name in ("src", "href")]
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.plots += tag == "svg"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


def check_page(text, runs, ranks):
    page = Page()
    page.feed(text)
    assert page.outside == [] and page.open == [], (page.outside, page.open)
    plots = 2 if ranks > 1 else 1  # one rank alone has no limit
    assert page.plots >= runs * (1 + plots * (len(COLLECTIVES) - 1)), page.plots


def check_files(xylem, json_file, report, folder):
    """What is made of records without measuring again."""
    def tool(*words):
        return subprocess.run([xylem, "bench", *words], capture_output=True, text=True, timeout=60, check=False)

    page = folder / "both.html"
    result = tool("--report", page, "--from", f"{json_file},{json_file}")
    assert (result.returncode, result.stderr) == (0, ""), result
    check_page(page.read_text(encoding="utf-8"), 2, report["ranks"])

    result = tool("--compare", json_file, json_file)
    assert (result.returncode, result.stderr) == (0, ""), result
    for line in report["lines"]:
        if line["collective"] == "bcast":
            # By so much that no noise of three rounds hides it.
            line["xylem"]["samples_seconds"] = [1e6 * seconds for seconds in line["xylem"]["samples_seconds"]]
    slow = folder / "slow.json"
    slow.write_text(json.dumps(report), encoding="utf-8")
    result = tool("--compare", json_file, slow)
    assert result.returncode == 1 and result.stdout.startswith("Slower:"), result
    assert {line.split()[0] for line in result.stdout.splitlines()[2:2 + len(SIZES)]} == {"bcast"}, result.stdout

    (folder / "none.json").write_text("{}", encoding="utf-8")
    for words, what in ((("--compare", json_file, folder / "none.json"), "none.json: is no record of xylem bench"),
                        (("--compare", json_file, folder / "missing"), "cannot read"),
                        (("--from", json_file), "--report"), (("--compare", json_file), "--compare")):
        result = tool(*words)
        assert result.returncode == 2 and what in result.stderr and result.stderr.startswith("xylem bench: "), result


def check_peers(bench, json_file, other):
    """Jobs beside this one as further sides: the other MPI, and whatever speaks the protocol."""
    def fake(how):
        return f"fake={sys.executable} {Path(__file__).resolve().parent / 'fake_peer.py'} {how}"

    calls = ("--rounds", "3", "--sizes", "1000", "--line-time", "1000", "--json", json_file)
    for words in ([], ["--buffers", "cold", "--skew", "20", "--histogram"]):
        asked = [] if not words else ["--peer", other]
        status, out, err = bench("--collectives", "allreduce,gatherv,barrier", *calls, *asked, *words)
        assert (status, err) == (0, ""), (status, out, err)
        report = json.loads(json_file.read_text(encoding="utf-8"))
        assert report["sides"] == ["xylem", "mpi", other] and report["peers"].keys() == {other}, report
        assert report["peers"][other].startswith({"mpich": "MPICH", "openmpi": "Open MPI"}[other]) and report["peers"][other] in out
        for line in report["lines"]:
            side = line[other]
            assert side["wrong_calls"] == 0 and len(side["samples_seconds"]) == 3 and side["cpu_seconds"] > 0, line
            assert ("histogram" in side) == ("--histogram" in words)
            assert sum(entry["calls"] for entry in side.get("histogram", [])) in (0, 3 * side["calls_per_sample"])

    status, out, err = bench("--collectives", "bcast,allreduce", *calls, "--peer", other, "--peer", fake(""))
    report = json.loads(json_file.read_text(encoding="utf-8"))
    assert status == 1 and "xylem" not in err and "WRONG RESULTS (fake: " in out, (status, out, err)
    assert report["sides"] == ["xylem", "mpi", *sorted(["fake", other])] and report["peers"]["fake"] == "a fake"
    for line in report["lines"]:
        assert line["fake"]["samples_seconds"] == [1, 1, 1] and line["fake"]["cpu_seconds"] == 2, line
        assert line["fake"]["calls_per_sample"] == 1 and line["ratio_to"] != "fake", line
    for how, complaint in (("silent", "has ended"), ("three", "has 3 ranks, and this job has 2"), ("rude", "gives no result: what?")):
        status, out, err = bench("--collectives", "bcast", *calls, "--peer", fake(how))
        assert status not in (0, "hang") and f"xylem bench: peer fake: {complaint}" in err, (how, status, err)


def main(mpi, mpirun, ranks, xylem, other=None):
    def with_peers(*words, environment=None):
        return Job(launch(mpi, mpirun, ranks) + [xylem, "bench", *words], environment).finish(100)

    def bench(*words, environment=None):
        return with_peers("--peer", "none", *words, environment=environment)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        json_file, csv_file, page = folder / "bench.json", folder / "bench.csv", folder / "bench.html"
        status, out, err = bench("--rounds", "3", "--type", "int", "--sizes", ",".join(map(str, SIZES)), "--json", json_file,
                                 "--csv", csv_file, "--report", page, "--line-time", "1000")
        print(out)
        assert (status, err) == (0, ""), (status, err)
        report = json.loads(json_file.read_text(encoding="utf-8"))
        with open(csv_file, encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        check_record(report, table, out, int(ranks))
        check_page(page.read_text(encoding="utf-8"), 1, int(ranks))
        check_files(xylem, json_file, report, folder)

        # Blocks that differ, buffers of all kinds, ranks that come late, and every call for itself.
        for words in (["--collectives", "alltoallv", "--imbalance", "45", "--op", "max", "--buffers", "cold", "--histogram"],
                      ["--collectives", "reduce_scatter,scatterv", "--imbalance", "100", "--skew", "50", "--buffers", "warm"]):
            status, out, err = bench("--rounds", "2", "--sizes", "1000", "--line-time", "1000", "--json", json_file, *words)
            assert (status, err) == (0, ""), (status, out, err)
            report = json.loads(json_file.read_text(encoding="utf-8"))
            for line in report["lines"]:
                assert ("histogram" in line["xylem"]) == ("--histogram" in words)
                for side in ("xylem", "mpi"):
                    assert line[side]["calls_per_sample"] == 1 or "--skew" not in words
                    calls = sum(entry["calls"] for entry in line[side].get("histogram", []))
                    assert calls in (0, 2 * line[side]["calls_per_sample"])

        # A line that takes too long ends with what there is by then, and one that cannot be measured says why.
        status, out, err = bench("--rounds", "10000000", "--line-time", "0.2", "--sizes", "64,2G", "--collectives", "alltoall",
                                 "--type", "uint8", "--json", json_file)
        assert (status, err) == (0, ""), (status, out, err)
        small, large = json.loads(json_file.read_text(encoding="utf-8"))["lines"]
        assert small["cut_short"] and len(small["mpi"]["samples_seconds"]) >= 1 and "cut short" in out, out
        assert large["left_out"] == "MPI counts elements by int" and "not measured" in out, out

        if other:
            check_peers(with_peers, json_file, other)

    status, out, err = bench("--limits")
    assert (status, err) == (0, "") and "memcpy" in out and "allreduce" not in out, (status, out, err)

    # A file that cannot be written is told before anything is measured.
    status, out, err = bench("--json", "/nowhere/bench.json")
    assert status not in (0, "hang") and not any(name in out for name in COLLECTIVES), (status, out, err)
    assert err.count("xylem bench: cannot write /nowhere/bench.json: No such file or directory") == 1, err

    # What is wrong with the command line is told once, and not by every rank.
    for words in (["--sizes", "x"], ["--size", "8"]):
        status, out, err = bench(*words)
        assert status not in (0, "hang") and err.count("xylem bench: ") == 1 and out.count("xylem bench") == 0, (words, out, err)

    # A setting that makes no sense is told once.
    status, out, err = bench("--rounds", "1", "--collectives", "barrier", environment={"XYLEM_CHUNK": "x"})
    assert status == 0 and err.count("XYLEM_CHUNK=x: expected a size") == 1, (status, out, err)


if __name__ == "__main__":
    main(*sys.argv[1:])
