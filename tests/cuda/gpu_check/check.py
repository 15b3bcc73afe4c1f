"""check.py SCRIPT BUILD FOLDER: scripts/gpu_check.sh goes through all its steps on the emulated GPU, and says what it should."""

import json
import os
import pathlib
import subprocess
import sys

script, build, folder = sys.argv[1:]
stand_ins = pathlib.Path(__file__).parent
environment = dict(os.environ, PATH=f"{stand_ins}:{os.environ['PATH']}")


def run(*options):
    command = [script, "--built", build, "--largest", "1", *options, folder]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def expect(right, what, output):
    if not right:
        sys.exit(f"wrong: {what}\n{output}")


good = run("--tests", "^(threads_one_device|refusals_nothing|processes_own_devices)$")
expect(good.returncode == 0, "it fails", good.stdout)
for line in (
    "passed: threads_one_device",
    "passed: refusals_nothing",
    "left out: processes_own_devices (4 GPUs)",
    "passed: memcheck threads",
    "passed: racecheck processes",
    "gpu_check: all passed on Emulated GPU",
):
    expect(line in good.stdout, f"it does not say '{line}'", good.stdout)

results = pathlib.Path(folder)
measured = json.loads((results / "measurements.json").read_text())
expect(measured["driver"] == "999.1", "the driver's version", measured)
seen = {(m["what"], m["ranks"], m["bytes"]) for m in measured["measurements"] if m["microseconds"] > 0}
for what in ("allreduce", "reduce_scatter", "allgather", "bcast"):
    for ranks in (2, 4, 8):
        for size in (1024, 1 << 20):
            expect((what, ranks, size) in seen, f"{what} of {size} bytes among {ranks} ranks is not measured", seen)
expect(("device copy", 1, 1 << 20) in seen, "a copy is not measured", seen)
table = (results / "table.txt").read_text().splitlines()
expect(len(table) == len(measured["measurements"]) + 1, "the table has a line for each measurement", table)
expect(sum("%" in line for line in table) == 12 * 6, "all collectives are compared with a copy", table)

# A test that fails: the kernels of the emulated GPU are taken away.
del environment["CUDA_EMU_KERNELS"]
bad = run("--largest", "0", "--tests", "^threads_one_device$")
expect(bad.returncode == 1, "it does not fail", bad.stdout)
expect("FAILED: threads_one_device" in bad.stdout and "not all calls ran on the device" in bad.stdout, "it says why", bad.stdout)
