#!/usr/bin/env python3
"""Programs that have nothing to do with MPI run with the library preloaded as they do without it."""
import re
import subprocess

from support import arguments, expect, expect_in, run

options = arguments()
preload = {"LD_PRELOAD": str(options.library)}


def without_job_lines(text):
    """Output of `env` without what differs between any two runs."""
    return re.sub(r"(?m)^(LD_PRELOAD|MPI_TEST_JOB|_)=.*\n", "", text)


for command in (["/bin/bash", "-c", "env | sort; cd /; pwd; exit 3"],
                ["/bin/bash", "-c", "kill -TERM $$"],
                ["/bin/sh", "-c", "ls -d / | cat; (exit 4); echo $?"],
                ["/usr/bin/env", "python3", "-c",
                 "import os, subprocess, sys; print(os.path.exists('/')); "
                 "print(subprocess.run(['sh', '-c', 'echo child; exit 5'], capture_output=True)); sys.exit(6)"]):
    plain_status, plain_out, plain_err = run(command)
    status, out, err = run(command, preload)
    expect(f"status of {command}", status, plain_status)
    expect(f"output of {command}", without_job_lines(out), without_job_lines(plain_out))
    expect(f"errors of {command}", err, plain_err)

start_state = options.programs / "start_state"
plain_status, plain_out, _ = run([start_state])
status, out, err = run([start_state], preload)
expect("status with the library mapped", (plain_status, status), (7, 7))
expect("errors with the library mapped", err, "")
expect("one more file is mapped and nothing else is different",
       sorted(set(out.splitlines()) ^ set(plain_out.splitlines())), [f"maps {options.library.resolve()}"])
expect_in("errno at the start", out, "errno 0\nthreads 1\n")

status, out, err = run([options.programs / "call_without_mpi"], preload)
expect("a call of MPI without an MPI ends the program", status, -6)
expect_in("a call of MPI without an MPI", err, "no MPI library is loaded in this process")

dynamic = subprocess.run(["readelf", "-d", options.library], check=True, capture_output=True, text=True).stdout
expect("constructors and destructors", re.findall(r"\((?:PRE)?INIT\w*\)|\(FINI\w*\)", dynamic), [])
expect("libraries needed", re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic), ["libc.so.6"])
