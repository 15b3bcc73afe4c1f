#!/usr/bin/env python3
"""A rank that is stopped brings one warning that names it, and no error unless XYLEM_TIMEOUT says so; and what the flight recorders
tell of it, of a rank that was killed, and when the program handles their signal itself.

usage: late_rank.py --preload LIBRARY --tool XYLEM -- program

The program is tests/faults/endless.cpp under MPICH; this starts the ranks itself.
"""
import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "mpi"))
from pmi_job import PmiJob  # noqa: E402

RANKS, LATE = 3, 1
START, LIMIT = 60, 20  # seconds


class Failed(Exception):
    pass


def expect(condition, what, job):
    if not condition:
        raise Failed(f"{what}: {job.texts()}")


class Running:
    """The ranks of a job that is in full swing."""

    def __init__(self, options, settings, manner="return"):
        common = {"LD_PRELOAD": options.preload} | settings
        self.job = PmiJob([[options.program, manner]] * RANKS, [common] * RANKS)

    def __enter__(self):
        expect(self.job.wait_for(lambda out, err: "running" in out, START), "the job did not come to run", self.job)
        return self.job

    def __exit__(self, *_):
        self.job.kill()


def warnings(err):
    return [line for line in err.splitlines() if "is late" in line]


def stop(job):
    job.processes[LATE].send_signal(signal.SIGSTOP)


def one_warning(options):
    with Running(options, {"XYLEM_LATE": "0.5"}) as job:
        stop(job)
        expect(job.wait_for(lambda out, err: warnings(err), LIMIT), "no warning", job)
        time.sleep(2)  # long enough for more warnings
        _, err = job.texts()
        expect(len(warnings(err)) == 1, "one warning", job)
        expect(f"rank {LATE} on " in err and "is stopped; waiting goes on" in err and "allreduce(" in err, "it names the rank and the call", job)
        expect("xylem: warn" not in err.replace(warnings(err)[0], ""), "no error", job)
        job.processes[LATE].send_signal(signal.SIGCONT)
        time.sleep(1)
        expect(all(process.poll() is None for process in job.processes), "all ranks live", job)
        expect(len([line for line in job.texts()[1].splitlines() if "xylem: record: " in line]) >= RANKS, "the last calls of all ranks", job)


def an_error_after_the_timeout(options):
    with Running(options, {"XYLEM_TIMEOUT": "1"}) as job:
        stop(job)
        expect(job.wait_for(lambda out, err: f"rank {LATE} on " in err and "did not come within XYLEM_TIMEOUT" in err, LIMIT), "no error", job)


def diagnosis(options, folder):
    done = subprocess.run([options.tool, "diagnose", *folder.iterdir()], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f"xylem diagnose: {done.stderr}")
    print(done.stdout, flush=True)
    return done.stdout


def a_diagnosis_on_a_signal(options):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Running(options, {"XYLEM_DUMP_FILE": str(folder / "dump")}) as job:
            stop(job)
            time.sleep(1)
            job.processes[0].send_signal(signal.SIGUSR1)
            expect(job.wait_for(lambda out, err: list(folder.iterdir()), LIMIT), "no dump", job)
            time.sleep(0.5)
            expect(job.processes[0].poll() is None, "the signal ends nobody", job)
            said = diagnosis(options, folder)
            expect(f"rank {LATE} on " in said and "and has waited" in said and "allreduce(" in said, said, job)
        with Running(options, {"XYLEM_DUMP_FILE": str(folder / "second")}) as job:
            for file in folder.iterdir():
                file.unlink()
            job.processes[LATE].kill()
            expect(job.wait_for(lambda out, err: f"rank {LATE} on " in err and "died" in err, LIMIT), "no error", job)
            expect(job.wait_for(lambda out, err: list(folder.iterdir()), LIMIT), "an error leaves no dump", job)
            time.sleep(0.5)
            said = diagnosis(options, folder)
            expect(f"rank {LATE} on " in said and "has ended" in said, said, job)


def the_programs_own_signal(options):
    """The program's handler stays the one that is called. XYLEM_DUMP_SIGNAL=off: it is MPICH's alone."""
    with Running(options, {}, "signal") as job:
        job.processes[0].send_signal(signal.SIGUSR1)
        expect(job.wait_for(lambda out, err: "the program's own handler" in out, LIMIT), "the program's handler is called", job)
        time.sleep(1)
        expect("xylem: record" not in job.texts()[1] and job.processes[0].poll() is None, "no other", job)
    with Running(options, {"XYLEM_DUMP_SIGNAL": "off"}) as job:
        job.processes[0].send_signal(signal.SIGUSR1)
        time.sleep(1)
        expect("xylem: record" not in job.texts()[1], "nobody takes it", job)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preload", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    for case in (one_warning, an_error_after_the_timeout, a_diagnosis_on_a_signal, the_programs_own_signal):
        print(f"== {case.__name__}", flush=True)
        try:
            case(options)
        except Failed as failed:
            return f"FAILED: {failed}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
