#!/usr/bin/env bash
# check.sh find_package|pkg_config|tool <build folder> <consumer source> <library folder below the prefix>
set -euo pipefail
way=$1 build=$2 consumer=$3 libdir=$4

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
if grep -rIl "$scratch/first" "$prefix"; then
  echo "The files above hold the prefix, so the installation cannot be moved." >&2
  exit 1
fi

case $way in
  find_package)
    cmake -S "$consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$scratch/consumer"
    "$scratch/consumer/consumer"
    ;;
  pkg_config)
    export PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    read -ra flags < <(pkg-config --cflags --libs xylem)
    cc -std=c11 -Wall -Wextra -Werror -o "$scratch/program" "$consumer/consumer.c" "${flags[@]}"
    LD_LIBRARY_PATH=$prefix/$libdir "$scratch/program"
    test "$(pkg-config --modversion xylem)" = "$(LD_LIBRARY_PATH=$prefix/$libdir "$scratch/program" --version)"
    ;;
  tool)
    # Nothing of the environment may help: the libraries are found by the tool's own place.
    env -i PATH=/usr/bin:/bin "$prefix/bin/xylem" info >"$scratch/info.txt"
    grep -q '^xylem ' "$scratch/info.txt" || { cat "$scratch/info.txt"; exit 1; }
    # A program that is no MPI program runs unchanged under the installed preload library.
    test "$(env -i PATH=/usr/bin:/bin "$prefix/bin/xylem" exec -- sh -c 'echo unchanged')" = unchanged
    ;;
esac
