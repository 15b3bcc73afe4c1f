#!/usr/bin/env bash
# tidy.sh [<revision>]  clang-tidy on the sources that differ from <revision> (default: the commit before the last)
# tidy.sh --all         on all sources
# Takes the compile commands of build/release, which must be configured.
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { find src tools mpi_wrappers -type f \( -name '*.cpp' -o -name '*.c' \); }
if [[ ${1:-} == --all ]]; then
  mapfile -t files < <(sources)
elif ! git rev-parse --verify --quiet "${1:-HEAD~1}" >/dev/null; then
  echo "tidy: there is no ${1:-HEAD~1} to compare with."
  exit 0
else
  mapfile -t files < <(comm -12 <(sources | sort) <(git diff --name-only --diff-filter=d "${1:-HEAD~1}" | sort))
fi
if ((${#files[@]} == 0)); then
  echo "tidy: no source differs."
  exit 0
fi
echo "tidy: ${#files[@]} files"
printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "$(nproc)" clang-tidy -p build/release --quiet --warnings-as-errors='*'
