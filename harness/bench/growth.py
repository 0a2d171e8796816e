# SPDX-License-Identifier: Apache-2.0
"""How the time of each work grows with its size: the exponent of the power law that fits best.

LSTM and GRU over steps and over channels and products over their side are timed inside the bench
(medians of processor time); certification over cases, audit over bytes and a page over cases as
whole commands, less what the smallest of them takes. The exponent is the slope of
the least squares in logarithms; beside it stand what the work itself asks for, the exponent between
the two largest sizes, where what is constant weighs least, and the residual: the largest factor by
which a point lies off the line.

usage: growth.py [WORD...]   only those whose name (growth/WHAT) holds a word; exit code 4 when none
does. BUILD names the folder of the programs.
"""
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")

# What the work asks for: a step costs what the one before cost; products of channels by channels;
# side by side by side; each case, byte and record once.
KERNELS = {"growth/lstm-steps": 1, "growth/gru-steps": 1, "growth/lstm-channels": 2,
           "growth/gru-channels": 2, "growth/product-side": 3}
CASES = 250, 500, 1000, 2000
BYTES = 1 << 28, 1 << 29, 1 << 30  # the first looks, which cost most, end before
SUITE = """suite: {suite}
version: 1.0.0
specification: {title: the same request with one key after another}
requirements: {G: {text: "a block"}}
choices:
  key_schedule: {default: weyl, deviant: [constant, swapped_constants], about: constants}
  multipliers: {default: published, deviant: [swapped], about: pairs}
  word_order: {default: ascending, deviant: [descending], about: words}
  rounds: {default: asked, deviant: ["7", "8", "9", "10", "11"], about: rounds}
cases:
"""


def fit(points):
    """(exponent, exponent between the two largest, largest factor off the line) of (size, time)
    points, at least two and all positive.
    """
    x = [math.log(size) for size, _ in points]
    y = [math.log(time) for _, time in points]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    slope = (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
             / sum((a - mean_x) ** 2 for a in x))
    off = max(abs(b - mean_y - slope * (a - mean_x)) for a, b in zip(x, y))
    return slope, (y[-1] - y[-2]) / (x[-1] - x[-2]), math.exp(off)


def show(name, points, asked):
    points = sorted(points)
    if len(points) < 2 or min(time for _, time in points) <= 0:
        print(f"{name:<28} skipped: too few points above the smallest")
        return
    slope, last, off = fit(points)
    print(f"{name:<28} {slope:>8.2f} {last:>8.2f} {asked:>7}   {off:>6.2f}   "
          f"{points[0][0]:,} to {points[-1][0]:,}: {1e3 * points[0][1]:.4g} to "
          f"{1e3 * points[-1][1]:.4g} ms", flush=True)


def kernels(names):
    """Points of each, from the bench."""
    with tempfile.TemporaryDirectory() as work:
        rows = os.path.join(work, "rows")
        subprocess.run([os.path.join(BUILD, "bench"), "--rows", rows, *(n + "/" for n in names)],
                       check=True, stdout=subprocess.DEVNULL)
        with open(rows, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
    for name in names:
        yield name, [(int(line["row"].rpartition("/")[2]), line["seconds"]) for line in lines
                     if line.get("row", "").startswith(name + "/")]


def seconds_of(words, times=3):
    """Processor seconds, the least of some runs."""
    least = math.inf
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([ASSAY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"growth.py: {' '.join(words)} ended with {done.returncode}: {done.stderr}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def write_suite(path, cases):
    with open(path, "w", encoding="utf-8") as file:
        file.write(SUITE.replace("{suite}", os.path.basename(path)[:-5]))
        for i in range(cases):
            file.write(f"  - id: key-{i}\n    covers: [G]\n    op: philox\n"
                       "    attributes: {width: 32}\n"
                       f"    inputs: {{counter: [1, 2, 3, 4], key: [{i}, 1]}}\n")


def commands(names, work):
    """Points of each, less the smallest."""
    results = {}
    certify = {}
    for cases in (1, *CASES) if {"growth/certify-cases", "growth/page-cases"} & set(names) else ():
        suite, results[cases] = f"{work}/n{cases}.yaml", f"{work}/n{cases}.jsonl"
        write_suite(suite, cases)
        certify[cases] = seconds_of(["certify", "--target", "reference", "--suite", suite,
                                     "--quiet", "--jobs", "1", "--out", results[cases]])
    page = {cases: seconds_of(["report", "--html", f"{work}/page.html", path])
            for cases, path in results.items() if "growth/page-cases" in names}
    audit = {size: seconds_of(["audit", "--source", "philox4x32", "--threads", "1", "--bytes",
                               str(size)], 1)
             for size in ((1 << 26, *BYTES) if "growth/audit-bytes" in names else ())}
    for name, seconds in (("growth/certify-cases", certify), ("growth/page-cases", page),
                          ("growth/audit-bytes", audit)):
        if name in names:
            least = min(seconds)
            yield name, [(size - least, seconds[size] - seconds[least])
                         for size in seconds if size > least]


def main():
    words = sys.argv[1:]
    asked = {**KERNELS, "growth/certify-cases": 1, "growth/page-cases": 1, "growth/audit-bytes": 1}
    names = [n for n in asked if not words or any(word in n for word in words)]
    if not names:
        return 4
    print(f"{'growth':<28} {'exponent':>8} {'at last':>8} {'asked':>7}   {'off by':>6}   over")
    inside = [n for n in names if n in KERNELS]
    for name, points in kernels(inside) if inside else ():
        show(name, points, asked[name])
    with tempfile.TemporaryDirectory() as work:
        for name, points in commands(names, work):
            show(name, points, asked[name])
    return 0


if __name__ == "__main__":
    sys.exit(main())
