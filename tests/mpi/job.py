"""Starts an MPI job for a test, and ends it for certain: a hang is a failure, and leaves no process."""
import os
import secrets
import signal
import subprocess
import time
from pathlib import Path

# In the environment of every process of the job, however it was started, so that the job's processes can be told from others.
MARK = "MPI_TEST_JOB"


class Job:
    def __init__(self, command, environment=None):
        self.mark = secrets.token_hex(16)
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("XYLEM_") and name != "LD_PRELOAD"}
        clean.update(environment or {})
        clean[MARK] = self.mark
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=clean, start_new_session=True)

    def pids(self):
        """The processes of the job that are alive."""
        wanted = f"{MARK}={self.mark}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it ended, or it is another user's
        return found

    def kill(self, pids=None):
        for pid in self.pids() if pids is None else pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def finish(self, timeout):
        """Waits for the end. Returns (exit status, stdout, stderr); the status is "hang" after `timeout` seconds."""
        try:
            out, err = self.process.communicate(timeout=timeout)
            status = self.process.returncode
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = self.process.communicate()
            status = "hang"
        # mpirun has ended; a rank that has not is of no use to anybody.
        deadline = time.monotonic() + 5
        while self.pids() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.kill()
        return status, out, err


def launch(mpi, mpirun, ranks):
    """The command line that starts `ranks` ranks on this machine, whatever its core count and user."""
    command = [mpirun]
    if mpi == "openmpi":
        command += ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    return command + ["-n", str(ranks)]
