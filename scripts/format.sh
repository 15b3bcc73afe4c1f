#!/usr/bin/env bash
# format.sh          formats all C and C++ sources in place
# format.sh --check  changes nothing, lists what is not formatted, fails if there is any
set -euo pipefail
cd "$(dirname "$0")/.."

action=(-i)
[[ ${1:-} == --check ]] && action=(--dry-run --Werror)

find examples include mpi_wrappers src tests tools -type f \
  \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
  xargs -0 clang-format "${action[@]}"
