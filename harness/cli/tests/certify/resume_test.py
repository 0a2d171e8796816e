# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C keeps what a certification has finished, by one process or several, and --resume goes on
with it, by one process or several."""

import filecmp
import os
import re
import resource
import shutil
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


def used(process):
    """Seconds of processor time of a process and of all that it has started."""
    children, ticks = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="latin-1") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        children.setdefault(int(fields[1]), []).append(int(name))
        ticks[int(name)] = sum(map(int, fields[11:15]))  # proc(5): utime to cstime
    total, todo = 0, [process]
    while todo:
        one = todo.pop()
        total += ticks.get(one, 0)
        todo += children.get(one, [])
    return total / os.sysconf("SC_CLK_TCK")


def interrupted(seconds, *arguments, first=lambda: None):
    """Starts it, sends SIGINT to it and to all its jobs when they have used so much processor time,
    as a terminal does, and waits. What a shell runs in the background ignores SIGINT. `first` is
    called before the signal."""
    with subprocess.Popen([ASSAY, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
                          ) as process:
        while process.poll() is None and used(process.pid) < seconds:
            time.sleep(0.005)
        first()
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate()
        return process.returncode, out, error


def kept(error):
    found = re.search(r"interrupted: (\d+) of at most (\d+) cases are finished and kept", error)
    return [int(number) for number in found.groups()] if found else [0, 0]


def a_real_run(work, jobs):
    """`jobs`: how many processes run it, round after round."""
    whole, out = os.path.join(work, "whole.jsonl"), os.path.join(work, "out.jsonl")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = assay(*JOB, "--out", whole)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    folder, before, rounds = out + ".unfinished", 0, 0
    options = ["--out", out]
    while rounds < 8:
        # Longer each time: the largest case is judged whole or not at all.
        code, text, error = interrupted(0.3 * (rounds + 1) * took, *JOB, *options, "--jobs",
                                        jobs[rounds % len(jobs)])
        if "interrupted" not in error:
            break
        rounds += 1
        finished, total = kept(error)
        check(code == 3 and not text and before <= finished <= total and finished
              and not os.path.exists(out) and f"--resume {folder}" in error,
              f"Ctrl-C to {jobs[(rounds - 1) % len(jobs)]} processes keeps {finished} cases of "
              f"{total}", error)
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
    return took


def changed(work, took):
    """The plan of what is interrupted is made then, of files that must be those that were read."""
    plugin, other = os.path.join(work, "of_mine.so"), os.path.join(work, "other.so")
    shutil.copy(os.path.join(BUILD, "targets", "random123.so"), plugin)
    shutil.copy(plugin, other)
    job = [*JOB, "--plugin", plugin, "--out", os.path.join(work, "mine.jsonl")]
    time.sleep(2.5)  # so that a change shows in the file's times
    code, _, error = interrupted(0.3 * took, *job, first=lambda: os.replace(other, plugin))
    check(code == 2 and f"{plugin} was changed while it was in use" in error
          and not os.path.exists(os.path.join(work, "mine.jsonl.unfinished")),
          "nothing is kept of a run whose plugin was changed meanwhile", error)
    code, _, error = interrupted(0.3 * took, *job)
    check(code == 3 and kept(error)[0], "of one that was left alone it is", error)


def damaged(work, took):
    folder = os.path.join(work, "kept")
    code, _, error = interrupted(0.3 * took, *JOB, "--resume", folder)
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
    for option, why in ((("--shard", "1/2", "--to", folder), "combined with --shard"),
                        (("--survey", "1"), "--survey, which keeps no finished cases"),
                        (("--mode", "stepwise"), "--mode stepwise, which keeps no finished cases"),
                        (("--sign", "key.pem"), "what was kept may have been edited")):
        done = assay(*JOB, "--resume", folder, *option)
        check(done.returncode == 2 and why in done.stderr,
              f"what cannot resume says so: {option[0]}", done.stderr)


with tempfile.TemporaryDirectory() as place:
    for of in (["1"], ["2", "3", "1"]):
        folder = os.path.join(place, "-".join(of))
        os.mkdir(folder)
        seconds = a_real_run(folder, of)
    changed(place, seconds)
    damaged(place, seconds)
finish()
