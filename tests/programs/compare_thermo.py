#!/usr/bin/env python3
"""Compares the tables of step, temperature, energies and pressure that two runs of LAMMPS printed.

usage: compare_thermo.py FIRST SECOND

Values may differ by 1e-7: atoms that bounce magnify how sums were rounded, and a wrong sum is off by far more.
"""
import re
import sys

TOLERANCE = 1e-7


def table(path):
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"^ +(\d+(?: +-?[\d.e+-]+){4}) *$", file.read(), re.MULTILINE)
    return [[float(number) for number in line.split()] for line in lines]


def main(first_path, second_path):
    first, second = table(first_path), table(second_path)
    if len(first) != 11 or [row[0] for row in first] != [row[0] for row in second]:
        return f"tables of {len(first)} and {len(second)} rows where 11 were asked for"
    largest = max(abs(a - b) / max(1, abs(a)) for rows in zip(first, second) for a, b in zip(*rows))
    print(f"{len(first)} rows compared, largest difference {largest:.1e}")
    return None if largest <= TOLERANCE else f"that is more than {TOLERANCE:.0e}"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
