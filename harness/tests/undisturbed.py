# SPDX-License-Identifier: Apache-2.0
"""Every command on a folder of its own, and what it does when nothing disturbs it: what it prints,
its exit code, the files that it leaves, and how many calls of each kind it makes. For the tests
that let its calls fail, and those that kill it."""
import functools
import hashlib
import os
import re
import shutil
import subprocess
import time

import given

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
SMALL = "harness/cli/tests/fuzz/seeds/suite/small.yaml"
FINDINGS = """findings:
  - {name: seen, title: t, target: nobody, library: nobody, version: "1.0", input: i,
     expected: "1", got: "2"}
  - {name: cured, title: t, target: random123, suite: small, case: n-10}
"""
KNOWN = """known:
  - {target: nine_rounds, suite: small, case: "n-1?", verdict: fail, in_words: nine,
     why: "one round is missing"}
"""
NINE = f"{BUILD}/zoo/nine_rounds.so"
GOOD = f"{BUILD}/zoo/good.so"
PLUGINS = {"nine": NINE, "good": GOOD, "random123": f"{BUILD}/targets/random123.so"}
REQUEST = ("op: openvino.range\nattributes: {output_type: f32}\n"
           "inputs: {start: 0.0, stop: 5.0, step: 0.5}\n")
TABLE = "inputs.x:f64,expected.y:f64\n1,1\n2,4\n"
TESTS = """{"source": "nobody's tests"}
{"id": "a", "op": "philox", "attributes": {"words": 4, "width": 32, "rounds": 10}, "inputs":
 {"counter": {"dtype": "u32", "data": [1, 2, 3, 4]}, "key": {"dtype": "u32", "data": [5, 6]}},
 "expected": {"output": {"dtype": "u32", "shape": [4], "data": [1, 2, 3, 4]}},
 "rtol": 0, "atol": 0}
""".replace("\n ", " ")
LINES = """{"cases": "small"}
{"case": "n-10", "suite": "small"}
{"case": "refused", "suite": "small"}
{"check": "n-10", "suite": "small", "outputs": {"output": {"dtype": "u32", "data": [1, 2, 3, 4]}}}
{"tolerance": {"op": "philox", "inputs": {"counter": [1, 2, 3, 4], "key": [5, 6]}}}
""".replace("\n ", " ")


# What is run, with {w} for the working folder, on a copy of the folder that `prepare` makes. A name
# that ends with "elsewhere" has another tree for its suites and vectors.
COMMANDS = {
    "emit": "emit --write", "emit --check": "emit --check",
    "emit --reason elsewhere": "emit --reason changed", "emit --to": "emit --to {w}/out",
    "emit --shard": "emit --shard 1/2 --to {w}/new",
    "merge of vectors": "merge {w}/vectors.parts --out {w}/out", "eval": "eval {w}/request.yaml",
    "stream": "stream {w}/stream.yaml --chunks {w}/new",
    "stream --against": "stream {w}/stream.yaml --against {w}/kept", "list": "list cases",
    "list operations": "list operations", "targets": "targets",
    "list requirements": "list requirements --json", "list errata": "list errata",
    "list choices": "list choices --killed",
    "list mappings": "list mappings", "show": "show window", "run": "run n-10 --plugin %(nine)s",
    "run of what passes": "run n-10 --plugin %(random123)s",
    "certify": "certify --plugin %(nine)s --quiet --out {w}/new.jsonl",
    "certify --known": "certify --plugin %(nine)s --quiet --known {w}/known.yaml --requirements",
    "certify --sign": "certify --plugin %(good)s --quiet --out {w}/sealed.jsonl --sign {w}/key.pem",
    "certify --sign, refused": "certify --plugin %(nine)s --quiet --out {w}/refused.jsonl --sign "
                               "{w}/key.pem",
    "certify --jobs": "certify --plugin %(good)s --quiet --jobs 2 --out {w}/new.jsonl",
    "certify --shard": "certify --plugin %(nine)s --quiet --shard 1/2 --to {w}/new",
    "merge of a certification": "merge {w}/certify.parts --out {w}/new.jsonl",
    "explain": "explain --plugin %(nine)s",
    "minimize": "minimize window --plugin %(nine)s --yaml {w}/cut.yaml",
    "findings": "findings --write",
    "findings --check": "findings --check", "mutants": "mutants --out {w}/new.jsonl",
    "diff": "diff {w}/good.jsonl {w}/nine.jsonl",
    "report": "report --html {w}/r.html --junit {w}/r.xml --markdown {w}/r.md {w}/nine.jsonl",
    "report --certificate": "report --certificate {w}/new.cert --sign {w}/key.pem --plugin "
                            "%(good)s {w}/good.jsonl",
    "report --statement": "report --statement {w}/new.statement {w}/nine.jsonl",
    "verify": "verify --key {w}/key.pem --plugin %(good)s {w}/cert",
    "certify --recorded": "certify --recorded {w}/recorded --quiet --out {w}/new.jsonl",
    "record": "record --plugin %(nine)s --quiet --to {w}/new",
    "import": "import {w}/table.csv --to {w}/made.yaml --by nobody --op acme.square",
    "tolerance": "tolerance {w}/block.yaml --out {w}/new.safetensors",
    "eval of what is declared": "eval --bounds {w}/softmax.yaml",
    "serve": "serve", "score": "score {w}/tests.jsonl --out {w}/new.md --records {w}/new.jsonl",
    "known": "known --against {w}/nine.jsonl --known {w}/known.yaml",
    "export --requests": "export --requests {w}/new",
    "export": "export --to {w}/new", "new-target": "new-target acme --to {w}/acme",
    "init": "init {w}/project",
    "history, adding": "history --db {w}/cases.db {w}/nine.jsonl",
    "history, listing": "history --db {w}/cases.db",
    "history --audit": "history --audit {w}/audits.db --out {w}/new.jsonl",
    "audit": "audit --source philox4x32 --bytes 1000000 --threads 1 --out {w}/audit.json",
    "audit --shard": "audit --source philox4x32 --bytes 12000000 --threads 1 --shard 1/2 --to "
                     "{w}/new",
    "merge of an audit": "merge {w}/audit.parts --out {w}/new.json",
    "audit --night": "audit --source philox4x32 --bytes 1000000 --threads 1 --night --db "
                     "{w}/audits.db",
    "audit --history": "audit --history --db {w}/audits.db",
}
# These refuse to write over what they wrote, which is whole.
ONCE = {"new-target", "init", "import"}
SLOW = {"audit", "audit --shard", "audit --night", "merge of an audit"}


def arguments(name, work):
    return (COMMANDS[name] % PLUGINS).replace("{w}", work).split()


def surroundings(home):
    return dict(os.environ, ASSAY_HOME=home, ASSAY_THREADS="1", SOURCE_DATE_EPOCH="1767225600")


def run(work, words, faults=None, counts=None, shim=None, elsewhere=False, **more):
    environment = surroundings(work + ("/elsewhere" if elsewhere else ""))
    if faults or counts:
        environment.update(LD_PRELOAD=shim, ASSAY_FAULTS=faults or "", ASSAY_FAULTS_COUNT=counts
                           or "")
    if words == ["serve"]:
        with open(f"{work}/lines.jsonl", "rb") as lines:
            more["input"] = lines.read()
    return subprocess.run([ASSAY, *words], env=environment, capture_output=True, timeout=1800,
                          **more)


def prepare(work):
    for folder in ("yaml/suites", "vectors/golden", "harness", "out", "scripts", "reports/findings",
                   "elsewhere/yaml/suites", "elsewhere/vectors/golden"):
        os.makedirs(f"{work}/{folder}")
    with open(SMALL) as file:
        small = file.read()
    for name, text in (("yaml/suites/small.yaml", small),
                       ("reports/findings/findings.yaml", FINDINGS), ("known.yaml", KNOWN),
                       ("table.csv", TABLE), ("tests.jsonl", TESTS), ("lines.jsonl", LINES),
                       ("refused.certificate.jsonl", "of older results\n"),
                       ("elsewhere/yaml/suites/small.yaml", small)):
        with open(f"{work}/{name}", "w") as file:
            file.write(text)
    run(work, ["emit", "--write"], elsewhere=True)
    with open(f"{work}/elsewhere/yaml/suites/small.yaml", "w") as file:
        file.write(small.replace("rounds: $n", "rounds: 8"))
    for folder in ("scripts/package", "harness/python/assay"):
        shutil.copytree(folder, f"{work}/{folder}", ignore=shutil.ignore_patterns("__pycache__"))
    with open(f"{work}/request.yaml", "w") as file:
        file.write(REQUEST)
    with open(f"{work}/block.yaml", "w") as file:
        file.write("op: philox\ninputs: {counter: {dtype: u32, data: [1, 2, 3, 4]},"
                   " key: {dtype: u32, data: [5, 6]}}\n")
    os.mkdir(f"{work}/yaml/operators")
    shutil.copy("yaml/operators/onnx.softmax.yaml", f"{work}/yaml/operators")
    with open(f"{work}/softmax.yaml", "w") as file:
        file.write("op: onnx.softmax\ninputs: {input: {dtype: f32, shape: [2, 3],"
                   " data: [1, 2, 3, 4, 5, 0.5]}}\n")
    with open(f"{work}/stream.yaml", "w") as file:
        file.write(REQUEST.replace("5.0", "200000.0"))
    given.keys(work)
    for words in (
            f"certify --plugin {NINE} --quiet --out {work}/nine.jsonl",
            f"certify --plugin {GOOD} --quiet --out {work}/good.jsonl",
            f"record --plugin {NINE} --quiet --to {work}/recorded",
            f"report --certificate {work}/cert --sign {work}/key.pem --plugin {GOOD} "
            f"{work}/good.jsonl",
            f"history --db {work}/cases.db {work}/good.jsonl",
            f"audit --source philox4x32 --bytes 1000000 --threads 1 --night --db {work}/audits.db",
            f"stream {work}/stream.yaml --chunks {work}/kept",
            *(f"audit --source philox4x32 --bytes 1000000 --shard {i}/2 --to {work}/audit.parts"
              for i in (1, 2)), *(f"emit --shard {i}/2 --to {work}/vectors.parts" for i in (1, 2)),
            *(f"certify --plugin {NINE} --quiet --shard {i}/2 --to {work}/certify.parts"
              for i in (1, 2))):
        run(work, words.split())


ANSWERS = {}


def answers(path):
    """What a database says when it is asked; the same bytes are asked once."""
    files = [path + suffix for suffix in ("", "-wal", "-journal") if os.path.exists(path + suffix)]
    key = (os.path.basename(path), *(held(name).digest for name in files))
    if key not in ANSWERS:
        command = "audit --history --db " if path.endswith("audits.db") else "history --db "
        done = run(os.path.dirname(path), (command + path).split())
        ANSWERS[key] = (done.returncode, done.stdout)
    return ANSWERS[key]


class Held:
    """A file's content, and what tells that nobody wrote it since."""

    def __init__(self, path):
        self.traits = traits(path)
        with open(path, "rb") as file:
            self.content = file.read()

    @functools.cached_property
    def digest(self):
        return hashlib.sha256(self.content).digest()


COPIES = {}  # path of a copy of the template's file: what it holds


def traits(path):
    """A copy is as old as its template; whoever writes it makes it younger."""
    status = os.stat(path)
    return status.st_ino, status.st_size, status.st_mtime_ns


def held(path):
    copy = COPIES.get(path)
    return copy if copy and copy.traits == traits(path) else Held(path)


def files_in(folder):
    return [entry.path for entry in entries_in(folder) if not entry.is_dir(follow_symlinks=False)]


def entries_in(folder):
    """What lies in a folder and in those below it, the outer before the inner."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from entries_in(entry.path)


def state(work):
    """Every file with its bytes; of a database what it answers, since SQLite lays it out as it
    likes."""
    return {path: answers(path) if path.endswith(".db") else held(path).content
            for path in files_in(work) if not path.endswith((".db-wal", ".db-shm", ".db-journal"))}


def plain(output):
    """Without times."""
    return re.sub(rb"\d+\.\d+ s\b|\d+ ms\b|in \d+ s|[0-9.]+ seconds", b"", output)


@functools.cache
def of_template(template):
    """Where its folders lie in it, its files, and both."""
    entries = {entry.path[len(template):]: entry.is_dir() for entry in entries_in(template)}
    folders = [at for at in entries if entries[at]]
    return folders, [at for at in entries if not entries[at]], entries.keys()


def again(template, work):
    """Makes the working folder what the template is; what nobody wrote stays."""
    folders, files, kept = of_template(template)
    os.makedirs(work, exist_ok=True)
    there = {entry.path[len(work):]: entry for entry in entries_in(work)}
    for at in reversed([at for at in there if at not in kept]):
        os.rmdir(work + at) if there[at].is_dir(follow_symlinks=False) else os.remove(work + at)
    for at in folders:
        if at not in there:
            os.mkdir(work + at)
    for at in files:
        copy = work + at
        if at not in there or COPIES[copy].traits != traits(copy):
            shutil.copy2(template + at, copy)
            COPIES[copy] = Held(copy)


class Undisturbed:
    """What a command does when nothing fails: output, exit code, files, and how many calls of each
    kind it makes."""

    def __init__(self, template, work, shim, name):
        self.name, self.words = name, arguments(name, work)
        self.elsewhere = name.endswith("elsewhere")
        again(template, work)
        self.before = state(work)
        counts = f"{work}.counts"
        done = run(work, self.words, counts=counts, shim=shim, elsewhere=self.elsewhere)
        self.code, self.output, self.errors = done.returncode, plain(done.stdout), done.stderr
        self.after = state(work)
        with open(counts) as file:
            lines = [line.split() for line in file]
        self.calls = {line[0]: int(line[1]) for line in lines if line[0] != "stack"}
        stacks = [(line[1], int(line[2]), int(line[3])) for line in lines if line[0] == "stack"]
        self.sites = {}  # of each the first and the last call
        for site, *calls in stacks:
            calls += self.sites.get(site, [])
            self.sites[site] = [min(calls), max(calls)]
        self.stacks = sorted({call for _, *calls in stacks for call in calls})
        # Repeatable files can be compared after a repetition; others (times in a page, the second
        # of a record) cannot.
        again(template, work)
        start = time.monotonic()
        run(work, self.words, elsewhere=self.elsewhere)
        self.seconds = time.monotonic() - start
        second = state(work)
        self.repeatable = {path for path in second if second[path] == self.after.get(path)
                           and not path.endswith("/record.jsonl")}
