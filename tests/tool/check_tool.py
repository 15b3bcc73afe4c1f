#!/usr/bin/env python3
"""What the xylem command does with its command line, and what it says.

usage: check_tool.py XYLEM
"""
import json
import os
import subprocess
import sys
import unittest

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


class Bench(unittest.TestCase):
    def test_needs_a_launcher(self):
        result = xylem("bench")
        self.assertEqual(result.returncode, 2)
        self.assertIn("mpirun -n 2 xylem bench", result.stderr)

    def test_names_the_collective_that_was_meant(self):
        result = xylem("bench", "--collectives", "allreduce,bcats")
        self.assertEqual(result.returncode, 2)
        self.assertIn("'bcats' is not known; did you mean bcast?", result.stderr)

    def test_wrong_sizes_and_types(self):
        for option, value in (("--sizes", "8-4"), ("--sizes", "x"), ("--type", "quad"), ("--op", "xor"), ("--rounds", "0")):
            result = xylem("bench", option, value)
            self.assertEqual(result.returncode, 2, (option, value))
            self.assertIn(option, result.stderr)

    def test_unknown_option(self):
        result = xylem("bench", "--size", "8")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean '--sizes'?", result.stderr)

    def test_one_rank_complains_for_all(self):
        self.assertEqual(xylem("bench", "--sizes", "x", PMI_RANK="1").stderr, "")


class Other(unittest.TestCase):
    def test_version(self):
        result = xylem("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^xylem \d+\.\d+\.\d+\n$")

    def test_help_of_everything(self):
        for arguments in (["--help"], ["exec", "--help"], ["info", "--help"], ["bench", "--help"]):
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
