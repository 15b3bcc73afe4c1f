#!/usr/bin/env python3
"""Checks what nvcc made of the kernels: that none is missing, and what the compiler said of registers and spills.

check_kernels.py <folder of the build's kernels> <architecture>...

Reads entries.cu (the kernels that there must be), sm_<architecture>.cubin and its .log, and kernels.fatbin.
"""

import pathlib
import re
import subprocess
import sys

# What runs through memory must keep everything in registers; so must the kernels themselves. The verbs between them call others
# and save registers once per call, not per element: a few words.
HOT = re.compile(r"copy_shared|reduce_as|^xylem_\w+$")
MOST_BYTES_SAVED = 200
MOST_REGISTERS = 128  # 512 threads on 65536 registers

FUNCTION = re.compile(
    r"Function properties for (\S+)\n\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Function properties for (\S+)\n[^\n]*\nptxas info\s+: Used (\d+) registers")


def wanted_kernels(folder):
    return set(re.findall(r"^(xylem_\w+)\(const __grid_constant__", (folder / "entries.cu").read_text(), re.MULTILINE))


def kernels_in(cubin):
    """Functions that the machine code shows to the driver."""
    symbols = subprocess.run(["readelf", "-sW", str(cubin)], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"FUNC\s+GLOBAL\s.*\s(xylem_\w+)$", symbols, re.MULTILINE))


def check_log(name, text, wanted):
    spills = {function: int(stores) + int(loads) for function, _, stores, loads in FUNCTION.findall(text)}
    registers = {function: int(count) for function, count in REGISTERS.findall(text)}
    if len(spills) < len(wanted) + 20:
        yield f"{name}: the log tells of {len(spills)} functions only"
    for kernel in sorted(wanted - registers.keys()):
        yield f"{name}: the log tells no register use of {kernel}"
    for kernel, count in registers.items():
        if count > MOST_REGISTERS:
            yield f"{name}: {kernel} uses {count} registers, more than {MOST_REGISTERS}"
    for function, spilled in spills.items():
        if HOT.search(function) and spilled != 0:
            yield f"{name}: {function} spills {spilled} bytes"
        elif spilled > 2 * MOST_BYTES_SAVED:
            yield f"{name}: {function} saves {spilled // 2} bytes of registers, more than {MOST_BYTES_SAVED}"
    most = max(registers.values(), default=0)
    print(f"{name}: {len(registers)} kernels, {len(spills)} functions, at most {most} registers")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    wanted = wanted_kernels(folder)
    found = [] if wanted else ["entries.cu names no kernels"]
    for architecture in sys.argv[2:]:
        name = f"sm_{architecture}"
        for kernel in sorted(wanted ^ kernels_in(folder / f"{name}.cubin")):
            found.append(f"{name}: {kernel} is {'missing' if kernel in wanted else 'there, but not wanted'}")
        found += check_log(name, (folder / f"{name}.log").read_text(), wanted)
    image = (folder / "kernels.fatbin").read_bytes()
    print(f"kernels.fatbin: {len(image)} bytes")
    if not image:
        found.append("kernels.fatbin is empty")
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


main()
