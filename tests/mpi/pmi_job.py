"""Starts the ranks of an MPICH program without mpirun, by speaking PMI-1 with them as srun does: a greeting is answered once on a
socket, and when a rank dies the others are left alone.
"""
import os
import re
import selectors
import socket
import subprocess
import tempfile
import threading
import time


class Server:
    """The server's side: what each rank has put is published when all ranks have entered a barrier."""

    def __init__(self, ranks):
        self.ranks = ranks
        self.pending, self.published, self.greeted, self.waiting = {}, {}, set(), []

    def answer(self, rank, line, send):
        words = dict(re.findall(r"(\w+)=(\S*)", line))
        command = words.get("cmd")
        if command == "init":
            if rank in self.greeted:
                raise ValueError(f"rank {rank} began a second conversation")
            self.greeted.add(rank)
            send(rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0")
        elif rank not in self.greeted:
            raise ValueError(f"rank {rank} said {line!r} before init")
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
            raise ValueError(f"rank {rank} said {line!r}")


class PmiJob:
    """One process for each of `commands`, with the environment settings[rank]. `complaint` is what a rank said wrongly."""

    def __init__(self, commands, settings):
        self.complaint = None
        self.processes = []
        self.out, self.err = tempfile.TemporaryFile("w+"), tempfile.TemporaryFile("w+")
        server, selector = Server(len(commands)), selectors.DefaultSelector()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("XYLEM_", "PMI", "LD_PRELOAD"))}
        for rank, (command, own) in enumerate(zip(commands, settings)):
            ours, theirs = socket.socketpair()
            pmi = {"PMI_FD": str(theirs.fileno()), "PMI_RANK": str(rank), "PMI_SIZE": str(len(commands))}
            self.processes.append(subprocess.Popen([str(word) for word in command], env=clean | own | pmi, stdin=subprocess.DEVNULL,
                                                   pass_fds=[theirs.fileno()], stdout=self.out, stderr=self.err))
            theirs.close()
            selector.register(ours, selectors.EVENT_READ, rank)
        self.service = threading.Thread(target=self.serve, args=(server, selector), daemon=True)
        self.service.start()

    def serve(self, server, selector):
        sockets = {key.data: key.fileobj for key in selector.get_map().values()}
        received = {rank: "" for rank in sockets}
        while selector.get_map():
            for key, _ in selector.select():
                rank = key.data
                try:
                    received[rank] += (text := sockets[rank].recv(4096).decode())
                except ConnectionResetError:
                    text = ""
                if not text:
                    selector.unregister(sockets[rank])
                    continue
                while "\n" in received[rank]:
                    line, received[rank] = received[rank].split("\n", 1)
                    try:
                        server.answer(rank, line, lambda to, answer: sockets[to].sendall(answer.encode() + b"\n"))
                    except ValueError as error:
                        self.complaint = self.complaint or str(error)
                    except BrokenPipeError:
                        pass  # it has been killed

    def kill(self):
        for process in self.processes:
            process.kill()
            process.wait()

    def texts(self):
        """What has come so far on stdout and on stderr."""
        return tuple(os.pread(file.fileno(), 1 << 20, 0).decode() for file in (self.out, self.err))

    def wait_for(self, condition, seconds):
        """Until condition(stdout, stderr) is true. False: it did not come true within the time."""
        deadline = time.monotonic() + seconds
        while not condition(*self.texts()):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def finish(self, seconds):
        """Exit statuses, stdout and stderr; a rank that has not ended is killed."""
        deadline = time.monotonic() + seconds
        for process in self.processes:
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
        self.kill()
        self.service.join()
        return [process.returncode for process in self.processes], *self.texts()
