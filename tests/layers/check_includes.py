#!/usr/bin/env python3
"""Checks who includes whom (docs/architecture.md, "The way of a call"), and that only settings.cpp reads the environment.

check_includes.py <root of the sources>   lists every violation; exit status 1 if there is one
check_includes.py --self-test             checks the check on a small tree that breaks every rule
"""

import pathlib
import re
import sys
import tempfile

# What each room may include beside itself. Its own CMakeLists.txt names, after NEEDS, those of them that it does include.
ROOMS = {
    "base": set(),
    "topo": {"base"},
    "watch": {"base"},
    "survive": {"watch", "base"},
    "flight": {"watch", "base"},
    "exec": {"base", "topo"},
    "shm": {"exec", "base", "topo"},
    "ofi": {"exec", "base", "topo"},
    "coll": {"exec", "base", "topo"},
    "cuda": {"coll", "exec", "base", "topo"},
    "plan": {"coll", "exec", "base", "topo"},
    "comm": {"plan", "coll", "exec", "shm", "ofi", "cuda", "watch", "survive", "flight", "base", "topo"},
    "verify": {"comm", "plan", "coll", "exec"},
    "simulate": {"verify", "plan", "coll", "exec"},
    "api": {"comm", "cuda", "plan", "coll", "exec", "base", "topo"},
}

# Headers of other projects, and the only places below the root that may include them.
FOREIGN = [
    (r"mpi\.h|pmi.*\.h|pmix\.h", ["mpi_wrappers/", "include/xylem/xylem_mpi.h", "tools/bench/", "tools/tune/", "tests/", "examples/"]),
    (r"cuda\.h|cuda_.*\.h|cuda/.*|cooperative_groups.*", ["src/cuda/", "src/exec/platform.hpp", "tests/unit/cuda/", "tests/cuda/", "tests/cuda_emu/", "tests/emulated_kernels/"]),
    (r"rdma/.*", ["src/ofi/", "tests/unit/ofi/", "tests/strict_fabric/"]),
    (r"hwloc.*", ["src/topo/", "tests/unit/topo/"]),
    (r"boost/.*", ["src/exec/"]),
]

ENVIRONMENT_READER = "src/base/settings.cpp"
CHECKED_FOLDERS = ["src", "include", "mpi_wrappers", "tools", "tests", "examples"]
# The users' side: programs and tests may read their own environment.
MAY_READ_ENVIRONMENT = ("tests/", "examples/")
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".inc"}

NEEDS = re.compile(r"\bNEEDS\b([a-z\s]*)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
READS_ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\s*\(|\benviron\b")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def without_comments_and_texts(text):
    return COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def declared_needs(root, room):
    """The rooms after NEEDS in a room's CMakeLists.txt; None if there is no such file yet."""
    file = root / "src" / room / "CMakeLists.txt"
    if not file.exists():
        return None
    match = NEEDS.search(file.read_text(encoding="utf-8"))
    return set(match.group(1).split()) if match else set()


def violations_of(path, text, needs):
    """Yields (line, complaint) for one file; `path` is relative to the root, with slashes; `needs` maps room to its NEEDS."""
    parts = path.split("/")
    room = parts[1] if parts[0] == "src" and len(parts) > 2 else None
    if room is not None and room not in ROOMS:
        yield 1, f"src/{room} is no room that the layer check knows"
        return

    for match in INCLUDE.finditer(text):
        line, ours, header = line_of(text, match.start(1)), match.group(1) == '"', match.group(2)
        if header.startswith("../"):
            yield line, f'includes "{header}": name it from src/'
        target = header.split("/")[0]
        other_room = ours and "/" in header and target in ROOMS and target != room
        if room and other_room and target not in ROOMS[room]:
            yield line, f'src/{room} may not know src/{target}, but includes "{header}"'
        elif room and other_room and needs.get(room) is not None and target not in needs[room]:
            yield line, f'includes "{header}", but src/{room}/CMakeLists.txt does not name {target} after NEEDS'
        if parts[0] == "mpi_wrappers" and other_room and target != "base":
            yield line, f'the preload library uses the C API only, but includes "{header}"'
        for pattern, places in FOREIGN if not (ours and target in ROOMS) else []:
            if re.fullmatch(pattern, header) and not path.startswith(tuple(places)):
                yield line, f"<{header}> may be included only in {', '.join(places)}"

    if path != ENVIRONMENT_READER and not path.startswith(MAY_READ_ENVIRONMENT):
        code = without_comments_and_texts(text)
        for match in READS_ENVIRONMENT.finditer(code):
            yield line_of(code, match.start()), f"reads the environment; only {ENVIRONMENT_READER} does"


def check(root):
    root = pathlib.Path(root)
    files = [file for folder in CHECKED_FOLDERS for file in sorted((root / folder).rglob("*")) if file.suffix in SUFFIXES]
    found = []
    needs = {room: declared_needs(root, room) for room in ROOMS}
    for room, named in needs.items():
        for other in sorted((named or set()) - ROOMS[room]):
            found.append(f"src/{room}/CMakeLists.txt:1: {room} may not need {other}")
    for file in files:
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        found += [f"{path}:{line}: {complaint}" for line, complaint in violations_of(path, text, needs)]
    return len(files), found


def self_test():
    bad = {
        "src/exec/up.hpp": '#include "coll/ring.hpp"\n',
        "src/shm/sideways.hpp": '#include "ofi/endpoint.hpp"\n',
        "src/base/parent.hpp": '#include "../topo/topology.hpp"\n',
        "src/comm/mpi.cpp": "#include <mpi.h>\n",
        "src/shm/nic.cpp": "#include <rdma/fabric.h>\n",
        "src/plan/tree.cpp": "#  include <hwloc.h>\n",
        "src/coll/gpu.hpp": "#include <cuda_runtime.h>\n",
        "src/coll/setting.cpp": 'int on = getenv("XYLEM_X") != nullptr;\n',
        "src/other/new.cpp": "int x;\n",
        "src/api/CMakeLists.txt": "xylem_room(api SOURCES a.cpp NEEDS comm shm)\n",
        "src/api/undeclared.cpp": '#include "plan/plan.hpp"\n',
        "mpi_wrappers/deep.c": '#include "comm/communicator.hpp"\n',
    }
    good = {
        "src/coll/ring.hpp": '#include "exec/channel.hpp"\n// never getenv()\nconst char* text = "getenv(";\n',
        "src/base/settings.cpp": '#include <cstdlib>\nconst char* x = getenv("XYLEM_X");\n',
        "src/api/declared.cpp": '#include "comm/communicator.hpp"\n',
        "src/topo/topology.cpp": "#include <hwloc.h>\n",
        "src/exec/platform.hpp": "#include <cuda/atomic>\n",
        "mpi_wrappers/front.c": '#include <mpi.h>\n#include "xylem/xylem.h"\n',
    }
    with tempfile.TemporaryDirectory() as root:
        for path, text in (bad | good).items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        _, found = check(root)
    blamed = {line.split(":")[0] for line in found}
    for path in bad.keys() - blamed:
        print(f"not found: {path}: {bad[path]}")
    for line in found:
        if line.split(":")[0] in good:
            print(f"wrongly blamed: {line}")
    return blamed == bad.keys() and len(found) == len(bad)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        sys.exit(0 if self_test() else 1)
    count, found = check(sys.argv[1])
    for line in found:
        print(line)
    print(f"{count} files, {len(found)} violations")
    sys.exit(1 if found or not count else 0)


main()
