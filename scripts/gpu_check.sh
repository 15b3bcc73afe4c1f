#!/usr/bin/env bash
# gpu_check.sh [FOLDER]   on a machine with an NVIDIA GPU: builds, tests and measures device buffers on it
#
# Says what the machine lacks and does what can be done: without an MPI, ranks are processes and threads of one program.
# Results go to FOLDER (default build/gpu_check): measurements.jsonl, one JSON object a line, and table.txt.
set -uo pipefail
cd "$(dirname "$0")/.."

results=${1:-build/gpu_check}
mkdir -p "$results"
failures=0
say() { printf '\n=== %s\n' "$*"; }
have() { command -v "$1" >/dev/null; }
# attempt <what> <command...>: goes on whatever comes of it.
attempt() {
  local what=$1
  shift
  if "$@"; then echo "passed: $what"; else echo "FAILED: $what"; failures=$((failures + 1)); fi
}

say "the machine"
if ! have nvidia-smi || ! nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | tee "$results/gpu.txt"; then
  echo "gpu_check: there is no NVIDIA GPU here (nvidia-smi finds none); device buffers are tested on the emulated one by ctest." >&2
  exit 1
fi
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
echo "nvcc: ${nvcc:-missing: no kernels will be built}"
for program in cmake ninja c++ mpirun.mpich mpirun.openmpi compute-sanitizer; do
  have "$program" && echo "$program: $(command -v "$program")" || echo "$program: missing"
done
have cmake && have ninja && have c++ || { echo "gpu_check: cmake, ninja and a C++ compiler are needed to build" >&2; exit 1; }

say "build"
scripts/setup.sh || echo "setup failed: what is missing is left out, or said below"
cmake --preset release >"$results/configure.log" 2>&1 || { cat "$results/configure.log"; exit 1; }
grep -A20 'Xylem ' "$results/configure.log"
cmake --build --preset release --target products device_ranks || exit 1

# Programs of the tests are linked with the emulated runtime: on this machine its real namesake comes first.
runtime=$(ldconfig -p | sed -n 's/.*libcudart\.so\.[0-9]* .* => //p' | head -1)
[[ -n $runtime ]] || runtime=$(ls /usr/local/cuda/lib64/libcudart.so.* 2>/dev/null | head -1 || true)
if [[ -z $runtime ]]; then
  echo "gpu_check: the CUDA runtime (libcudart.so) is missing" >&2
  exit 1
fi
export LD_LIBRARY_PATH=$(dirname "$runtime")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
ranks=build/release/tests/device_ranks
build/release/bin/xylem info | sed -n '/^CUDA devices/,/^$/p'

say "tests"
for count in 2 4 8; do
  attempt "$count processes" timeout 300 "$ranks" test processes $count kernels
  attempt "$count threads" timeout 300 "$ranks" test threads $count kernels
done
if have compute-sanitizer; then
  for tool in memcheck racecheck; do
    attempt "$tool" timeout 600 compute-sanitizer --tool $tool --error-exitcode 1 "$ranks" test threads 2
  done
fi
for mpi in mpich openmpi; do
  have mpirun.$mpi && cmake --build --preset release --target mpi_test_cuda_buffers_$mpi || continue
  launch=(mpirun.$mpi -n 2)
  [[ $mpi == openmpi ]] && launch+=(--oversubscribe) && ((EUID == 0)) && launch+=(--allow-run-as-root)
  attempt "$mpi" timeout 300 "${launch[@]}" build/release/bin/xylem exec -- build/release/tests/mpi/cuda_buffers.$mpi
done

say "measurements"
: >"$results/measurements.jsonl"
for count in 2 4 8; do
  attempt "benchmark of $count processes" timeout 900 "$ranks" bench processes $count 1024 >>"$results/measurements.jsonl"
done
sed -i '/^{/!d' "$results/measurements.jsonl"
python3 - "$results/measurements.jsonl" <<'TABLE' | tee "$results/table.txt"
import json, sys
print(f"{'WHAT':<16}{'RANKS':>6}{'BYTES':>12}{'US':>12}{'GB/S':>10}")
for line in open(sys.argv[1]):
    m = json.loads(line)
    print(f"{m['what']:<16}{m['ranks']:>6}{m['bytes']:>12.0f}{m['microseconds']:>12.2f}{m['gigabytes_per_second']:>10.2f}")
TABLE

echo
((failures == 0)) && echo "gpu_check: all passed on $(head -1 "$results/gpu.txt")" || echo "gpu_check: $failures FAILED"
exit $((failures > 0))
