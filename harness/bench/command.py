# SPDX-License-Identifier: Apache-2.0
"""Whole commands: how long they take from their start to their end, and the memory that they need.

Seconds are the median of what passed; beside them stands the least processor time, of the command
and of what it starts, for a machine that others use as well. The peak is that of the largest of its
processes, of the last run: what a Python process holds by itself is the least that can be seen.

usage: command.py [WORD...]   only rows whose name holds a word; exit code 4 when none does. BUILD
names the folder of the program.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

ASSAY = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "assay")
REQUEST = """op: openvino.random_uniform
attributes: {output_type: f32, global_seed: 150, op_seed: 10}
inputs: {shape: [3, 3], minval: 0, maxval: 1}
"""
PEAK = 200 << 20  # no command over the shipped suites needs more

# What is run, how often, and the seconds that it is meant to take; None: no goal.
ROWS = {
    "command/help": (["--help"], 21, 0.002),
    "command/eval": (["eval", "{request}"], 21, 0.005),
    "command/emit-check": (["emit", "--check"], 3, 3),
    "command/mutants": (["mutants"], 1, None),
    "command/certify-reference": (["certify", "--target", "reference", "--jobs", "1", "--quiet",
                                   "--out", "{results}"], 3, 8),
}


def run(words):
    """Seconds that passed, seconds of processors, bytes at the peak."""
    begin = time.monotonic()
    child = subprocess.Popen([ASSAY, *words], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    passed = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"command.py: {' '.join(words)} ended with {child.returncode}")
    return passed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10


def row(name, words, times, goal):
    runs = [run(words) for _ in range(times)]
    passed = statistics.median(r[0] for r in runs)
    peak = runs[-1][2]
    missed = [] if goal is None or passed <= goal else [f"{goal:g} s"]
    missed += [] if peak <= PEAK else [f"{PEAK >> 20} MiB"]
    print(f"{name:<34} {passed:>9.4f} {min(r[1] for r in runs):>9.4f} {peak / (1 << 20):>9.1f}"
          f"{'  misses ' + ', '.join(missed) if missed else ''}", flush=True)


def main():
    wanted = {n: r for n, r in ROWS.items() if len(sys.argv) == 1
              or any(word in n for word in sys.argv[1:])}
    if not wanted:
        return 4
    print(f"{'whole commands':<34} {'seconds':>9} {'processor':>9} {'peak MiB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        request = os.path.join(folder, "request.yaml")
        with open(request, "w", encoding="utf-8") as file:
            file.write(REQUEST)
        for name, (words, times, goal) in wanted.items():
            row(name, [w.format(request=request, results=os.path.join(folder, "results.jsonl"))
                       for w in words], times, goal)
    return 0


if __name__ == "__main__":
    sys.exit(main())
