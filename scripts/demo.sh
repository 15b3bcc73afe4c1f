#!/usr/bin/env bash
# Sets up, builds, and shows the main job: an ordinary MPI program with and without Xylem, under each MPI that is here.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n=== %s\n' "$*"; }

scripts/setup.sh
say "build"
cmake --preset release >/dev/null
cmake --build --preset release --target products

bin=$PWD/build/release/bin
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# launch_mpich / launch_openmpi <command...>: two ranks on this host.
launch_mpich() { mpirun.mpich -n 2 "$@"; }
launch_openmpi() {
  local flags=(--oversubscribe)
  ((EUID == 0)) && flags+=(--allow-run-as-root)
  mpirun.openmpi -n 2 "${flags[@]}" "$@"
}

for mpi in mpich openmpi; do
  if ! command -v "mpirun.$mpi" >/dev/null; then
    say "$mpi is not here"
    continue
  fi
  solver=(build/release/examples/conjugate_gradient.$mpi -n 48 -e 20)

  say "$mpi: the solver as it is"
  "launch_$mpi" "${solver[@]}" | tee "$results/without"

  say "$mpi: the same program with Xylem"
  export XYLEM_STATS=$results/stats.$mpi.json
  "launch_$mpi" "$bin/xylem" exec -- "${solver[@]}" | tee "$results/with"
  unset XYLEM_STATS

  say "$mpi: do the numbers agree?"
  examples/compare_residuals.py "$results/without" "$results/with"

  say "$mpi: what ran on Xylem (XYLEM_STATS)"
  cat "$results/stats.$mpi.json"
  python3 - "$results/stats.$mpi.json" <<'CHECK'
import json, sys
calls = json.load(open(sys.argv[1]))["collectives"]["allreduce"]
print(f"{calls['on_xylem']} of {calls['calls']} calls of MPI_Allreduce ran on Xylem")
sys.exit(calls["calls"] == 0 or calls["on_xylem"] < calls["calls"])
CHECK

  say "$mpi: Xylem against the MPI's own collectives"
  "launch_$mpi" "$bin/xylem" bench --collectives allreduce,bcast,allgather --sizes 8,1K,64K,1M --min-time 0.1
done

# An ordinary program of the CUDA runtime: cudaMalloc, MPI_Allreduce on device pointers, under an MPI that knows of no GPU.
device_buffers() {
  local mpi=$1 program=build/release/tests/mpi/cuda_allreduce.$1
  export XYLEM_STATS=$results/device.$mpi.json
  if nvidia-smi --list-gpus 2>/dev/null | grep -q .; then
    say "$mpi: MPI_Allreduce on device buffers, on a real GPU: $(nvidia-smi --list-gpus | head -1)"
    "launch_$mpi" "$bin/xylem" exec -- env "LD_LIBRARY_PATH=/usr/local/cuda/lib64:${LD_LIBRARY_PATH:-}" "$program"
  else
    say "$mpi: MPI_Allreduce on device buffers, on the emulated GPU: there is no real one here"
    local emulator=$PWD/build/release/tests/cuda_emu/lib
    "launch_$mpi" "$bin/xylem" exec -- env XYLEM_CUDA=on "LD_LIBRARY_PATH=$emulator" \
      "CUDA_EMU_KERNELS=$emulator/libxylem_emulated_kernels.so" "$program"
  fi
  unset XYLEM_STATS
  python3 - "$results/device.$mpi.json" <<'CHECK'
import json, sys
core = json.load(open(sys.argv[1]))["core"]
calls, device = core["collectives"]["allreduce"]["calls"], core["device"]
print(f"{device['calls']} of {calls} calls ran as kernels, {device['staged']} through host memory")
sys.exit(calls == 0)
CHECK
}

if [[ -f build/release/tests/cuda/CTestTestfile.cmake ]] && grep -q cuda_kernels build/release/tests/cuda/CTestTestfile.cmake; then
  for mpi in mpich openmpi; do
    command -v "mpirun.$mpi" >/dev/null || continue
    cmake --build --preset release --target "mpi_test_cuda_allreduce_$mpi" xylem_emulated_kernels cuda_emu_driver
    device_buffers "$mpi"
  done
else
  say "device buffers are left out: this build has none (CUDA's headers are missing)"
fi
