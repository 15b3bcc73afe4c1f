#!/usr/bin/env bash
# gpu_check.sh [OPTION...] [FOLDER]   on a machine with an NVIDIA GPU: builds, tests and measures device buffers on it
#
#   --build-only     builds what is needed, with no more than any machine has, and stops: for a machine with a GPU that cannot
#                    build (no libraries, no network). Copy the whole tree there, build/gpu too, and run this script
#   --built BUILD    uses what is built in that folder; by default, builds in build/gpu
#   --tests REGEX    runs the tests that match (default all that this machine has GPUs for)
#   --largest MIB    of the measurements (default 1024)
#
# Says what the machine lacks and does what can be done: without an MPI, ranks are processes and threads of one program.
# Results go to FOLDER (default build/gpu_check): measurements.json, table.txt, and a log of each step.
# CUDA_LIBRARIES names the folders of libcuda.so.1 and libcudart.so where the linker does not know them.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() { sed -n '2,15s/^# \{0,1\}//p' "$0"; exit 2; }
build=build/gpu built=false build_only=false pattern=. largest=1024
while [[ ${1:-} == -* ]]; do
  case $1 in
    --build-only) build_only=true ;;
    --built) build=${2:?}; built=true; shift ;;
    --tests) pattern=${2:?}; shift ;;
    --largest) largest=${2:?}; shift ;;
    *) usage ;;
  esac
  shift
done
results=${1:-build/gpu_check}
mkdir -p "$results"
failures=0
say() { printf '\n=== %s\n' "$*"; }
# attempt <log> <command...>: goes on whatever comes of it. What it said stands in the log, and here if it failed.
attempt() {
  local log="$results/$1.log" start=$SECONDS
  shift
  "$@" >"$log" 2>&1
  local code=$?
  if ((code == 0)); then
    printf 'passed: %s (%d s)\n' "$(basename "$log" .log)" $((SECONDS - start))
  else
    printf 'FAILED: %s, with %d: %s\n' "$(basename "$log" .log)" $code "$*"
    tail -n 20 "$log"
    failures=$((failures + 1))
  fi
  return $code
}
# first_of <file...>: the first that is there.
first_of() { for file; do [[ -e $file ]] && echo "$file" && return; done; }

say "what this machine has"
cuda=$(dirname "$(dirname "$(command -v nvcc || first_of /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc)")")
sanitizer=$(command -v compute-sanitizer || first_of "$cuda"/bin/compute-sanitizer "$cuda"/compute-sanitizer/compute-sanitizer)
for program in nvidia-smi cmake ninja c++ pkg-config python3 mpirun.mpich mpirun.openmpi; do
  printf '%-18s %s\n' "$program" "$(command -v $program || echo missing)"
done
printf '%-18s %s\n' nvcc "$(first_of "$cuda/bin/nvcc" || true)" compute-sanitizer "${sanitizer:-missing: kernels are not checked for bad accesses and races}"

if ! $built; then
  say "build"
  # Carried to a machine without them, the programs would not start for libraries that they do not need here.
  options=(-DXYLEM_BUILD_TESTS=ON)
  $build_only && options+=("-DXYLEM_WITHOUT=hwloc;mpich;openmpi")
  if attempt configure cmake --preset release -B "$build" "${options[@]}"; then
    grep -A20 'Xylem ' "$results/configure.log"
    attempt build cmake --build "$build" --target products device_tests || exit 1
  elif [[ -x $build/tests/device_ranks ]]; then
    failures=0
    echo "This machine cannot build: what was built elsewhere is used."
  else
    echo "gpu_check: this machine cannot build. Build with --build-only where that can be done, and copy the tree with $build." >&2
    exit 1
  fi
fi
$build_only && exit $((failures > 0))

# The programs of the tests are linked with the emulated driver and runtime: the real ones come first.
library_folder() {
  ldconfig -p 2>/dev/null | sed -n "s/.*$1[.0-9]* .*x86-64.* => //p;s/.*$1[.0-9]* (.*AArch64.* => //p" | head -1
}
folders=${CUDA_LIBRARIES:-}
if [[ -z $folders ]]; then
  driver=$(library_folder 'libcuda\.so')
  [[ -n $driver ]] || driver=$(first_of /usr/local/nvidia/lib64/libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so.1 /usr/lib64/libcuda.so.1)
  runtime=$(first_of "$cuda"/lib64/libcudart.so.* || true)
  [[ -n $runtime ]] || runtime=$(library_folder 'libcudart\.so')
  for needed in "libcuda.so.1, the driver:$driver" "libcudart.so, the CUDA runtime:$runtime"; do
    [[ -n ${needed##*:} ]] || { echo "gpu_check: ${needed%%:*} is not found; CUDA_LIBRARIES can name its folder" >&2; exit 1; }
  done
  folders=$(dirname "$driver"):$(dirname "$runtime")
fi
export LD_LIBRARY_PATH=$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

say "GPUs"
if ! "$build/tests/device_bench" devices >"$results/gpus.txt" 2>&1; then
  cat "$results/gpus.txt"
  echo "gpu_check: the driver finds no GPU here; device buffers are tested on the emulated one by ctest." >&2
  exit 1
fi
cat "$results/gpus.txt"
gpus=$(wc -l <"$results/gpus.txt")
have_smi=$(command -v nvidia-smi) && driver_version=$($have_smi --query-gpu=driver_version --format=csv,noheader | head -1)
[[ -x $build/bin/xylem ]] && "$build/bin/xylem" info | sed -n '/^CUDA devices/,/^$/p'

say "tests"
left_out=()
while read -r name devices program algorithm arguments; do
  [[ $name =~ $pattern ]] || continue
  if ((devices > gpus)); then left_out+=("$name ($devices GPUs)"); continue; fi
  if [[ ! -x $build/tests/$program ]]; then left_out+=("$name ($program was not built)"); continue; fi
  # shellcheck disable=SC2086 # the arguments are words
  attempt "$name" env CUDA_VISIBLE_DEVICES="$(seq -s , 0 $((devices - 1)))" XYLEM_ALGORITHM="${algorithm//\'/}" \
    timeout 300 "$build/tests/$program" $arguments
done <"$build/tests/device_tests.list"
((${#left_out[@]} == 0)) || printf 'left out: %s\n' "${left_out[@]}"
if [[ -n $sanitizer ]]; then
  for tool in memcheck racecheck; do
    for ranks in "threads 2" "processes 2"; do
      # shellcheck disable=SC2086
      attempt "$tool ${ranks% *}" timeout 600 "$sanitizer" --tool $tool --target-processes all --error-exitcode 1 \
        "$build/tests/device_ranks" $ranks kernels small
    done
  done
fi
for mpi in mpich openmpi; do
  program=$build/tests/mpi/cuda_buffers.$mpi
  command -v mpirun.$mpi >/dev/null && { $built || cmake --build "$build" --target mpi_test_cuda_buffers_$mpi >/dev/null; } || continue
  [[ -x $program ]] || continue
  launch=(mpirun.$mpi -n 2)
  [[ $mpi == openmpi ]] && launch+=(--oversubscribe) && ((EUID == 0)) && launch+=(--allow-run-as-root)
  attempt "cuda_buffers $mpi" timeout 300 "${launch[@]}" "$build/bin/xylem" exec -- "$program"
done

say "measurements"
: >"$results/measurements.lines"
measure() { attempt "$@" && grep '^{' "$results/$1.log" >>"$results/measurements.lines"; }
measure limits timeout 600 "$build/tests/device_bench" limits "$largest"
grep -v '^{' "$results/limits.log"
for ranks in 2 4 8; do
  measure "benchmark of $ranks ranks" timeout 900 env CUDA_VISIBLE_DEVICES=0 "$build/tests/device_bench" processes $ranks "$largest"
done
{
  printf '{"gpu": "%s", "driver": "%s", "measurements": [\n' "$(head -1 "$results/gpus.txt")" "${driver_version:-unknown}"
  sed '$!s/$/,/' "$results/measurements.lines"
  printf ']}\n'
} >"$results/measurements.json"
rm "$results/measurements.lines"
# MEMORY: bytes read and written at least; OF COPY: the same beside what a copy of as many bytes on the device reaches.
# KERNELS: how many empty kernels could have been launched and waited for in that time.
awk -F '[:,}] *' '
  /"what"/ {
    what = $2; gsub(/"/, "", what); ranks = $4; bytes = $6; us = $8; rate = $10; memory = $12
    if (what == "device copy") copy[bytes] = memory
    if (what == "empty kernel") empty = us
    if (NR == 2) printf "%-15s%6s%12s%12s%10s%10s%9s%9s\n", "WHAT", "RANKS", "BYTES", "US", "GB/S", "MEMORY", "OF COPY", "KERNELS"
    of_copy = (what != "device copy" && copy[bytes]) ? sprintf("%.0f %%", 100 * memory / copy[bytes]) : "-"
    printf "%-15s%6d%12d%12.2f%10.2f%10.2f%9s%9s\n", what, ranks, bytes, us, rate, memory, of_copy, (empty ? sprintf("%.1f", us / empty) : "-")
  }' "$results/measurements.json" | tee "$results/table.txt"

echo
((failures == 0)) && echo "gpu_check: all passed on $(head -1 "$results/gpus.txt")" || echo "gpu_check: $failures FAILED"
exit $((failures > 0))
