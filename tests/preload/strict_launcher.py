#!/usr/bin/env python3
"""A launcher that speaks PMI-1 as srun does: it answers no second greeting on a socket. Xylem runs there, or leaves all alone."""
import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import time

from support import arguments, expect, expect_in, statistics_of, sum_output, warnings

options = arguments()
program = options.programs / "sum.mpich"
LIMIT = 60  # seconds


class Launcher:
    """The server's side: what each rank has put is published when all ranks have entered a barrier."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.pending, self.published, self.greeted, self.waiting = {}, {}, set(), []

    def answer(self, rank, line, send):
        words = dict(re.findall(r"(\w+)=(\S*)", line))
        command = words.get("cmd")
        if command == "init":
            if rank in self.greeted:
                sys.exit(f"FAILED: rank {rank} began a second conversation")
            self.greeted.add(rank)
            send(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0")
        elif rank not in self.greeted:
            sys.exit(f"FAILED: rank {rank} said {line!r} before init")
        elif command == "get_maxes":
            send(rank, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024")
        elif command == "get_appnum":
            send(rank, "cmd=appnum appnum=0")
        elif command == "get_universe_size":
            send(rank, f"cmd=universe_size size={self.ranks}")
        elif command == "get_my_kvsname":
            send(rank, "cmd=my_kvsname kvsname=job0")
        elif command == "put":
            self.pending[words["key"]] = words["value"]
            send(rank, "cmd=put_result rc=0")
        elif command == "get":
            value = f"(vector,(0,1,{self.ranks}))" if words["key"] == "PMI_process_mapping" else self.published.get(words["key"])
            send(rank, f"cmd=get_result rc=0 value={value}" if value is not None else "cmd=get_result rc=1")
        elif command == "barrier_in":
            self.waiting.append(rank)
            if len(self.waiting) == self.ranks:
                self.published.update(self.pending)
                for other in self.waiting:
                    send(other, "cmd=barrier_out")
                self.waiting = []
        elif command == "finalize":
            send(rank, "cmd=finalize_ack")
        else:
            sys.exit(f"FAILED: rank {rank} said {line!r}")


def run(settings):
    """Runs one rank for each of `settings`, its environment. Returns (exit statuses, output, errors)."""
    launcher, selector = Launcher(len(settings)), selectors.DefaultSelector()
    sockets, processes = [], []
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("XYLEM_", "PMI", "LD_PRELOAD"))}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        for rank, own in enumerate(settings):
            ours, theirs = socket.socketpair()
            environment = clean | own | {"PMI_FD": str(theirs.fileno()), "PMI_RANK": str(rank), "PMI_SIZE": str(len(settings))}
            processes.append(subprocess.Popen([program], env=environment, pass_fds=[theirs.fileno()], stdout=out, stderr=err))
            theirs.close()
            sockets.append(ours)
            selector.register(ours, selectors.EVENT_READ, rank)
        received, deadline = [""] * len(settings), time.monotonic() + LIMIT
        try:
            while selector.get_map() and time.monotonic() < deadline:
                for key, _ in selector.select(timeout=1):
                    rank = key.data
                    received[rank] += (text := key.fileobj.recv(4096).decode())
                    if not text:
                        selector.unregister(key.fileobj)
                    while "\n" in received[rank]:
                        line, received[rank] = received[rank].split("\n", 1)
                        launcher.answer(rank, line, lambda to, answer: sockets[to].sendall(answer.encode() + b"\n"))
            statuses = [process.wait(timeout=max(0.1, deadline - time.monotonic())) for process in processes]
        finally:
            for process in processes:
                process.kill()
        out.seek(0)
        err.seek(0)
        return statuses, out.read(), err.read()


preload = {"LD_PRELOAD": str(options.library)}
for ranks in (1, 2, 3):
    (statuses, out, err), statistics = statistics_of(lambda path, n=ranks: run([preload | {"XYLEM_STATS": str(path)}] * n))
    expect(f"{ranks} ranks: {err}", (statuses, out), ([0] * ranks, sum_output(ranks)))
    expect(f"warnings of {ranks} ranks", warnings(err), [])
    expect(f"active with {ranks} ranks", statistics["active"], True)

statuses, out, err = run([preload, {}, preload])
expect(f"a rank without the library: {err}", (statuses, out), ([0] * 3, sum_output(3)))
expect(f"warnings with a rank without the library: {err}", len(warnings(err)), 1)
expect_in("the warning", err, "rank 1 runs without the library")
