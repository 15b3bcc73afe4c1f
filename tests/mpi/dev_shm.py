"""A /dev/shm of this program's own, as small as containers have it."""
import os
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
INSIDE = "MPI_TEST_DEV_SHM"


def enter(size):
    """The program goes on in a mount namespace with a /dev/shm of `size`; it ends with SKIPPED where that cannot be made."""
    if INSIDE in os.environ:
        return
    mount = f"mount -t tmpfs -o size={size} tmpfs /dev/shm"
    probe = subprocess.run(["unshare", "--mount", "sh", "-c", mount], capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        print(f"SKIPPED: a /dev/shm of {size} cannot be made here: {probe.stderr.strip()}", flush=True)
        sys.exit(SKIPPED)
    os.environ[INSIDE] = size
    os.execvp("unshare", ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh", sys.executable, *sys.argv])


def left_behind():
    return sorted(entry.name for entry in Path("/dev/shm").iterdir())
