# SPDX-License-Identifier: Apache-2.0
"""How long an audit and dieharder's whole battery take to their verdict, on the same words of the panel's generators.

dieharder reads what `assay audit --write` hands it and has its verdict with the first test that it calls FAILED. LIMIT seconds
are the most that it is given: a row that ends there says so, and its ratio is the least that it can be.

usage: dieharder.py [WORD...]   only rows (audit/dieharder-GENERATOR) whose name holds a word; exit code 4 when none does.
BUILD names the folder of the program.
"""
import os
import shutil
import subprocess
import sys
import threading
import time

ASSAY = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "assay")
LIMIT = 60
GENERATORS = "randu", "minstd", "stuck_bit_17", "biased_bit_8589934", "xorshift64", "mt19937", "wraps_12"


def verdict_of_ours(source):
    start = time.monotonic()
    done = subprocess.run([ASSAY, "audit", "--source", source], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 1:
        sys.exit(f"dieharder.py: {source}: exit code {done.returncode} where flawed (1) was expected: {done.stderr}")
    return time.monotonic() - start


def verdict_of_dieharder(source):
    """Seconds until the name of the first test that failed, and that; None for the name after LIMIT seconds or all its tests."""
    start = time.monotonic()
    words = subprocess.Popen([ASSAY, "audit", "--write", "--source", source, "--bytes", str(1 << 40)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    battery = subprocess.Popen(["stdbuf", "-oL", "dieharder", "-a", "-g", "200"], stdin=words.stdout, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)
    words.stdout.close()
    late = threading.Timer(LIMIT, battery.kill)
    late.start()
    failed = next((line.split("|")[0].strip() for line in battery.stdout if "FAILED" in line), None)
    passed = time.monotonic() - start
    late.cancel()
    for process in battery, words:
        process.kill()
        process.wait()
    return passed, failed


def main():
    names = {f"audit/dieharder-{g}": f"panel:{g}" for g in GENERATORS}
    wanted = [n for n in names if len(sys.argv) == 1 or any(word in n for word in sys.argv[1:])]
    if not wanted:
        return 4
    if not shutil.which("dieharder"):
        print("audit/dieharder: skipped: dieharder is not installed (a Debian package of that name)")
        return 0
    print(f"{'seconds to the verdict':<34} {'ours':>7} {'dieharder':>10}      ratio")
    for name in wanted:
        ours = verdict_of_ours(names[name])
        theirs, failed = verdict_of_dieharder(names[name])
        least, said = ("", f"failed {failed}") if failed else ("> ", "nothing failed in that time")
        print(f"{name:<34} {ours:>7.2f} {theirs:>10.2f} {least:>2}{theirs / ours:>7.1f} x  ({said})", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
