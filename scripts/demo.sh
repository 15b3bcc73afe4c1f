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
