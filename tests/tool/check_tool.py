#!/usr/bin/env python3
"""What the xylem command does with its command line, and what it says.

usage: check_tool.py XYLEM
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

TOOL = sys.argv.pop(1)
LAUNCHERS = ("PMI", "PMIX", "OMPI", "HYD", "XYLEM", "LD_PRELOAD")


def xylem(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHERS)}
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, timeout=60, check=False,
                          env=clean | environment)


class Exec(unittest.TestCase):
    def environment_of_program(self, *options, **environment):
        result = xylem("exec", *options, "env", "-0", **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return dict(entry.split("=", 1) for entry in result.stdout.split("\0") if entry)

    def test_preloads_the_library_beside_the_tool(self):
        library = self.environment_of_program()["LD_PRELOAD"]
        self.assertTrue(os.path.samefile(library, os.path.join(os.path.dirname(TOOL), "..", "lib", "libxylem_mpi.so")))

    def test_stands_in_front_of_other_preloads(self):
        before = xylem("exec", "sh", "-c", "echo $LD_PRELOAD").stdout.strip()
        libc = subprocess.run(["sh", "-c", "ldd /bin/sh | grep -o '/[^ ]*libc.so.6'"], capture_output=True, text=True,
                              check=True).stdout.strip()
        self.assertEqual(self.environment_of_program(LD_PRELOAD=libc)["LD_PRELOAD"], f"{before}:{libc}")

    def test_options_become_settings(self):
        environment = self.environment_of_program("--stats", "/tmp/file", "--log=debug", "--disable", "--chunk", "64K")
        settings = {name: value for name, value in environment.items() if name.startswith("XYLEM_")}
        self.assertEqual(settings, {"XYLEM_STATS": "/tmp/file", "XYLEM_LOG": "debug", "XYLEM_DISABLE": "1",
                                    "XYLEM_CHUNK": "64K"})

    def test_the_programs_own_options_are_left_alone(self):
        for dashes in ([], ["--"]):
            result = xylem("exec", *dashes, "echo", "--log", "-n", "--", "x")
            self.assertEqual((result.returncode, result.stdout), (0, "--log -n -- x\n"))

    def test_no_word_of_the_program_is_an_option_of_the_tool(self):
        for words in (["--help"], ["-h"], ["--version"], ["--help-all"], ["--", "--help"], ["--disable"], ["--log", "loud"],
                      ["exec", "--help"], ["--no-such-option"]):
            for front in ([], ["--"], ["--disable"], ["--log", "info", "--"], ["--log=info"]):
                result = xylem("exec", *front, "printf", "<%s>", *words)
                self.assertEqual((result.returncode, result.stdout, result.stderr),
                                 (0, "".join(f"<{word}>" for word in words), ""))

    def test_what_follows_the_dashes_is_the_program_whatever_its_name(self):
        result = xylem("exec", "--", "--help")
        self.assertEqual((result.returncode, result.stdout), (127, ""))
        self.assertEqual(result.stderr, "xylem exec: cannot run '--help': No such file or directory\n")

    def test_options_in_front_of_the_program_are_the_tools(self):
        result = xylem("exec", "--help", "true")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("Usage: xylem exec", result.stdout)

    def test_leaves_complaints_about_settings_to_the_program(self):
        self.assertEqual(xylem("exec", "--", "true", XYLEM_LOG="loud", XYLEM_CHUNKS="1").stderr, "")
        self.assertEqual(xylem("info", XYLEM_LOG="loud").stderr.count("XYLEM_LOG=loud: expected off"), 1)

    def test_gives_the_programs_exit_status(self):
        self.assertEqual(xylem("exec", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_a_program_that_is_not_there(self):
        result = xylem("exec", "--", "./no-such-program")
        self.assertEqual(result.returncode, 127)
        self.assertEqual(result.stderr, "xylem exec: cannot run './no-such-program': No such file or directory\n")

    def test_a_file_that_is_no_program(self):
        result = xylem("exec", "--", "/etc/passwd")
        self.assertEqual(result.returncode, 126)
        self.assertIn("'/etc/passwd': Permission denied", result.stderr)

    def test_no_program_at_all(self):
        for arguments in (["exec"], ["exec", "--"], ["exec", "--disable"]):
            result = xylem(*arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn("no program given", result.stderr)

    def test_a_mistyped_option_is_no_program(self):
        result = xylem("exec", "--stat", "x", "--", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'--stat' is not known; did you mean '--stats'?", result.stderr)

    def test_a_value_that_makes_no_sense(self):
        result = xylem("exec", "--log", "loud", "--", "true")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'loud': expected off, warn, info or debug", result.stderr)

    def test_dashes_are_no_value(self):
        for option in ("--stats", "--log"):
            result = xylem("exec", option, "--", "true")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertTrue(result.stderr.startswith(f"xylem exec: {option}"), result.stderr)


class UsageErrors(unittest.TestCase):
    """Whatever is wrong with a command line: the command says so, and under mpirun on one rank."""
    WRONG = (["exec"], ["exec", "--log", "loud", "true"], ["exec", "--stat", "x"], ["bench", "--sizes", "x"],
             ["bench", "--size", "x"], ["bench", "--compare", "/nowhere/a", "/nowhere/b"], ["tune", "--rounds", "x"],
             ["info", "--jsn"], ["why"], ["why", "bcast", "--ranks", "2", "--hosts", "3"], ["verify", "--slots", "0"],
             ["verify", "--collective", "barrier", "--algorithm", "ring"], ["simulate", "--hosts", "0"],
             ["simulate", "--hosts", "1", "--ranks-per-host", "1"],
             ["simulate", "--collective", "barrier", "--algorithm", "ring"])

    def test_name_the_command(self):
        for words in (*self.WRONG, ["bench"], ["tune"]):
            result = xylem(*words)
            self.assertEqual((result.returncode, result.stdout), (2, ""), words)
            self.assertTrue(result.stderr.startswith(f"xylem {words[0]}: "), (words, result.stderr))
        self.assertTrue(xylem("benhc").stderr.startswith("xylem: "))

    def test_come_from_one_rank(self):
        for words in (*self.WRONG, ["benhc"], []):
            result = xylem(*words, OMPI_COMM_WORLD_RANK="1")
            self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", ""), words)


class Doctor(unittest.TestCase):
    def findings(self, *arguments, **environment):
        result = xylem("doctor", "--json", *arguments, **environment)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result)
        return result.returncode, {finding["subject"]: finding for finding in json.loads(lines[0])["findings"]}

    def test_looks_at_everything_and_has_a_fix_for_each_trouble(self):
        _, findings = self.findings()
        self.assertEqual(list(findings), ["PMI", "library", "GPUs", "/dev/shm", "shared memory", "CMA", "locked memory", "network", "cores"])
        for finding in findings.values():
            self.assertEqual(finding["grade"] == "good", finding["fix"] == "", finding)

    def test_sees_ranks_that_nobody_will_tell_who_they_are(self):
        slurm = {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4", "SLURM_LOCALID": "0"}
        status, findings = self.findings(**slurm)
        self.assertEqual((status, findings["PMI"]["grade"]), (1, "problem"))
        self.assertIn("every rank will be rank 0 of 1", findings["PMI"]["text"])

    def test_one_rank_of_a_host_speaks(self):
        self.assertEqual(xylem("doctor", MPI_LOCALRANKID="1", PMI_RANK="1").stdout, "")

    def test_a_network_that_is_not_there(self):
        status, findings = self.findings(XYLEM_PROVIDER="pigeon")
        self.assertEqual((status, findings["network"]["grade"]), (1, "problem"))
        self.assertIn("XYLEM_PROVIDER=pigeon", findings["network"]["text"])


class Diagnose(unittest.TestCase):
    RECORD = ('xylem: record: comm=1f ranks=2 rank={} host=b pid=9 ended=0 entered={} left=1 left_ago=2.100 awaits=-1 waits_for=0.000 '
              'calls="1 barrier|2 bcast(count 8, double, root 0)"\n')

    def test_tells_who_is_where_from_several_files(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("a", "b")]
            for rank, file in enumerate(files):
                file.write_text("other lines\n" + self.RECORD.format(rank, 2 - rank), encoding="utf-8")
            result = xylem("diagnose", *map(str, files))
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("rank 1 on b has not entered bcast(count 8, double, root 0) #2; last left barrier #1 2.1 s ago\n", result.stdout)

    def test_files_that_tell_nothing(self):
        self.assertIn("no records", xylem("diagnose", "/dev/null").stderr)
        self.assertIn("/absent", xylem("diagnose", "/absent").stderr)
        self.assertEqual(xylem("diagnose").returncode, 2)


class Bench(unittest.TestCase):
    def test_needs_a_launcher(self):
        result = xylem("bench")
        self.assertEqual(result.returncode, 2)
        self.assertIn("mpirun -n 2 xylem bench", result.stderr)

    def test_names_the_collective_that_was_meant(self):
        result = xylem("bench", "--collectives", "allreduce,bcats")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'bcats' is not known; did you mean bcast?", result.stderr)

    def test_says_whose_mistake_it_is(self):
        for option in ("--collectives", "--collective"):
            result = xylem("bench", option, "bcats")
            self.assertRegex(result.stderr, r"^xylem bench: --collectives: .*did you mean bcast\? See xylem bench --help.\n$")
        self.assertEqual(xylem("verify", "--collectives", "barrier", "--ranks", "2").returncode, 0)

    def test_wrong_sizes_and_types(self):
        for option, value in (("--sizes", "8-4"), ("--sizes", "x"), ("--type", "quad"), ("--op", "xor"), ("--rounds", "0"),
                              ("--imbalance", "101"), ("--buffers", "hot"), ("--line-time", "0"), ("--skew", "-1"), ("--peer", "opnmpi"),
                              ("--peer", "name=")):
            result = xylem("bench", option, value)
            self.assertEqual(result.returncode, 2, (option, value))
            self.assertIn(option, result.stderr)

    def test_unknown_option(self):
        result = xylem("bench", "--size", "8")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean '--sizes'?", result.stderr)

    def test_one_rank_complains_for_all(self):
        self.assertEqual(xylem("bench", "--sizes", "x", PMI_RANK="1").stderr, "")


class Simulate(unittest.TestCase):
    NETWORK = ["--network", "latency=10us,bandwidth=1GB/s,overhead=0us"]

    def simulate(self, *arguments):
        result = xylem("simulate", "--json", *self.NETWORK, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_a_chain_takes_its_hops(self):
        report = self.simulate("--collective", "scan", "--algorithm", "chain", "--hosts", "4", "--ranks-per-host", "1",
                               "--bytes", "4", "--copy", "1000000GB/s", "--reduce", "1000000GB/s")
        [hosts] = report["hosts"]
        [time] = hosts["times"]
        self.assertEqual((hosts["hosts"], hosts["ranks"], time["algorithm"], time["method"]), (4, 4, "chain", "replay"))
        self.assertAlmostEqual(time["seconds"], 3 * (10e-6 + 4e-9), 10)

    def test_tells_what_is_no_replay(self):
        report = self.simulate("--hosts", "1-4096", "--bytes", "1K,1G", "--most-steps", "2000", "--algorithm", "ring")
        methods = {time["method"] for hosts in report["hosts"] for time in hosts["times"]}
        self.assertEqual([hosts["hosts"] for hosts in report["hosts"]], [2 ** i for i in range(13)])
        self.assertEqual(methods, {"replay", "extrapolation", "formula"})

    def test_prints_times_and_where_they_cross(self):
        result = xylem("simulate", *self.NETWORK, "--hosts", "8", "--ranks-per-host", "1", "--bytes", "8,16M")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^8 hosts, 8 ranks +8 B +16 MiB")
        self.assertRegex(result.stdout, r"(?m)^  ring +[\d,.]+ +~?[\d,.]+ \*?")
        self.assertRegex(result.stdout, r"(?m)^  fastest: \w+, from [\d.]+ [KM]?i?B \w+")

    def test_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, arguments in (("sizes", ["--hosts", "4"]), ("ranks", ["--hosts", "1-8"])):
                file = os.path.join(folder, name + ".svg")
                self.simulate("--bytes", "8,1M", "--svg", file, *arguments)
                texts = [node.text for node in xml.etree.ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}text")]
                for wanted in ("ring", "hierarchical", "microseconds", "bytes" if name == "sizes" else "ranks"):
                    self.assertIn(wanted, texts)

    def test_a_drawing_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder:
            for file, why in (("/nowhere/x.svg", "No such file or directory"), (folder, "Is a directory")):
                result = xylem("simulate", "--hosts", "4", "--bytes", "8", "--svg", file)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertEqual(result.stderr, f"xylem: cannot write {file}: {why}\n")

    def test_wrong_words(self):
        for arguments, what in ((["--network", "latency=1"], "'latency=1': expected a time such as 1.5us"),
                                (["--hosts", "0"], "--hosts"), (["--bytes", "x"], "--bytes"), (["--copy", "9"], "--copy"),
                                (["--hosts", "1", "--ranks-per-host", "1"], "one rank alone moves nothing"),
                                (["--collective", "barrier", "--algorithm", "ring"], "barrier has no algorithm 'ring'")):
            result = xylem("simulate", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(what, result.stderr)

    def test_channels_that_are_too_short(self):
        result = xylem("simulate", "--slots", "1", "--algorithm", "ring", "--hosts", "4")
        self.assertEqual(result.returncode, 1)
        self.assertIn("waits for ever", result.stderr)


class Tune(unittest.TestCase):
    def test_needs_a_launcher(self):
        result = xylem("tune")
        self.assertEqual(result.returncode, 2)
        self.assertIn("mpirun -n 2 xylem tune", result.stderr)

    def test_wrong_words(self):
        for arguments, what in ((["--collectives", "bcats"], "'bcats' is not known; did you mean bcast?"),
                                (["--sizes", "x"], "--sizes"), (["--rounds", "3"], "--rounds")):
            result = xylem("tune", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(what, result.stderr)


class Verify(unittest.TestCase):
    def test_proves_one_algorithm(self):
        result = xylem("verify", "--collective", "allreduce", "--algorithm", "ring", "--ranks", "2-9")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        # 8 numbers of ranks on 5 placements each.
        self.assertRegex(result.stdout, r"^allreduce +ring +40 calls +\d+ rows +[\d.]+ s  proved\n1 algorithm proved")

    def test_hosts_of_ones_own(self):
        result = xylem("verify", "--collective", "bcast", "--algorithm", "ring", "--ranks", "7", "--hosts", "3")
        self.assertRegex(result.stdout, r"^bcast +ring +2 calls +0 rows")

    def test_tells_the_smallest_counterexample(self):
        # With one slot a ring of three ranks stands still: each sends twice before it receives.
        result = xylem("verify", "--collective", "allreduce", "--algorithm", "ring", "--slots", "1")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"(?m)^allreduce +ring .* WRONG\n  3 ranks on \d hosts?: rank 0, call 0 \(allreduce "
                         r"ring\), step \d+: deadlock: waits for ever in begin_send")

    def test_wrong_words(self):
        for arguments, what in ((["--collective", "allredcue"], "did you mean allreduce?"),
                                (["--algorithm", "rnig"], "did you mean ring?"), (["--ranks", "9-2"], "--ranks"),
                                (["--ranks", "1"], "one rank alone moves nothing"), (["--slots", "0"], "--slots"),
                                (["--collective", "barrier", "--algorithm", "ring"], "barrier has no algorithm 'ring'")):
            result = xylem("verify", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(what, result.stderr)


class Why(unittest.TestCase):
    def candidates(self, *arguments, **environment):
        result = xylem("why", *arguments, **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return [line for line in result.stdout.splitlines() if line.startswith("  ")]

    def test_lists_candidates_with_their_costs(self):
        lines = self.candidates("allreduce", "--bytes", "8", "--ranks", "2")
        self.assertRegex(lines[0], r"^  -> flat +[\d.]+ us  the least predicted time$")
        costs = [float(line.split()[-2].replace(",", "")) for line in lines[1:]]
        self.assertEqual(costs, sorted(costs))

    def test_reproducible_sums_leave_fewer(self):
        for arguments, environment in ((["--reproducible"], {}), ([], {"XYLEM_REPRODUCIBLE": "1"})):
            lines = self.candidates("allreduce", "--bytes", "16M", "--ranks", "8", "--rules", "allreduce:ring", *arguments,
                                    **environment)
            self.assertRegex(lines[0], r"^  -> (two_phase|rabenseifner) ")
            ring = [line for line in lines if line.split()[0] == "ring"]
            self.assertRegex(ring[0], r"- +sums in an order of its own, and sums shall be reproducible$")
            lines = self.candidates("bcast", "--bytes", "16M", "--rules", "bcast:ring", *arguments, **environment)
            self.assertRegex(lines[0], r"^  -> ring ")

    def test_says_what_is_not_possible(self):
        lines = self.candidates("allreduce", "--bytes", "8", "--ranks", "4", "--hosts", "2")
        flat = [line for line in lines if line.split()[0] == "flat"]
        self.assertRegex(flat[0], r"- +works inside one host only$")

    def test_rules_are_followed(self):
        for arguments, environment in ((["--rules", "allreduce:ring"], {}), ([], {"XYLEM_ALGORITHM": "allreduce:ring"})):
            lines = self.candidates("allreduce", "--bytes", "8", *arguments, **environment)
            self.assertRegex(lines[0], r"^  -> ring +[\d.]+ us  XYLEM_ALGORITHM: allreduce: ring$")

    def test_tells_which_rule_of_a_tuning_file_decided(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tuning") as file:
            file.write("# measured\nallreduce 0-64 hosts=2: ring\nallreduce 0-64 ranks=4-: two_phase chunk=4K\n")
            file.flush()
            for arguments, environment in ((["--tuning-file", file.name], {}), ([], {"XYLEM_TUNING_FILE": file.name})):
                lines = self.candidates("allreduce", "--bytes", "8", "--ranks", "4", *arguments, **environment)
                self.assertRegex(lines[0],
                                 r"^  -> two_phase .* us  the tuning file: allreduce 0-64 ranks=4-: two_phase chunk=4K$")
            lines = self.candidates("allreduce", "--bytes", "65", "--ranks", "4", "--tuning-file", file.name)
            self.assertNotIn("tuning file", lines[0])

    def test_a_broken_tuning_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".tuning") as file:
            file.write("allreduce: ring\nallreduce 0-64 host=2: flat\n")
            file.flush()
            result = xylem("why", "allreduce", "--bytes", "8", XYLEM_TUNING_FILE=file.name)
            self.assertEqual(result.stderr, f"xylem why: {file.name}, line 2: 'host=2' is no condition; there are a range of "
                             "bytes, hosts= and ranks=; the file is not used\n")
            self.assertRegex(result.stdout, r"-> flat +[\d.]+ us  the least predicted time")
            self.assertIn(f"{file.name}, line 2: 'host=2' is no condition", xylem("info", XYLEM_TUNING_FILE=file.name).stdout)

    def test_a_tuning_file_that_is_no_regular_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            for file in (folder, pipe, "/dev/zero"):
                result = xylem("why", "allreduce", "--bytes", "8", XYLEM_TUNING_FILE=file)
                self.assertEqual(result.stderr, f"xylem why: {file}: is no regular file; the file is not used\n")

    def test_info_knows_wrong_rules(self):
        result = xylem("info", "--json", XYLEM_ALGORITHM="allreduce:rings,bcast:flat")
        self.assertEqual(len(json.loads(result.stdout)["problems"]), 1)
        self.assertIn("XYLEM_ALGORITHM: 'rings' names no algorithm; there are flat", json.loads(result.stdout)["problems"][0])
        self.assertIn("Problems", xylem("info", XYLEM_ALGORITHM="allreduce:rings").stdout)
        self.assertNotIn("Problems", xylem("info").stdout)

    def test_wrong_words(self):
        for arguments, what in (([], "collective is required"), (["bcats"], "did you mean bcast?"),
                                (["bcast", "--bytes", "x"], "--bytes"), (["bcast", "--ranks", "1"], "--ranks"),
                                (["bcast", "--ranks", "2", "--hosts", "3"], "3 hosts need at least as many ranks")):
            result = xylem("why", *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(what, result.stderr)


class Other(unittest.TestCase):
    def test_version(self):
        result = xylem("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^xylem \d+\.\d+\.\d+\n$")

    def test_help_of_everything(self):
        for arguments in (["--help"], ["exec", "--help"], ["info", "--help"], ["bench", "--help"],
                          ["why", "--help"], ["verify", "--help"], ["simulate", "--help"]):
            result = xylem(*arguments)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn("Usage: xylem", result.stdout)

    def test_unknown_words(self):
        result = xylem("benhc")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'benhc' is not known; did you mean 'bench'?", result.stderr)
        self.assertIn("'--jsn' is not known; did you mean '--json'?", xylem("info", "--jsn").stderr)

    def test_nothing_at_all(self):
        self.assertEqual(xylem().returncode, 2)

    def test_info_as_json(self):
        result = xylem("info", "--json")
        self.assertEqual(result.returncode, 0)
        json.loads(result.stdout)


if __name__ == "__main__":
    unittest.main()
