#!/usr/bin/env python3
"""Submits the scripts of scripts/slurm to a SLURM of two nodes and checks what their jobs did.

usage: batch_scripts.py mpich|openmpi BUILD_FOLDER

Exits with 77, and the reason, where no SLURM can be started.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts" / "slurm"
CLUSTER = [SCRIPTS / "test_cluster.sh", "-n", "2", "-c", "4", "-g", "2"]
INSIDE = "BATCH_SCRIPTS_INSIDE"  # set where the cluster runs
TYPES = {"mpich": "pmi2", "openmpi": "pmix"}
ALL = ["allreduce", "reduce", "bcast", "allgather", "reduce_scatter_block", "barrier"]
LIMIT = 120  # seconds for a job
TWO_BY_TWO = ["--nodes=2", "--ntasks-per-node=2"]


class Site:
    """What the jobs of one MPI have in common."""

    def __init__(self, mpi, build):
        self.mpi = mpi
        self.programs = build / "tests"
        self.folder = Path(tempfile.mkdtemp(dir=os.environ["SLURM_TEST_FOLDER"]))
        # Some MPIs do not like root. Ranks outnumber cores by far.
        self.environment = os.environ | {"XYLEM_ROOT": str(build), "MPIRUN": f"mpirun.{mpi}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def program(self, name):
        return self.programs / f"{name}.{self.mpi}"

    def run(self, command, environment):
        done = subprocess.run([str(word) for word in command], env=self.environment | environment, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        return done.returncode, done.stdout

    def sbatch(self, options, script, words, environment=None):
        """Exit status and output of a job."""
        output = self.folder / "output"
        status, job = self.run(["sbatch", "--parsable", f"--output={output}", *options, SCRIPTS / script, *words],
                               environment or {})
        if status != 0:
            sys.exit(f"FAILED: sbatch: {job}")
        # Not sbatch --wait, which asks every few seconds only.
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            _, said = self.run(["scontrol", "show", "job", "--oneliner", job.strip()], {})
            facts = dict(re.findall(r"(\w+)=(\S*)", said))
            if facts["JobState"] not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING"):
                return int(facts["ExitCode"].split(":")[0]), output.read_text(encoding="utf-8")
            time.sleep(0.1)
        sys.exit(f"FAILED: {script} did not end: {said} {output.read_text(encoding='utf-8')}")


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"FAILED: {what}:\n  found  {found!r}\n  wanted {wanted!r}")


def expect_in(what, text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"FAILED: {what}: {part!r} is not in\n{text}")


def check_offload(what, path, hosts, collectives):
    """Every call of `collectives` ran on Xylem, between so many hosts of two ranks."""
    statistics = json.loads(path.read_text(encoding="utf-8"))
    expect(f"{what}: active", (statistics["active"], statistics.get("why_off")), (True, None))
    expect(f"{what}: ranks and hosts", (statistics["ranks"], statistics["core"]["hosts"]), (2 * hosts, hosts))
    for name in collectives:
        collective = statistics["collectives"][name]
        if not 0 < collective["calls"] == collective["on_xylem"]:
            sys.exit(f"FAILED: {what}: {name}: {collective}")
    path.unlink()
    return statistics


def good_run(site, what, run, program, words=()):
    """`run(words, environment)` executes a job of four ranks on two hosts: it passes in silence, and all of it on Xylem."""
    statistics = site.folder / "statistics.json"
    status, out = run([site.program(f"mpi/{program}"), *words], {"XYLEM_STATS": str(statistics)})
    expect(f"{what}: exit status, {out}", status, 0)
    expect_in(what, out, f"{program}: good")
    expect(f"{what}: warnings", [line for line in out.splitlines() if "xylem:" in line], [])
    check_offload(what, statistics, 2, ALL)


def srun_script(site):
    good_run(site, "srun.sbatch", lambda words, more: site.sbatch(TWO_BY_TWO, "srun.sbatch", words, more), "sequences")
    # The same settings as everywhere: a path of its own for two ranks of different nodes.
    status, out = site.sbatch(["--nodes=2", "--ntasks=2"], "srun.sbatch", [site.program("preload/sum")], {"XYLEM_LOG": "info"})
    expect(f"two ranks, {out}", status, 0)
    expect_in("two ranks", out, "sum 3\n", "a communicator of 2 ranks is connected, 2 hosts over ")


def mpirun_script(site):
    good_run(site, "mpirun.sbatch", lambda words, more: site.sbatch(TWO_BY_TWO, "mpirun.sbatch", words, more), "sequences")
    good_run(site, "salloc mpirun.sbatch",
             lambda words, more: site.run(["salloc", *TWO_BY_TWO, SCRIPTS / "mpirun.sbatch", *words], more), "sequences")


def gpu_script(site):
    emulator = site.programs / "cuda_emu" / "lib"
    if not site.program("mpi/cuda_allreduce").exists():
        print("gpu.sbatch is left out: this build has no device buffers")
        return
    statistics = site.folder / "statistics.json"
    gpus = {"XYLEM_CUDA": "on", "LD_LIBRARY_PATH": str(emulator), "CUDA_EMU_DEVICES": "2", "XYLEM_STATS": str(statistics),
            "CUDA_EMU_KERNELS": str(emulator / "libxylem_emulated_kernels.so"), "CUDA_EMU_MACHINE": f"slurm-{os.getpid()}"}
    for choice in ("chosen", "first"):
        status, out = site.sbatch(["--gpus-per-node=2", "--ntasks-per-node=2"], "gpu.sbatch",
                                  [site.program("mpi/cuda_allreduce")], gpus | {"GPU_OF_RANK": choice})
        expect(f"gpu.sbatch, {choice}: exit status, {out}", status, 0)
        expect_in(f"gpu.sbatch, {choice}", out, "device buffers: good on 2 ranks, 2 devices")
        core = check_offload(f"gpu.sbatch, {choice}", statistics, 1, ["allreduce"])["core"]
        expect(f"gpu.sbatch, {choice}: kernels", core["device"]["calls"], core["collectives"]["allreduce"]["calls"])
    show = ["bash", "-c", "echo order $SLURM_LOCALID $CUDA_VISIBLE_DEVICES"]
    status, out = site.sbatch(["--nodes=2", "--gpus-per-node=2", "--ntasks-per-node=4"], "gpu.sbatch", show,
                              {"GPU_OF_RANK": "first", "RANKS_PER_GPU": "2", "SLURM_MPI_TYPE": TYPES[site.mpi]})
    expect("gpu.sbatch: own GPU first", (status, sorted(line for line in out.splitlines() if line.startswith("order"))),
           (0, sorted(["order 0 0,1", "order 1 1,0", "order 2 0,1", "order 3 1,0"] * 2)))


def compare_script(site):
    status, out = site.sbatch(TWO_BY_TWO, "compare.sbatch", ["--collectives", "allreduce,bcast", "--sizes", "8,64K", "--rounds", "3"],
                              {"SLURM_MPI_TYPE": TYPES[site.mpi]})
    expect(f"compare.sbatch: exit status, {out}", status, 0)
    reports = list(site.folder.glob("xylem-compare-*.json"))
    expect("compare.sbatch: reports", len(reports), 1)
    report = json.loads(reports[0].read_text(encoding="utf-8"))
    expect("compare.sbatch: ranks", (report["ranks"], report["core"]["hosts"], report["xylem_loaded"]), (4, 2, True))
    expect("compare.sbatch: lines", [(line["collective"], line["bytes"]) for line in report["lines"]],
           [("allreduce", 8), ("allreduce", 65536), ("bcast", 8), ("bcast", 65536)])
    expect("compare.sbatch: wrong calls",
           [line[side]["wrong_calls"] for line in report["lines"] for side in ("xylem", "mpi")], [0] * 8)


def doctor_script(site):
    """A report from each node; and a launcher that speaks to other ranks than the program's is found."""
    program = site.program("preload/sum")
    other = {"mpich": "openmpi", "openmpi": "mpich"}[site.mpi]
    for kind, wanted in ((TYPES[site.mpi], "PMI            rank "), (TYPES[other], "every rank will be rank 0 of 1"),
                         ("none", "speaks no PMI with them: every rank will be rank 0 of 1")):
        status, out = site.sbatch(TWO_BY_TWO, "doctor.sbatch", [program], {"SLURM_MPI_TYPE": kind})
        expect(f"doctor.sbatch, {kind}: reports, {out}", (out.count("rank 0 on "), out.count("rank 2 on ")), (1, 1))
        expect(f"doctor.sbatch, {kind}: {out}", out.count(wanted), 2)
        if kind != TYPES[site.mpi]:
            expect(f"doctor.sbatch, {kind}: exit status", status, 1)


def wrong_inputs(site):
    """Every script says what it lacks, before it starts a rank. sbatch executes it just so, with these variables."""
    program = site.program("preload/sum")
    job = {"SLURM_JOB_ID": "1", "SLURM_TASKS_PER_NODE": "2(x2)", "SLURM_NTASKS": "4"}
    gpus = job | {"SLURM_GPUS_ON_NODE": "2"}
    cases = [("gpu.sbatch", job, [program], "the job has no GPUs"),
             ("gpu.sbatch", gpus | {"SLURM_TASKS_PER_NODE": "1"}, [program], "1 ranks and 2 GPUs on a node"),
             ("gpu.sbatch", gpus | {"SLURM_TASKS_PER_NODE": "2,1"}, [program], "the nodes have different numbers of ranks"),
             ("gpu.sbatch", gpus | {"SLURM_GPUS_PER_TASK": "1"}, [program], "--gpus-per-task hides the other ranks' GPUs"),
             ("gpu.sbatch", gpus | {"GPU_OF_RANK": "last"}, [program], "GPU_OF_RANK=last: expected chosen or first"),
             ("mpirun.sbatch", job | {"MPIRUN": "absent"}, [program], "there is no absent: set MPIRUN"),
             ("compare.sbatch", job | {"SLURM_NTASKS": "1"}, [], "one rank has nobody to exchange with"),
             ("compare.sbatch", job | {"XYLEM_ROOT": "/absent"}, [], "there is no /absent/bin/xylem"),
             ("compare.sbatch", {}, [], "this is a batch script"),
             ("doctor.sbatch", job | {"XYLEM_ROOT": "/absent"}, [], "there is no /absent/bin/xylem"),
             ("doctor.sbatch", {}, [], "this is a batch script")]
    for script in ("srun.sbatch", "mpirun.sbatch", "gpu.sbatch"):
        cases += [(script, gpus, [], "no program"), (script, gpus, ["./absent"], "there is no program ./absent"),
                  (script, gpus | {"XYLEM_ROOT": "/absent"}, [program], "there is no /absent/bin/xylem"),
                  (script, {}, [program], "th")]
    for script in ("srun.sbatch", "gpu.sbatch"):
        cases.append((script, gpus, ["true"], "true is linked with no MPI that is known here"))
    for script in ("srun.sbatch", "gpu.sbatch", "compare.sbatch"):
        for kind in ("pigeon", "none"):
            cases.append((script, gpus | {"SLURM_MPI_TYPE": kind}, ["true"], f"srun starts no MPI with --mpi={kind}: set SLURM_MPI_TYPE"))
    for script, environment, words, complaint in cases:
        status, out = site.run([SCRIPTS / script, *words], environment)
        expect(f"{script} {words} {environment}: {out}", (status, out.startswith(f"{script}: {complaint}")), (2, True))


def rank_without_library(site):
    """One rank of a job that srun started lacks the library: Xylem is off for all, with one warning, and nobody hangs."""
    choose = '[ "$SLURM_PROCID" = "$1" ] || export LD_PRELOAD="$2"; exec "$3"'
    library = site.programs.parent / "lib" / "libxylem_mpi.so"
    for absent in (0, 3):
        status, out = site.run(["srun", *TWO_BY_TWO, f"--mpi={TYPES[site.mpi]}", "bash", "-c", choose, "rank", absent, library,
                                site.program("preload/sum")], {})
        expect(f"rank {absent} without the library: exit status, {out}", status, 0)
        expect_in(f"rank {absent} without the library", out, "sum 10\n")
        warnings = [line for line in out.splitlines() if line.startswith("xylem:")]
        expect(f"rank {absent} without the library: warnings {warnings}", len(warnings), 1)
        expect_in("the warning", warnings[0], f"off for this job: rank {absent} runs without the library")


def main(mpi, build):
    if INSIDE not in os.environ:
        with tempfile.TemporaryDirectory() as folder:
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("XYLEM_", "SLURM_"))}
            command = [*CLUSTER, sys.executable, __file__, mpi, build]
            return subprocess.run(command, env=environment | {INSIDE: "1", "SLURM_TEST_FOLDER": folder}, check=False).returncode
    site = Site(mpi, Path(build))
    for case in (srun_script, mpirun_script, rank_without_library, gpu_script, compare_script, doctor_script, wrong_inputs):
        print(f"== {case.__name__}", flush=True)
        case(site)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
