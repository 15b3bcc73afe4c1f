#!/usr/bin/env python3
"""Compares the residuals that two runs of conjugate_gradient printed.

usage: compare_residuals.py FIRST SECOND

Each pair of residuals may differ by 1e-5 of its size: ten times what another order of summation led to in any run seen,
and far less than a wrong sum does. Exits with 0 if the runs agree.
"""
import re
import sys

TOLERANCE = 1e-5


def residuals(path):
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"^iteration +(\d+) +residual +(\S+)", file.read(), re.MULTILINE)
    return {int(iteration): float(residual) for iteration, residual in lines}


def main(first_path, second_path):
    first, second = residuals(first_path), residuals(second_path)
    if not first or first.keys() != second.keys():
        return f"the runs printed other iterations: {sorted(first)} and {sorted(second)}"
    largest = max(abs(first[i] / second[i] - 1) for i in first)
    equal = sum(first[i] == second[i] for i in first)
    print(f"{len(first)} residuals compared, {equal} equal in every printed digit, "
          f"largest difference {largest:.1e} of a residual")
    return None if largest <= TOLERANCE else f"that is more than {TOLERANCE:.0e}"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
