# SPDX-License-Identifier: Apache-2.0
"""How each job grows with threads, measured, and with cores and parts, predicted.

One core and two are timed alternately: one thread that is held on one processor, with the workers
that it starts (a certification by one process is two processes, which two processors would share),
and two threads that go where they like. Beside the time that passed (medians) stands the processor
time (the least of all runs: other users of the caches only add to it). Where other programs take
the processors, the first ratio has no meaning, and twice the second is what two free cores would
give at best. What the machine itself gives stands there too: the same job twice at once, each copy
on a processor of its own. They share nothing but the machine, and where that slows them (memory,
caches, clock, a host with other guests), threads cannot do better. The model takes measured parts
only: work W, what every part costs besides its share (F), what joining costs once (J) and for each
part (M), the last two from joining few and many:

    time(cores, parts) = ceil(parts / cores) * (F + W / parts) + J + parts * M

usage: scaling.py [WORD...]   only jobs whose name (scaling/JOB) holds a word; exit code 4 when none
does. BUILD names the folder of the program.
"""
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from lines import write_row

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
RUNS = int(os.environ.get("SCALING_RUNS", "3"))
ELEMENTS = 1 << 30
BYTES = 1 << 27
TARGET = "reference"
PARTS = 12


def start(words, threads, processors):
    """The program, with whatever it starts, on these processors."""
    environment = dict(os.environ, ASSAY_THREADS=str(threads))
    free = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    started = subprocess.Popen([ASSAY, *words], env=environment, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    os.sched_setaffinity(0, free)
    return started


def finish(process, words):
    message = process.communicate()[1]
    if process.returncode not in (0, 1):
        sys.exit(f"scaling: {' '.join(words)} ended with {process.returncode}: {message}")


def run(words, threads=1):
    """(seconds that passed, seconds of processors)."""
    free = os.sched_getaffinity(0)
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    finish(start(words, threads, {max(free)} if threads == 1 else free), words)
    passed, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return passed, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run_copies(words):
    """Seconds until two copies had ended that were started at once, each on a processor of its
    own.
    """
    begin = time.monotonic()
    copies = [start(words, 1, {processor}) for processor in sorted(os.sched_getaffinity(0))[-2:]]
    for copy in copies:
        finish(copy, words)
    return time.monotonic() - begin


def alternate(command):
    """(median of passed, least of processors) of one thread and of two; median of two copies of the
    first at once.
    """
    times, copies = {1: [], 2: []}, []
    for _ in range(RUNS):
        for threads in times:
            times[threads].append(run(command(threads), threads))
        copies.append(run_copies(command(1)))
    one, two = ((statistics.median(passed for passed, _ in rows), min(cpu for _, cpu in rows))
                for rows in times.values())
    return one, two, statistics.median(copies)


def parts_of(words, work, parts):
    """Processor seconds of a part on average, of the longest, and of joining all."""
    folder = f"{work}/{'-'.join(words)}-{parts}"
    cost = [run([*words, "--shard", f"{i}/{parts}", "--to", folder])[1]
            for i in range(1, parts + 1)]
    out = f"{work}/{words[0]}.out"
    if words[0] == "emit":
        os.makedirs(out, exist_ok=True)
    return statistics.mean(cost), max(cost), min(run(["merge", folder, "--out", out])[1]
                                                 for _ in range(2 * RUNS))


def joining(words, work, few, many, small=None):
    """Parts: (average, longest); joining: (once, each), the latter from a small job in 2 parts and
    100 where one shows it as well.
    """
    _, _, join_few = parts_of(words, work, few)
    mean, most, join_many = parts_of(words, work, many)
    each = max(0, (join_many - join_few) / (many - few))
    if small:
        each = max(0, parts_of(small, work, 100)[2] - parts_of(small, work, 2)[2]) / 98
    return (mean, most), (max(0, join_few - few * each), each)


def shares_of(work, fixed, join, cores, parts):
    """Where the time goes."""
    once, each = join
    rounds = math.ceil(parts / cores)
    return {"the work itself": rounds * work / parts,
            "what each part costs besides its share": rounds * fixed,
            "joining, which one process does": once + parts * each}


def predict(name, work, fixed, join, cores=64, parts=1000):
    joining = "nothing is joined"
    if any(join):
        joining = f"joining costs {join[0]:.3f} s, and {1000 * join[1]:.2f} ms for each part"
    print(f"  model: {name}: {work:.1f} s of one core; a part costs {fixed:.3f} s besides its "
          f"share; {joining}")
    best = min(range(1, parts + 1),
               key=lambda n: sum(shares_of(work, fixed, join, cores, n).values()))
    for number in sorted({parts, best}, reverse=True):
        shares = shares_of(work, fixed, join, cores, number)
        seconds, worst = sum(shares.values()), max(shares, key=shares.get)
        print(f"  {cores} cores, {number:,} "
              f"parts{' (the best number)' if number == best else ''}: {seconds:.1f} s, "
              f"{work / seconds:.1f} times as fast; "
              f"bottleneck: {worst} ({100 * shares[worst] / seconds:.0f} %)", flush=True)


def main():
    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        request = f"{work}/request.yaml"
        with open(request, "w") as file:
            file.write("op: openvino.random_uniform\nattributes: {output_type: f32, global_seed: "
                       "7, op_seed: 8}\n"
                       "inputs: {shape: [17179869184], minval: 0, maxval: 1}\n")
        audit = ["audit", "--source", "philox4x32"]
        jobs = {
            "reference": lambda t: ["stream", request, "--count", str(ELEMENTS), "--threads",
                                    str(t)],
            "emit": lambda t: ["emit", "--digest"],
            "certify": lambda t: ["certify", "--target", TARGET, "--quiet", "--jobs", str(t)],
            "audit": lambda t: [*audit, "--bytes", str(BYTES), "--threads", str(t)],
        }
        jobs = {name: command for name, command in jobs.items() if not chosen
                or any(word in f"scaling/{name}" for word in chosen)}
        if not jobs:
            sys.exit(4)
        print(f"scaling, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {RUNS} runs "
              f"of each")
        for name, command in jobs.items():
            (one, one_cpu), (two, two_cpu), copies = alternate(command)
            print(f"scaling/{name:<12} {one:8.2f} s {two:8.2f} s  {one / two:5.2f} times on 2 "
                  f"cores; processor time {one_cpu:.2f} s and {two_cpu:.2f} s: "
                  f"at most {2 * one_cpu / two_cpu:.2f} times", flush=True)
            print(f"  two independent copies side by side: {copies:.2f} s: this machine reaches "
                  f"{2 * one / copies:.2f} times; two threads are at "
                  f"{50 * copies / two:.0f} % of that", flush=True)
            write_row(f"scaling/{name}", seconds=two, ratio=copies / two / 2,
                      peer="two copies side by side")
            if name == "reference":
                fixed = run(["stream", request, "--count", "65536", "--threads", "1"])[1]
                predict("2^34 elements", (one_cpu - fixed) * (1 << 34) / ELEMENTS, fixed, (0, 0))
            elif name == "audit":
                # What a byte costs once the first looks, which are expensive, are over.
                more = run([*audit, "--bytes", str(4 * BYTES), "--threads", "1"])[1]
                rate = (more - one_cpu) / (3 * BYTES)
                (mean, _), join = joining([*audit, "--bytes", str(BYTES), "--threads", "1"], work,
                                          2, 6)
                predict("nightly, 1 TiB", one_cpu + rate * (1 << 40), max(0, mean - one_cpu / 6),
                        join)
            else:
                words = [w for w in command(1) if w not in ("--digest", "--jobs", "1")]
                (mean, most), join = joining(words, work, 2, PARTS, [*words, "--suite", "philox"])
                print(f"  {PARTS} parts: {mean:.2f} s on average, {most:.2f} s the longest",
                      flush=True)
                predict(f"{name}, every suite", one_cpu, max(0, mean - one_cpu / PARTS), join)


if __name__ == "__main__":
    main()
