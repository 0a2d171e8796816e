# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C keeps what a certification has finished, and --resume goes on with it."""

import filecmp
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
# Two targets and suites that take seconds.
JOB = ["certify", "--target", "random123,reference", "--suite",
       "philox,openvino.range,openvino.random_uniform"]


def assay(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


def interrupted(seconds, *arguments):
    """Starts it, sends SIGINT after a while, and waits."""
    with subprocess.Popen([ASSAY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate()
        return process.returncode, out, error


def kept(error):
    found = re.search(r"interrupted: (\d+) of at most (\d+) cases are finished and kept", error)
    return [int(number) for number in found.groups()] if found else [0, 0]


def a_real_run(work):
    whole, out = os.path.join(work, "whole.jsonl"), os.path.join(work, "out.jsonl")
    start = time.monotonic()
    said = assay(*JOB, "--out", whole)
    took = time.monotonic() - start
    folder, before, rounds = out + ".unfinished", 0, 0
    options = ["--out", out]
    while rounds < 8:
        code, text, error = interrupted(0.3 * took, *JOB, *options)
        if "interrupted" not in error:
            break
        rounds += 1
        finished, total = kept(error)
        check(code == 3 and not text and before < finished < total and not os.path.exists(out)
              and f"--resume {folder}" in error, f"Ctrl-C keeps {finished} cases of {total}", error)
        if rounds == 1:
            other = assay(*JOB, "--quick", "--out", out, "--resume", folder)
            check(other.returncode == 2 and "quick" in other.stderr and not os.path.exists(out),
                  "another certification does not go on with them", other.stderr)
        before = finished
        options = ["--out", out, "--resume", folder]
    check(rounds, f"it was interrupted {rounds} times before it came to an end")
    check(code == said.returncode == 0 and filecmp.cmp(whole, out, shallow=False),
          "what comes of it in the end is, byte for byte, what comes of it at once", error)
    check(text.replace(out, whole) == said.stdout, "and so is what is printed", text)
    check(not os.path.exists(folder), "what was kept is gone")


def damaged(work):
    folder = os.path.join(work, "kept")
    code, _, error = interrupted(0.3, *JOB, "--resume", folder)
    check(code == 3 and kept(error)[1], "a folder may be named from the start", error)
    path = os.path.join(folder, "shard-1-of-1")
    with open(path, "rb") as file:
        content = bytearray(file.read())
    content[len(content) // 2] ^= 1
    with open(path, "wb") as file:
        file.write(content)
    done = assay(*JOB, "--resume", folder)
    check(done.returncode == 2 and "shard-1-of-1" in done.stderr,
          "what was damaged meanwhile is refused", done.stderr)
    done = assay(*JOB, "--resume", folder, "--jobs", "2")
    check(done.returncode == 2 and "--resume goes with one job" in done.stderr,
          "several jobs do not resume", done.stderr)


with tempfile.TemporaryDirectory() as place:
    a_real_run(place)
    damaged(place)
finish()
