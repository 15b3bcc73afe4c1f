#!/usr/bin/env bash
# setup.sh             installs what building, testing and the demo need, with apt
# setup.sh --slurm     also a SLURM, for trying the batch scripts (scripts/slurm/test_cluster.sh)
# setup.sh --programs  also programs that use MPI, and more MPIs, to be tested with Xylem preloaded (tests/programs, tests/mpis)
#
# Touches neither network nor package database when all is there.
set -euo pipefail

packages=(
  cmake ninja-build g++ gfortran ccache pkg-config          # the build
  libhwloc-dev libfabric-dev libboost-context-dev           # topology, network, fibers
  mpich libmpich-dev openmpi-bin libopenmpi-dev libpmix-dev # the MPIs to be preloaded into
  libgtest-dev libgmock-dev libbenchmark-dev                # tests
  libfmt-dev libcli11-dev nlohmann-json3-dev                # the tool
  python3 procps util-linux clang-format clang-tidy         # scripts and checks
  iproute2 nftables                                         # tests between hosts that are network namespaces
)
mpis=false
for option; do
  case $option in
    --slurm) packages+=(slurm-wlm slurm-wlm-basic-plugins munge) ;;
    --programs)
      packages+=(scalapack-mpi-test lammps python3-mpi4py python3-numpy python3-venv)
      mpis=true
      ;;
    *) sed -n '2,4s/^# //p' "$0"; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "setup: this is no Debian or relative of it; nothing is installed. What the build looks for, by Debian's names:"
  echo "  ${packages[*]}"
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
as_root=()
if ((${#missing[@]} > 0 && EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: ${#missing[@]} packages are missing, and installing them takes root or sudo. Ask for:" >&2
    echo "  apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

if ((${#missing[@]} == 0)); then
  echo "setup: all ${#packages[@]} packages are installed."
else
  echo "setup: installing with apt-get, which takes some minutes: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Each MPI of the table in a Python environment of its own, with mpi4py. What is there in that version stays.
install_mpis() {
  local name wheel abis folder
  while read -r name wheel abis; do
    [[ $name == '#'* ]] && continue
    folder=build/mpis/$name
    [[ $(cat "$folder/installed" 2>/dev/null) == "$wheel" ]] && continue
    echo "setup: installing $wheel with pip in $folder"
    rm -rf "$folder"
    if python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "$wheel" mpi4py numpy; then
      echo "$wheel" >"$folder/installed"
    else
      echo "setup: cannot install $wheel: this MPI (ABIs: $abis) will not be tested" >&2
    fi
  done <tests/mpis/wheels.txt
}
if $mpis; then
  cd "$(dirname "$0")/.."
  install_mpis
fi
echo "setup: done."
