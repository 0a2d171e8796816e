# SPDX-License-Identifier: Apache-2.0
"""Every command where memory runs out, the disk is full, a write is cut short or a folder cannot be written: it says so and ends with
the exit code of a failed environment, or it ends as if nothing had happened; files that were whole stay whole, and the next run
gives what an undisturbed one gives.

The n-th call fails (faults.c, preloaded), or all from there on, for n over the calls that an undisturbed run makes.
ASSAY_FULL=1 takes more of them. TAP on standard output.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
FULL = os.environ.get("ASSAY_FULL") == "1"
POINTS = 150 if FULL else 4
SMALL = "harness/cli/tests/fuzz/seeds/suite/small.yaml"
NINE = f"{BUILD}/zoo/nine_rounds.so"
GOOD = f"{BUILD}/zoo/good.so"
REQUEST = "op: openvino.range\nattributes: {output_type: f32}\ninputs: {start: 0.0, stop: 5.0, step: 0.5}\n"
count = failed = 0


def check(right, name, detail=()):
    global count, failed
    count += 1
    failed += not right
    print(f"{'ok' if right else 'not ok'} {count} - {name}", flush=True)
    if not right:
        for line in detail:
            print("#", line)


# What is there before, what is run, with {w} for the working folder. Each stands on a copy of the folder that `prepare` makes.
COMMANDS = {
    "emit": "emit",
    "emit --check": "emit --check",
    "emit --to": "emit --to {w}/out",
    "emit --shard": "emit --shard 1/2 --to {w}/new",
    "merge of vectors": "merge {w}/vectors.parts --out {w}/out",
    "eval": "eval {w}/request.yaml",
    "stream": "stream {w}/stream.yaml --chunks {w}/new",
    "list": "list cases",
    "list requirements": "list requirements --json",
    "list choices": "list choices --killed",
    "list mappings": "list mappings",
    "show": "show window",
    "run": "run n-10 --plugin %(nine)s",
    "certify": "certify --plugin %(nine)s --quiet --out {w}/new.jsonl",
    "certify --shard": "certify --plugin %(nine)s --quiet --shard 1/2 --to {w}/new",
    "merge of a certification": "merge {w}/certify.parts --out {w}/new.jsonl",
    "explain": "explain --plugin %(nine)s",
    "minimize": "minimize window --plugin %(nine)s --yaml {w}/cut.yaml --program {w}/cut.c",
    "mutants": "mutants --out {w}/new.jsonl",
    "diff": "diff {w}/good.jsonl {w}/nine.jsonl",
    "report": "report --html {w}/r.html --junit {w}/r.xml --markdown {w}/r.md {w}/nine.jsonl",
    "report --certificate": "report --certificate {w}/new.cert --sign {w}/key.pem {w}/good.jsonl",
    "verify": "verify --key {w}/key.pem --plugin %(good)s {w}/cert",
    "export": "export --to {w}/new",
    "new-target": "new-target acme --to {w}/acme",
    "history, adding": "history --db {w}/cases.db {w}/nine.jsonl",
    "history, listing": "history --db {w}/cases.db",
    "audit": "audit --source philox4x32 --bytes 1000000 --threads 1 --out {w}/audit.json",
    "audit --shard": "audit --source philox4x32 --bytes 12000000 --threads 1 --shard 1/2 --to {w}/new",
    "audit --night": "audit --source philox4x32 --bytes 1000000 --threads 1 --night --db {w}/audits.db",
    "audit --history": "audit --history --db {w}/audits.db",
}
# These refuse to write over what they wrote, which is whole.
ONCE = {"new-target"}
SLOW = {"audit", "audit --shard", "audit --night"}


def arguments(name, work):
    return (COMMANDS[name] % {"nine": NINE, "good": GOOD}).replace("{w}", work).split()


def run(work, words, faults=None, counts=None, shim=None, **more):
    environment = dict(os.environ, ASSAY_HOME=work, ASSAY_THREADS="1", SOURCE_DATE_EPOCH="1767225600")
    if faults or counts:
        environment.update(LD_PRELOAD=shim, ASSAY_FAULTS=faults or "", ASSAY_FAULTS_COUNT=counts or "")
    return subprocess.run([ASSAY, *words], env=environment, capture_output=True, timeout=300, **more)


def prepare(work):
    for folder in ("yaml/suites", "vectors/golden", "harness", "out", "scripts"):
        os.makedirs(f"{work}/{folder}")
    shutil.copy(SMALL, f"{work}/yaml/suites/small.yaml")
    shutil.copytree("scripts/package", f"{work}/scripts/package")
    with open(f"{work}/request.yaml", "w") as file:
        file.write(REQUEST)
    with open(f"{work}/stream.yaml", "w") as file:
        file.write(REQUEST.replace("5.0", "200000.0"))
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", f"{work}/key.pem"], capture_output=True)
    for words in (f"certify --plugin {NINE} --quiet --out {work}/nine.jsonl", f"certify --plugin {GOOD} --quiet --out {work}/good.jsonl",
                  f"report --certificate {work}/cert --sign {work}/key.pem {work}/good.jsonl",
                  f"history --db {work}/cases.db {work}/good.jsonl",
                  f"audit --source philox4x32 --bytes 1000000 --threads 1 --night --db {work}/audits.db",
                  *(f"emit --shard {i}/2 --to {work}/vectors.parts" for i in (1, 2)),
                  *(f"certify --plugin {NINE} --quiet --shard {i}/2 --to {work}/certify.parts" for i in (1, 2))):
        run(work, words.split())


def state(work):
    """Every file with its bytes; of a database what it answers, since SQLite lays it out as it likes."""
    found = {}
    for folder, _, names in os.walk(work):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith((".db-wal", ".db-shm", ".db-journal")):
                continue
            if name.endswith(".db"):
                command = "audit --history --db " if name == "audits.db" else "history --db "
                done = run(work, (command + path).split())
                found[path] = (done.returncode, done.stdout)
            else:
                with open(path, "rb") as file:
                    found[path] = file.read()
    return found


def plain(output):
    """Without times."""
    return re.sub(rb"\d+\.\d+ s\b|\d+ ms\b|in \d+ s|[0-9.]+ seconds", b"", output)


def again(template, work):
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(template, work)


class Undisturbed:
    """What a command does when nothing fails: output, exit code, files, and how many calls of each kind it makes."""

    def __init__(self, template, work, shim, name):
        self.words = arguments(name, work)
        again(template, work)
        self.before = state(work)
        counts = f"{work}.counts"
        done = run(work, self.words, counts=counts, shim=shim)
        self.code, self.output, self.errors = done.returncode, plain(done.stdout), done.stderr
        self.after = state(work)
        with open(counts) as file:
            self.calls = {line.split()[0]: int(line.split()[1]) for line in file}
        # Repeatable files can be compared after a repetition; others (times in a page) cannot.
        again(template, work)
        run(work, self.words)
        second = state(work)
        self.repeatable = {path for path in second if second[path] == self.after.get(path)}


def judge(of, done, work):
    """What is wrong about a disturbed run, or None."""
    if done.returncode < 0:
        return f"killed by {signal.Signals(-done.returncode).name}: {done.stderr[-150:]}"
    told = done.returncode in (2, 3) and re.search(rb"assay[^:]*: .*[a-z]{3}", done.stderr)
    as_ever = done.returncode == of.code and plain(done.stdout) == of.output
    if not told and not as_ever:
        return f"exit code {done.returncode} (undisturbed {of.code}): {done.stderr[-150:]}"
    now = state(work)
    for path in now.keys() | of.before.keys() | of.after.keys():
        if path not in of.repeatable and path in of.after:
            continue
        content, before, after = now.get(path), of.before.get(path), of.after.get(path)
        if as_ever and not told and content != after:
            return f"{os.path.basename(path)} is not what an undisturbed run leaves"
        # A set of several files may be written in part, each of them whole.
        if content not in (before, after) and not path.endswith(".part"):
            return f"{os.path.basename(path)} is neither old nor new"
    return None


def goes_on(of, work):
    done = run(work, of.words)
    now = state(work)
    if done.returncode not in (of.code, 0 if of.code == 0 else 1):
        return f"the next run ends with {done.returncode}: {done.stderr[-150:]}"
    for path, content in of.after.items():
        if path in of.repeatable and now.get(path) != content:
            return f"the next run leaves another {os.path.basename(path)}"
    return None


def disturb(template, work, shim, name, of, kind, points):
    total = of.calls[kind]
    chance = random.Random(total)
    chosen = range(1, total + 1) if total <= points else sorted({1, total, *chance.sample(range(1, total + 1), points)})
    wrong, told, runs = [], 0, 0
    for n in chosen:
        for how in ("once", "on"):
            again(template, work)
            done = run(work, of.words, faults=f"{kind} {n} {how}", shim=shim)
            runs += 1
            told += done.returncode in (2, 3) and of.code not in (2, 3)
            fault = judge(of, done, work) or (goes_on(of, work) if name not in SLOW | ONCE and n % 3 == 0 else None)
            if fault:
                wrong.append(f"{name}: {kind} {n} {how} of {total}: {fault}")
    return runs, told, wrong


def everywhere(template, work, shim, kinds, points, title):
    for name in COMMANDS:
        of = Undisturbed(template, work, shim, name)
        runs = told = 0
        wrong, calls = [], []
        for kind in kinds:
            calls.append(f"{of.calls[kind]} {kind}")
            more = disturb(template, work, shim, name, of, kind, max(3, points // 4) if name in SLOW else points)
            runs, told, wrong = runs + more[0], told + more[1], wrong + more[2]
        check(not wrong, f"{title}, {name} (exit {of.code}): {', '.join(calls)} calls, {runs} runs, {told} gave up and said so", wrong[:8])


def short_writes(template, work, shim):
    wrong = []
    for name in COMMANDS:
        of = Undisturbed(template, work, shim, name)
        again(template, work)
        done = run(work, of.words, faults="short 7 on", shim=shim)
        now = state(work)
        if done.returncode != of.code or any(now.get(p) != of.after[p] for p in of.after if p in of.repeatable):
            wrong.append(f"{name}: {done.returncode} {done.stderr[-100:]}")
    check(not wrong, f"short writes change nothing in {len(COMMANDS)} commands", wrong)


def full_disk(template, work):
    """A real file system without room, where one can be had."""
    room = f"{work}.room"
    os.makedirs(room, exist_ok=True)
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", room], capture_output=True).returncode:
        check(True, "a full disk # SKIP needs root and mount")
        return
    try:
        wrong = []
        again(template, work)
        for name, words in (("emit", f"emit --to {room}"), ("shard", f"emit --shard 1/1 --to {room}"),
                            ("certify", f"certify --plugin {NINE} --quiet --out {room}/r.jsonl"),
                            ("report", f"report --html {room}/r.html {work}/nine.jsonl"),
                            ("export", f"export --to {room}/e"), ("audit", f"audit --source philox4x32 --bytes 1000000 --night --db {room}/a.db"),
                            ("history", f"history --db {room}/h.db {work}/nine.jsonl"),
                            ("minimize", f"minimize window --plugin {NINE} --yaml {room}/cut.yaml")):
            with open(f"{room}/fill", "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(b"x" * 4096)
                except OSError:
                    pass
            kept = sorted(os.listdir(room))
            done = run(work, words.split())
            left = [n for n in sorted(os.listdir(room)) if n not in kept and os.path.isfile(f"{room}/{n}") and os.path.getsize(f"{room}/{n}")]
            if done.returncode != 3 or b"assay" not in done.stderr or left:
                wrong.append(f"{name}: {done.returncode} {done.stderr[-150:]} left {left}")
        check(not wrong, "on a full disk 8 commands say so, end with 3 and leave no file that looks whole", wrong)
    finally:
        subprocess.run(["umount", room])


def no_permission(template, work):
    """Root may write anywhere, so somebody else runs this."""
    if os.geteuid() or not shutil.which("setpriv"):
        check(True, "a folder without permission # SKIP needs root and setpriv")
        return
    again(template, work)
    os.chmod(work, 0o755)
    wrong = []
    probe = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ASSAY, "--version"]
    if subprocess.run(probe, capture_output=True, cwd="/").returncode:
        check(True, "a folder without permission # SKIP nobody cannot run the program here")
        return
    before = state(work)
    for words in (f"emit --to {work}/out", f"emit --shard 1/1 --to {work}/parts", f"export --to {work}/e", f"new-target acme --to {work}/acme",
                  f"report --html {work}/r.html {work}/nine.jsonl", f"mutants --out {work}/m.jsonl", "emit",
                  f"history --db {work}/cases.db {work}/nine.jsonl", f"audit --source philox4x32 --bytes 1000000 --out {work}/a.json",
                  f"audit --source philox4x32 --bytes 1000000 --night --db {work}/audits.db"):
        done = subprocess.run([*probe[:-2], ASSAY, *words.split()], capture_output=True, cwd="/", env=dict(os.environ, ASSAY_HOME=work))
        if done.returncode not in (2, 3) or b"assay" not in done.stderr:
            wrong.append(f"{words}: {done.returncode} {done.stderr[-150:]}")
    if state(work) != before:
        wrong.append("something was written all the same")
    check(not wrong, "where the folder is another's, 10 commands say so and change nothing", wrong)


def main():
    with tempfile.TemporaryDirectory() as folder:
        shim, template, work = f"{folder}/faults.so", f"{folder}/template", f"{folder}/work"
        built = subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim, "harness/cli/tests/faults.c"], capture_output=True, text=True)
        check(built.returncode == 0, "the library that makes calls fail is built", [built.stderr])
        os.chmod(folder, 0o755)
        prepare(template)
        if built.returncode == 0:
            everywhere(template, work, shim, ["memory"], POINTS, "memory runs out")
            everywhere(template, work, shim, ["write", "sync", "rename", "open"], max(2, POINTS // 5), "calls fail")
            short_writes(template, work, shim)
        full_disk(template, work)
        no_permission(template, work)
    print(f"1..{count}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
