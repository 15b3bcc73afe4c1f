"""Hosts on one machine: network and UTS namespaces, each with an interface eth0 on a common bridge.

A program that wants them calls enter() first thing: it goes on as process 1 of namespaces of its own, so that all processes,
interfaces and mounts of the test go with it, however it ends.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
INSIDE = "TEST_HOSTS_INSIDE"
LAUNCHER = Path(__file__).resolve().parent / "launcher.sh"


def enter(needs=()):
    """`needs`: programs that the test runs beside ip and nsenter. Ends the program with SKIPPED where hosts cannot be made."""
    if INSIDE in os.environ:
        subprocess.run(["mount", "-t", "sysfs", "sysfs", "/sys"], check=True)
        return
    for program in ("unshare", "nsenter", "ip", *needs):
        if not any(os.access(Path(folder) / program, os.X_OK) for folder in os.environ["PATH"].split(":") + ["/usr/sbin", "/sbin"]):
            skip(f"{program} is not installed")
    if os.geteuid() != 0:
        skip("making network namespaces takes root")
    namespaces = ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    probe = subprocess.run([*namespaces, "sh", "-c", "ip link add name probe type bridge && mount -t sysfs sysfs /sys"],
                           capture_output=True, text=True, check=False)
    if probe.returncode != 0:
        skip(f"network namespaces are not allowed here: {probe.stderr.strip()}")
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {INSIDE: folder, "PATH": path}
        sys.exit(subprocess.run([*namespaces, sys.executable, *sys.argv], env=environment, check=False).returncode)


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED)


class Hosts:
    """h0, h1, ... at 10.77.0.1, 10.77.0.2, ... and fd77::1, fd77::2, ...; this program's own namespace has the bridge."""

    def __init__(self, count, ipv4=True, ipv6=False):
        self.names = [f"h{i}" for i in range(count)]
        self.folder = Path(os.environ[INSIDE])
        self.keepers = []
        own = {4: "10.77.0.254", 6: "fd77::fe"}
        addresses = [(own, "launcher")] + [({4: f"10.77.0.{i + 1}", 6: f"fd77::{i + 1}"}, name) for i, name in enumerate(self.names)]
        file = self.folder / "hosts"
        file.write_text("127.0.0.1 localhost\n" + "".join(f"{each[4 if ipv4 else 6]} {name}\n" for each, name in addresses),
                        encoding="utf-8")
        self.here("mount", "--bind", file, "/etc/hosts")
        self.here("hostname", "launcher")
        self.here("ip", "link", "set", "lo", "up")
        self.here("ip", "link", "add", "name", "bridge0", "type", "bridge")
        self.here("ip", "link", "set", "bridge0", "up")
        self.add_addresses(None, "bridge0", addresses[0][0], ipv4, ipv6)
        for i, name in enumerate(self.names):
            self.make(i, name)
            self.add_addresses(name, "eth0", addresses[i + 1][0], ipv4, ipv6)

    def make(self, number, name):
        keeper = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "sh", "-c",
                                   f"hostname {name} && mount -t sysfs sysfs /sys && echo ready && exec sleep infinity"],
                                  stdout=subprocess.PIPE, text=True)
        if keeper.stdout.readline() != "ready\n":
            sys.exit(f"FAILED: host {name} could not be made")
        self.keepers.append(keeper)
        (self.folder / name).write_text(str(keeper.pid), encoding="utf-8")
        self.here("ip", "link", "add", "name", f"port{number}", "type", "veth", "peer", "name", "eth0", "netns", keeper.pid)
        self.here("ip", "link", "set", f"port{number}", "master", "bridge0", "up")
        self.on(name, "ip", "link", "set", "lo", "up")
        self.on(name, "ip", "link", "set", "eth0", "up")

    def add_addresses(self, host, interface, addresses, ipv4, ipv6):
        run = self.here if host is None else lambda *words: self.on(host, *words)
        if ipv4:
            run("ip", "address", "add", f"{addresses[4]}/24", "dev", interface)
        if ipv6:
            run("ip", "-6", "address", "add", f"{addresses[6]}/64", "dev", interface, "nodad")

    @staticmethod
    def here(*words):
        """Runs a command in this program's own namespace; returns its output."""
        return subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True).stdout

    def inside(self, host, *words):
        """The command line that runs `words` on a host."""
        keeper = self.keepers[self.names.index(host)].pid
        return ["nsenter", "--target", str(keeper), "--net", "--uts", "--mount", "--", *(str(word) for word in words)]

    def on(self, host, *words):
        return self.here(*self.inside(host, *words))

    def cut(self, host):
        self.here("ip", "link", "set", f"port{self.names.index(host)}", "down")

    def limit_rate(self, rate):
        """What each host sends, and what it receives, such as 50mbit."""
        limit = ["root", "tbf", "rate", rate, "burst", "32kbit", "latency", "200ms"]
        for number, name in enumerate(self.names):
            self.on(name, "tc", "qdisc", "add", "dev", "eth0", *limit)
            self.here("tc", "qdisc", "add", "dev", f"port{number}", *limit)

    def lose_packets(self, percent):
        """That part of what each host receives, at random."""
        for name in self.names:
            rules = ("add table inet loss; add chain inet loss in { type filter hook input priority 0; }; "
                     f"add rule inet loss in iif eth0 numgen random mod 1000 < {round(percent * 10)} drop")
            self.on(name, "nft", rules)

    def remove(self):
        """Makes room for other hosts."""
        for keeper in self.keepers:
            keeper.kill()
            keeper.wait()
        self.here("ip", "link", "delete", "bridge0")
        self.here("umount", "/etc/hosts")

    def launch(self, mpi, mpirun, ranks_per_host):
        """The command line that starts ranks on the hosts, by host."""
        ranks = ranks_per_host * len(self.names)
        if mpi == "mpich":
            return [mpirun, "-launcher", "ssh", "-launcher-exec", str(LAUNCHER), "-iface", "bridge0",
                    "-hosts", ",".join(self.names), "-ppn", str(ranks_per_host), "-n", str(ranks)]
        slots = ",".join(f"{name}:{ranks_per_host}" for name in self.names)
        return [mpirun, "--allow-run-as-root", "--oversubscribe", "--mca", "plm_rsh_agent", str(LAUNCHER),
                "--mca", "oob_tcp_if_include", "bridge0,eth0", "--mca", "btl_tcp_if_include", "eth0",
                "--host", slots, "-n", str(ranks)]
