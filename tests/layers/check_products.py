#!/usr/bin/env python3
"""Checks what the built libraries export and which libraries they need.

check_products.py <library folder>   checks each of our libraries that is there; libxylem.so must be
"""

import pathlib
import re
import subprocess
import sys

OWN = r"xylem_\w+"
MPI = r"P?MPIX?_\w+|p?mpix?_\w+"
SYSTEM = r"libc|libm|libdl|libpthread|librt|ld-linux-.*"
# Library: what it may export, what it may need. No MPI, libfabric, CUDA or C++ run-time library anywhere: the core serves every
# MPI and C++ run time, and a network or a GPU is opened when it is used.
RULES = {
    "libxylem.so": (OWN, SYSTEM + "|libhwloc"),
    "libxylem_mpi.so": (OWN + "|PMIx_Initialized|" + MPI, r"libc|libdl|libpthread|ld-linux-.*"),
    "xylem/libxylem_mpi_standard.so": (OWN, SYSTEM + "|libxylem"),
    "xylem/libxylem_mpi_mpich.so": (OWN, SYSTEM + "|libxylem|libmpich|libmpi"),
    "xylem/libxylem_mpi_openmpi.so": (OWN, SYSTEM + "|libxylem|libmpi"),
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    return [line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", str(library)).splitlines()]


def needed(library):
    return [name.split(".so")[0] for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", str(library)))]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    found = []
    for name, (exports, needs) in RULES.items():
        library = folder / name
        if not library.exists():
            if name == "libxylem.so":
                found.append(f"{name} is not there")
            continue
        symbols, libraries = exported(library), needed(library)
        if not symbols:
            found.append(f"{name} exports nothing")
        found += [f"{name} exports {symbol}" for symbol in symbols if not re.fullmatch(exports, symbol)]
        found += [f"{name} needs {library}" for library in libraries if not re.fullmatch(needs, library)]
        print(f"{name}: {len(symbols)} symbols, needs {', '.join(libraries)}")
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
