#!/usr/bin/env python3
"""Compares what two runs of a ScaLAPACK test program found: the same cases, every one of them passed.

usage: compare_checks.py FIRST SECOND
"""
import re
import sys


def cases(path):
    """The problem, the grid of processes and the verdict of each line; times lie between."""
    with open(path, encoding="utf-8") as file:
        lines = re.findall(r"^WALL .*$", file.read(), re.MULTILINE)
    return [" ".join(word for word in line.split() if re.fullmatch(r"[A-Z]+|\d+", word)) for line in lines]


def main(first_path, second_path):
    first, second = cases(first_path), cases(second_path)
    print(f"{len(first)} cases compared")
    if not first or first != second:
        return "the runs had other cases or verdicts"
    failed = [case for case in first if "PASSED" not in case]
    return f"failed: {failed}" if failed else None


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
