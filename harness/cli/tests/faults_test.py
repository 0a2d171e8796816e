# SPDX-License-Identifier: Apache-2.0
"""Every command where memory runs out, the disk is full, a write is cut short or a folder cannot be
written: it says so and ends with the exit code of a failed environment, or it ends as if nothing
had happened; files that were whole stay whole, and the next run gives what an undisturbed one
gives.

The n-th call fails (faults.c, preloaded), or all from there on, for n over the calls that an
undisturbed run makes; and memory runs out at each place of the program that allocates, so that the
choice does not move with the machine. ASSAY_FULL=1 takes more of them: every allocation of every
command, some 110,000 runs; of a night of audits alone, of which each run takes a quarter of a
second, the first and the last of each call stack. Words name commands, when not all are meant. TAP
on standard output.
"""
import concurrent.futures
import functools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import undisturbed  # noqa: E402
from tap import check, finish, skip  # noqa: E402
from undisturbed import (  # noqa: E402
    ASSAY, ONCE, PLUGINS, SLOW, Undisturbed, again, plain, prepare, run, state, surroundings)

FULL = os.environ.get("ASSAY_FULL") == "1"
POINTS = 40 if FULL else 4
BY_STACK = {"audit --night"}
COMMANDS = {name: words for name, words in undisturbed.COMMANDS.items()
            if not sys.argv[1:] or any(word in name for word in sys.argv[1:])}


# What a machine without memory or disk is to blame for is no fault of the input; eval, tolerance
# and serve say of each request why it has no answer.
ENDS_OTHERWISE = {"eval": (2, 3), "tolerance": (2, 3), "serve": (0, 3),
                  "eval of what is declared": (2, 3)}


def failures(of):
    return ENDS_OTHERWISE.get(of.name, (3,))


# A certification goes on where the harness could not run one case, and says so of that case; in its
# results alone where the summary has no memory either: each process of --jobs meets the fault.
OF_A_CASE = re.compile(rb"no memory for (this call|the tensors of this call)"
                       rb"|cases that the harness could not run"
                       rb'|"code": "internal", "message": "out of memory')


def judge(of, done, work):
    """What is wrong about a disturbed run, or None."""
    if done.returncode < 0:
        return f"killed by {signal.Signals(-done.returncode).name}: {done.stderr[-150:]}"
    of_a_case = done.returncode and OF_A_CASE.search(done.stdout)
    told = of_a_case or (done.returncode in failures(of)
                         and (re.search(rb"assay[^:]*: .*[a-z]{3}", done.stderr)
                              or re.search(rb'"message": "[^"]*(out of|allocate) memory',
                                           done.stdout)))
    as_ever = done.returncode == of.code and plain(done.stdout) == of.output
    if not told and not as_ever:
        return f"exit code {done.returncode} (undisturbed {of.code}): {done.stderr[-150:]}"
    now = state(work)
    for path in now.keys() | of.before.keys() | of.after.keys():
        if path not in of.repeatable and path in of.after:
            continue
        content, before, after = now.get(path), of.before.get(path), of.after.get(path)
        result = path.endswith(".jsonl") and not before
        if result and (of_a_case or OF_A_CASE.search(content or b"")):
            continue  # a result of its own: one case has the verdict `harness`
        if as_ever and not told and content != after:
            return f"{os.path.basename(path)} is not what an undisturbed run leaves"
        # A set of several files may be written in part, each of them whole.
        if path.endswith("/SHA256SUMS") and now.get(path) and before:
            # It gets the lines of one file after the other; meanwhile the list of changes has two.
            content, before, after = (set(x.splitlines())
                                      for x in (content, before, after or before))
            if {line for line in content if not line.endswith(b"  ../CHANGES")} <= before | after:
                continue
        if content not in (before, after) and not path.endswith(".part"):
            return f"{os.path.basename(path)} is neither old nor new"
    return None


def goes_on(of, work):
    done = run(work, of.words, elsewhere=of.elsewhere)
    now = state(work)
    if done.returncode not in (of.code, 0 if of.code == 0 else 1):
        return f"the next run ends with {done.returncode}: {done.stderr[-150:]}"
    for path, content in of.after.items():
        if path in of.repeatable and now.get(path) != content:
            return f"the next run leaves another {os.path.basename(path)}"
    return None


def one_fault(template, work, shim, of, fault):
    """Runs the command with that fault: whether it gave up and said so, and what is wrong."""
    again(template, work)
    done = run(work, of.words, faults=fault, shim=shim, elsewhere=of.elsewhere)
    told = done.returncode in failures(of) and of.code not in (2, 3)
    return told, judge(of, done, work)


def disturb(template, work, shim, name, of, kind, points):
    total = of.calls[kind]
    chance = random.Random(total)
    chosen = range(1, total + 1) if total <= points else sorted(
        {1, total, *chance.sample(range(1, total + 1), points)})
    wrong, told, runs = [], 0, 0
    for n in chosen:
        for how in ("once", "on"):
            gave_up, fault = one_fault(template, work, shim, of, f"{kind} {n} {how}")
            # What got over the fault left a record, and the next one is not written over it.
            refused = name == "record" and not gave_up
            if not fault and name not in SLOW | ONCE and not refused and n % 3 == 0:
                fault = goes_on(of, work)
            runs += 1
            told += gave_up
            if fault:
                wrong.append(f"{name}: {kind} {n} {how} of {total}: {fault}")
    return runs, told, wrong


@functools.cache
def when_undisturbed(template, shim, name):
    """Each command has a folder of its own, so that several can go on at once."""
    return Undisturbed(template, place(template, name), shim, name)


def place(template, name):
    return f"{os.path.dirname(template)}/work-{list(COMMANDS).index(name)}"


def for_each_command(job, cost=lambda name: 0):
    """Calls job(name) for several commands at a time, the longest first; gives the results in the
    order of the commands."""
    # They wait for the disk, and for each other's answers, about as long as they compute.
    with concurrent.futures.ThreadPoolExecutor(2 * os.cpu_count()) as pool:
        begun = {name: pool.submit(job, name) for name in sorted(COMMANDS, key=cost, reverse=True)}
        for name in COMMANDS:
            yield name, begun[name].result()


def everywhere(template, shim, kinds, points, title):
    def one(name):
        of = when_undisturbed(template, shim, name)
        return of, [
            disturb(template, place(template, name), shim, name, of, kind,
                    max(3, points // 4) if name in SLOW else points) for kind in kinds
        ]

    for name, (of, each) in for_each_command(one):
        calls = [f"{of.calls[kind]} {kind}" for kind in kinds]
        runs, told, wrong = sum(e[0] for e in each), sum(
            e[1] for e in each), [text for e in each for text in e[2]]
        check(
            not wrong,
            f"{title}, {name} (exit {of.code}): {', '.join(calls)} calls, {runs} runs, {told} "
            "gave up and said so",
            wrong[:8])


def at_every_site(template, shim):
    """Memory runs out at the first and at the last call of each site that allocates, in the first
    command that comes by it; a slow command has one in eight. With ASSAY_FULL=1: in every command
    at every allocation, and of those BY_STACK at the first and the last of each call stack."""
    seen, chosen = set(), {}
    for name, of in for_each_command(lambda name: when_undisturbed(template, shim, name)):
        calls = sorted({call for site in of.sites.keys() - seen for call in of.sites[site]})
        seen |= of.sites.keys()
        chosen[name] = calls[::8] if name in SLOW else calls
        if FULL:
            every = range(1, of.calls["memory"] + 1)
            chosen[name] = of.stacks if name in BY_STACK else every

    def one(name):
        of, work = when_undisturbed(template, shim, name), place(template, name)
        outcomes = [(n, *one_fault(template, work, shim, of, f"memory {n} once"))
                    for n in chosen[name]]
        wrong = [f"{name}: memory {n} once: {fault}" for n, _, fault in outcomes if fault]
        return len(outcomes), sum(told for _, told, _ in outcomes), wrong

    def cost(name):
        return len(chosen[name]) * when_undisturbed(template, shim, name).seconds

    for name, (runs, told, wrong) in for_each_command(one, cost):
        check(not wrong, f"each site that allocates, {name}: {runs} runs, {told} gave up and said"
              " so", wrong[:8])


def short_writes(template, shim):
    def one(name):
        of, work = when_undisturbed(template, shim, name), place(template, name)
        again(template, work)
        done = run(work, of.words, faults="short 7 on", shim=shim, elsewhere=of.elsewhere)
        now = state(work)
        if done.returncode != of.code or any(
                now.get(p) != of.after[p] for p in of.after if p in of.repeatable):
            return f"{name}: {done.returncode} {done.stderr[-100:]}"
        return None

    wrong = [text for _, text in for_each_command(one) if text]
    check(not wrong, f"short writes change nothing in {len(COMMANDS)} commands", wrong)


# Every way in which a command writes: with {r} for the place that has no room, or is another's.
WRITING = {
    "emit": "emit --to {r}",
    "emit --shard": "emit --shard 1/1 --to {r}",
    "certify": "certify --plugin %(nine)s --quiet --out {r}/r.jsonl",
    "certify --sign": "certify --plugin %(good)s --quiet --out {r}/s.jsonl --sign {w}/key.pem",
    "certify --shard": "certify --plugin %(good)s --quiet --shard 1/1 --to {r}",
    "report": "report --html {r}/r.html {w}/nine.jsonl",
    "report --junit": "report --junit {r}/r.xml {w}/nine.jsonl",
    "report --markdown": "report --markdown {r}/r.md {w}/nine.jsonl",
    "report --statement": "report --statement {r}/r.statement {w}/nine.jsonl",
    "report --certificate": "report --certificate {r}/r.cert --sign {w}/key.pem --plugin %(good)s "
                            "{w}/good.jsonl",
    "merge of vectors": "merge {w}/vectors.parts --out {r}",
    "merge of a certification": "merge {w}/certify.parts --out {r}/m.jsonl",
    "merge of an audit": "merge {w}/audit.parts --out {r}/m.json",
    "export": "export --to {r}", "export --requests": "export --requests {r}/requests",
    "record": "record --plugin %(good)s --quiet --to {r}/record",
    "import": "import {w}/table.csv --to {r}/table.yaml --by nobody --op acme.square",
    "score": "score {w}/tests.jsonl --out {r}/score.md",
    "score --records": "score {w}/tests.jsonl --records {r}/score.jsonl",
    "tolerance": "tolerance {w}/block.yaml --out {r}/block.safetensors",
    "stream": "stream {w}/stream.yaml --chunks {r}/kept",
    "mutants": "mutants --out {r}/mutants.jsonl",
    "minimize --yaml": "minimize window --plugin %(nine)s --yaml {r}/cut.yaml",
    "findings": "findings --write --source {r}/findings.yaml",
    "new-target": "new-target acme --to {r}/acme",
    "init": "init {r}/project",
    "audit --out": "audit --source philox4x32 --bytes 1000000 --out {r}/a.json",
    "audit --shard": "audit --source philox4x32 --bytes 1000000 --shard 1/1 --to {r}",
    "audit --night": "audit --source philox4x32 --bytes 1000000 --night --db {r}/a.db",
    "history": "history --db {r}/h.db {w}/nine.jsonl",
    "history --audit": "history --audit {w}/audits.db --out {r}/h.jsonl",
}


def writing(name, work, room):
    words = WRITING[name] % PLUGINS
    return words.replace("{w}", work).replace("{r}", room).split()


def full_disk(template, work):
    """A real file system without room, where one can be had."""
    room = f"{work}.room"
    os.makedirs(room, exist_ok=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", room],
                                      capture_output=True).returncode:
        skip("a full disk", "needs root and mount")
        return
    try:
        wrong = []
        again(template, work)
        shutil.copy(f"{work}/reports/findings/findings.yaml", f"{room}/findings.yaml")
        for name in WRITING:
            with open(f"{room}/fill", "ab", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 4096)
                except OSError:
                    pass
            kept = sorted(os.listdir(room))
            done = run(work, writing(name, work, room))
            left = [
                n for n in sorted(os.listdir(room))
                if n not in kept and os.path.isfile(f"{room}/{n}")
            ]
            if done.returncode != 3 or b"assay" not in done.stderr or left:
                wrong.append(f"{name}: {done.returncode} {done.stderr[-150:]} left {left}")
            for n in os.listdir(room):
                if n not in kept:
                    shutil.rmtree(f"{room}/{n}", ignore_errors=True) if os.path.isdir(
                        f"{room}/{n}") else os.remove(f"{room}/{n}")
        check(
            not wrong,
            f"on a full disk {len(WRITING)} ways of writing say so, end with 3 and leave no file",
            wrong)
    finally:
        subprocess.run(["umount", room])


def no_permission(template, work):
    """Root may write anywhere, so somebody else runs this."""
    if os.geteuid() or not shutil.which("setpriv"):
        skip("a folder without permission", "needs root and setpriv")
        return
    again(template, work)
    room = f"{work}/room"
    os.mkdir(room)
    shutil.copy(f"{work}/reports/findings/findings.yaml", room)
    os.chmod(work, 0o755)
    os.chmod(f"{work}/key.pem", 0o644)
    wrong = []
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ASSAY]
    if subprocess.run([*nobody, "--version"], capture_output=True, cwd="/").returncode:
        skip("a folder without permission", "nobody cannot run the program here")
        return
    before = state(work)
    more = {
        "emit in place": "emit --write",
        "history of others": f"history --db {work}/cases.db {work}/nine.jsonl",
        "night of others": "audit --source philox4x32 --bytes 1000000 --night --db "
                           f"{work}/audits.db"
    }
    for name in [*WRITING, *more]:
        words = writing(name, work, room) if name in WRITING else more[name].split()
        done = subprocess.run([*nobody, *words], capture_output=True, cwd="/",
                              env=surroundings(work))
        if done.returncode != 3 or b"assay" not in done.stderr:
            wrong.append(f"{name}: {done.returncode} {done.stderr[-150:]}")
    if state(work) != before:
        wrong.append("something was written all the same")
    check(
        not wrong,
        f"where the folder is another's, {len(WRITING) + len(more)} ways of writing say so and "
        "change nothing",
        wrong)


def main():
    os.umask(0o022)  # somebody else is to read what lies here
    # A file in memory is synchronised at once; that it is synchronised, and what a failure does, is
    # seen all the same.
    memory = "/dev/shm" if os.access(
        "/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30 else None
    with tempfile.TemporaryDirectory(
            dir=memory) as folder, tempfile.TemporaryDirectory() as library:
        shim, template, work = f"{library}/faults.so", f"{folder}/template", f"{folder}/work"
        built = subprocess.run([
            os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim,
            "harness/cli/tests/faults.c"
        ], capture_output=True, text=True)
        check(built.returncode == 0, "the library that makes calls fail is built", [built.stderr])
        os.chmod(folder, 0o755)
        os.chmod(library, 0o755)
        prepare(template)
        if built.returncode == 0:
            at_every_site(template, shim)
            everywhere(template, shim, ["memory"], POINTS, "memory runs out")
            everywhere(template, shim, ["write", "sync", "rename", "open"], max(2, POINTS // 5),
                       "calls fail")
            short_writes(template, shim)
        full_disk(template, work)
        no_permission(template, work)
    finish()


if __name__ == "__main__":
    main()
