# SPDX-License-Identifier: Apache-2.0
"""Whole audits beside two peers, on the same words.

audit/quick-SOURCE: the whole quick profile, 8 GiB of a good source with all threads, beside
OpenSSL's SHA-256 of as many of its words: what it takes to make the words by one thread and do no
more than digest them.

audit/dieharder-GENERATOR: how long an audit and dieharder's whole battery take to their verdict on
a generator of the panel. dieharder reads what `assay audit --write` hands it and has its verdict
with the first test that it calls FAILED. LIMIT seconds are the most that it is given: a row that
ends there says so, and its ratio is the least that it can be.

usage: audit.py [WORD...]   only rows whose name holds a word; exit code 4 when none does.
BUILD names the folder of the program.
"""
import os
import shutil
import subprocess
import sys
import threading
import time

from lines import write_row

ASSAY = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "assay")
LIMIT = 20
GOOD = "philox4x32", "panel:pcg64"
BYTES = 1 << 33
GENERATORS = ("randu", "minstd", "stuck_bit_17", "biased_bit_8589934", "xorshift64", "mt19937",
              "wraps_12")


def seconds_of_ours(source, verdict):
    """Seconds until the verdict, which must be this exit code."""
    start = time.monotonic()
    done = subprocess.run([ASSAY, "audit", "--source", source], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != verdict:
        sys.exit(f"audit.py: {source}: exit code {done.returncode} where {verdict} was expected: "
                 f"{done.stderr}")
    return time.monotonic() - start


def seconds_of_sha256(source):
    start = time.monotonic()
    words = subprocess.Popen([ASSAY, "audit", "--write", "--source", source, "--bytes", str(BYTES)],
                             stdout=subprocess.PIPE)
    subprocess.run(["openssl", "dgst", "-sha256"], stdin=words.stdout, stdout=subprocess.DEVNULL,
                   check=True)
    words.stdout.close()
    if words.wait():
        sys.exit(f"audit.py: {source}: its words could not be written")
    return time.monotonic() - start


def verdict_of_dieharder(source):
    """Seconds until the name of the first test that failed, and that; None for the name after LIMIT
    seconds or all its tests.
    """
    start = time.monotonic()
    words = subprocess.Popen([ASSAY, "audit", "--write", "--source", source, "--bytes",
                              str(1 << 40)],
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    battery = subprocess.Popen(["stdbuf", "-oL", "dieharder", "-a", "-g", "200"],
                               stdin=words.stdout, stdout=subprocess.PIPE,
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


def quick(names):
    print(f"{'seconds for 8 GiB':<34} {'ours':>7} {'sha256':>10}      ratio")
    for name, source in names.items():
        ours = seconds_of_ours(source, 0)
        theirs = seconds_of_sha256(source)
        print(f"{name:<34} {ours:>7.2f} {theirs:>10.2f}   {theirs / ours:>7.2f} x", flush=True)
        write_row(name, seconds=ours, ratio=theirs / ours, peer="OpenSSL's SHA-256")


def dieharder(names):
    if not shutil.which("dieharder"):
        print("audit/dieharder: skipped: dieharder is not installed (a Debian package of that "
              "name)")
        return
    print(f"{'seconds to the verdict':<34} {'ours':>7} {'dieharder':>10}      ratio")
    for name, source in names.items():
        ours = seconds_of_ours(source, 1)
        theirs, failed = verdict_of_dieharder(source)
        least, said = ("", f"failed {failed}") if failed else ("> ", "nothing failed in that time")
        print(f"{name:<34} {ours:>7.2f} {theirs:>10.2f} {least:>2}{theirs / ours:>7.1f} x  "
              f"({said})", flush=True)
        write_row(name, seconds=ours)


def main():
    found = False
    for rows, sources in ((quick, {f"audit/quick-{s.split(':')[-1]}": s for s in GOOD}),
                          (dieharder, {f"audit/dieharder-{g}": f"panel:{g}" for g in GENERATORS})):
        wanted = {n: s for n, s in sources.items() if len(sys.argv) == 1
                  or any(word in n for word in sys.argv[1:])}
        if wanted:
            found = True
            rows(wanted)
    return 0 if found else 4


if __name__ == "__main__":
    sys.exit(main())
