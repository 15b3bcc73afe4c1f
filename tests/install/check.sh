#!/usr/bin/env bash
# check.sh <build folder> <library folder below the prefix> find_package|pkg_config|tool
# check.sh <build folder> <library folder below the prefix> readme <MPI's C compiler> <mpirun>
set -euo pipefail
build=$1 libdir=$2 way=$3
here=$(cd "$(dirname "$0")" && pwd)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
if grep -rIl "$scratch/first" "$prefix"; then
  echo "The files above hold the prefix, so the installation cannot be moved." >&2
  exit 1
fi
export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
read -ra flags < <(pkg-config --cflags --libs xylem)

case $way in
  find_package)
    cmake -S "$here/consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$scratch/consumer"
    "$scratch/consumer/consumer"
    ;;
  pkg_config)
    cc -std=c11 -Wall -Wextra -Werror -o "$scratch/program" "$here/consumer/consumer.c" "${flags[@]}"
    LD_LIBRARY_PATH=$prefix/$libdir "$scratch/program"
    test "$(pkg-config --modversion xylem)" = "$(LD_LIBRARY_PATH=$prefix/$libdir "$scratch/program" --version)"
    ;;
  tool)
    # Nothing of the environment may help: the libraries are found by the tool's own place.
    env -i PATH=/usr/bin:/bin "$prefix/bin/xylem" info >"$scratch/info.txt"
    grep -q '^Xylem ' "$scratch/info.txt" || { cat "$scratch/info.txt"; exit 1; }
    # A program that is no MPI program runs unchanged under the installed preload library.
    test "$(env -i PATH=/usr/bin:/bin "$prefix/bin/xylem" exec -- sh -c 'echo unchanged')" = unchanged
    ;;
  readme)
    mpicc=$4 mpirun=$5
    sed -n '/^```c$/,/^```$/{/^```/!p}' "$here/../../README.md" >"$scratch/readme.c"
    "$mpicc" -Wall -Wextra -Werror -o "$scratch/readme" "$scratch/readme.c" "${flags[@]}"
    export LD_LIBRARY_PATH=$prefix/$libdir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    test "$("$mpirun" -n 2 "$scratch/readme")" = $'2 ranks\n2 ranks'
    ;;
esac
