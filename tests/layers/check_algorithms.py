#!/usr/bin/env python3
"""Checks that the head of every algorithm in the list tells its steps, what a rank sends, its latency and its source.

check_algorithms.py <root of the sources>   lists what is missing; exit status 1 if something is
check_algorithms.py --self-test             checks the check on heads that lack one thing each
"""
import pathlib
import re
import sys

TELLS = {
    "steps or hops": r"\b(?:steps?|hops?)\b",
    "what a rank sends": r"\b(?:sent|sends?|empty message)\b",
    "latency": r"\blatency\b",
    "a source": r"\([^()]*\b(?:19|20)\d\d\b|\(Source: ",
}
LISTED = re.compile(r'#include "coll/(\w+\.hpp)"')


def head_of(text):
    lines = []
    for line in text.splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.removeprefix("//").strip())
    return " ".join(lines)


def missing(text):
    head = head_of(text)
    return [what for what, pattern in TELLS.items() if not re.search(pattern, head, re.IGNORECASE)]


def check(root):
    folder = pathlib.Path(root, "src", "coll")
    headers = LISTED.findall((folder / "algorithms.hpp").read_text(encoding="utf-8"))
    found = [f"src/coll/{header}:1: the head does not tell {what}" for header in headers
             for what in missing((folder / header).read_text(encoding="utf-8"))]
    print("\n".join([*found, f"{len(headers)} algorithms, {len(found)} omissions"]))
    return headers and not found


def self_test():
    parts = {
        "steps or hops": "// Ring: P - 1 steps,\n",
        "what a rank sends": "// N sent per rank,\n",
        "latency": "// latency alike.\n",
        "a source": "// (Patarasuk and Yuan, 2009.)\n",
    }
    right = not missing("".join(parts.values()))
    for left_out in parts:
        head = "".join(text for what, text in parts.items() if what != left_out)
        right &= missing(head + "#pragma once\n" + parts[left_out]) == [left_out]
    return right


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(0 if (self_test() if sys.argv[1] == "--self-test" else check(sys.argv[1])) else 1)


main()
