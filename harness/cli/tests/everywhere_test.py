# SPDX-License-Identifier: Apache-2.0
"""What holds of every command, in tables that must be complete: a file to write may be -, standard
output, and holds the same bytes then; where nothing is selected or compared the exit code is 4; and
a word that is nearly right is named. TAP."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given
from tap import check, finish, skip

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
GOOD, NINE = (f"{BUILD}/zoo/{name}.so" for name in ("good", "nine_rounds"))
RNN = f"{BUILD}/zoo/good_rnn.so"  # supports nothing of Philox
SMALL = "harness/cli/tests/fuzz/seeds/suite/small.yaml"
REQUEST = ("op: openvino.range\nattributes: {output_type: f32}\n"
           "inputs: {start: 0.0, stop: %s, step: 0.5}\n")
TESTS = """{"source": "the tests of nobody"}
{"op": "openvino.range", "attributes": {"output_type": "f32"}, "rtol": 0, "atol": 0, \
"inputs": {"start": 0, "stop": 1, "step": 1}, \
"expected": {"output": {"dtype": "f32", "shape": [1], "data": [0]}}}
"""

# What each option that takes a file does with it: command and option, and the words of a run that
# writes it, with {o} for the file. Options that read, and folders, stand below.
WRITES = {
    ("certify", "out"): "certify --plugin {nine} --out {o}",
    ("certify", "html"): "certify --plugin {nine} --html {o}",
    ("certify", "junit"): "certify --plugin {nine} --junit {o}",
    ("certify", "log"): "certify --plugin {nine} --log {o}",
    ("certify", "write-known"): "certify --plugin {nine} --write-known {o}",
    ("report", "summary"): "report --summary {o} {w}/nine.jsonl",
    ("report", "markdown"): "report --markdown {o} {w}/nine.jsonl",
    ("report", "junit"): "report --junit {o} {w}/nine.jsonl",
    ("report", "html"): "report --html {o} {w}/nine.jsonl",
    ("report", "statement"): "report --statement {o} {w}/good.jsonl",
    ("report", "certificate"): "report --certificate {o} --sign {w}/key.pem --plugin {good} "
                               "{w}/good.jsonl",
    ("mutants", "out"): "mutants --out {o}",
    ("score", "out"): "score {w}/tests.jsonl --suite small --out {o}",
    ("score", "records"): "score {w}/tests.jsonl --suite small --records {o}",
    ("minimize", "yaml"): "minimize n-10 --plugin {nine} --yaml {o}",
    ("minimize", "program"): "minimize size-f16-3 --suite {repo}/openvino.random_uniform.yaml "
                             "--target openvino --tries 3 --program {o}",
    ("stream", "chunks"): "stream {w}/stream.yaml --chunks {o}",
    ("tolerance", "out"): "tolerance {w}/stream.yaml --suite {repo}/openvino.range.yaml "
                            "--out {o}",
    ("history", "out"): "history --audit {w}/audits.db --out {o}",
    ("merge", "out"): "merge {w}/parts --out {o}",
    ("audit run", "out"): "audit run --source philox4x32 --bytes 1000000 --out {o}",
    ("audit run", "window"): "audit run --source panel:randu --bytes 16000000 --window {o}",
    ("audit night", "out"): "audit night --source philox4x32 --bytes 1000000 --db {w}/new-{n}.db "
                            "--out {o}",
    ("audit night", "window"): "audit night --source panel:randu --bytes 16000000 --db "
                               "{w}/new-{n}.db --window {o}",
}
READS = {"plugin", "sign", "known", "source", "against", "results", "key", "library", "suite",
         "tool", "operators", "recorded-by"}
DATABASES = {"db", "audit", "night"}

# Nothing to compare, to select or to show: of every command that has exit code 4.
NOTHING = {
    "audit history": "audit history --source chacha20 --db {w}/audits.db",
    "audit laws": "audit laws --source {good}",
    "audit panel": "audit panel --shard 900/999",
    "certify": "certify --plugin {rnn}",
    "certify of no case": "certify --plugin {good} --case nothing-*",
    "diff": "diff {w}/none.jsonl {w}/none.jsonl",
    "emit": "emit --check",
    "explain": "explain --plugin {rnn}",
    "explain of no case": "explain --plugin {nine} --case nothing-*",
    "export": "export --to {w}/exported",
    "findings": "findings --source {w}/findings.yaml --only nothing-*",
    "history": "history --db {w}/none.db",
    "known": "known --against {w}/unsupported.jsonl --known {w}/known.yaml",
    "list": "list cases nothing-*",
    "merge": "merge {w}/no-parts --out {o}",
    "minimize": "minimize nothing --plugin {nine}",
    "mutants": "mutants --case nothing-*",
    "record": "record --plugin {rnn} --to {w}/recorded",
    "report": "report {w}/unsupported.jsonl",
    "run": "run n-10 --plugin {rnn}",
    "run of no case": "run nothing --plugin {nine}",
    "score": "score {w}/nobody.jsonl --suite small",
    "show": "show nothing",
    "stream": "stream {w}/empty.yaml",
    "targets": "targets",
}
WITHOUT_SUITES = {"emit", "export", "targets"}  # in a tree that has none, nor targets


def assay(words, home, program=ASSAY, **more):
    return subprocess.run([program, *words], capture_output=True, check=False, cwd=home,
                          env=dict(os.environ, ASSAY_HOME=home, SOURCE_DATE_EPOCH="1767225600"),
                          **more)


def help_of(command):
    return subprocess.run([ASSAY, *command.split(), "--help"], capture_output=True, text=True,
                          check=False).stdout


def parts_of(text):
    return re.findall(r"^  ([a-z-]+) ", text.partition("\nParts:\n")[2].partition("\n\n")[0],
                      re.MULTILINE)


def all_commands():
    for command in re.findall(r"^  ([a-z-]+) +\S", help_of(""), re.MULTILINE):
        parts = parts_of(help_of(command))
        yield from [f"{command} {part}" for part in parts] or [command]


def options_of(command):
    """Of each option its name and what its value is called."""
    text = help_of(command).partition("\nOptions:\n")[2].partition("\nExit codes:\n")[0]
    return re.findall(r"^  --([a-z-]+)(?: ([A-Z]\S*))?", text, re.MULTILINE)


def prepare(work):
    for folder in ("yaml/suites", "vectors/golden", "bare/yaml/suites"):
        os.makedirs(f"{work}/{folder}")
    shutil.copy(SMALL, f"{work}/yaml/suites/small.yaml")
    os.symlink(os.path.abspath("harness"), f"{work}/harness")
    for name, text in (("stream.yaml", REQUEST % "200000.0"), ("empty.yaml", REQUEST % "0.0"),
                       ("tests.jsonl", TESTS),
                       ("nobody.jsonl", '{"source": "x", "operations": ["philox"]}\n'),
                       ("known.yaml", "known: []\n"),
                       ("findings.yaml", "findings: []\n")):
        with open(f"{work}/{name}", "w") as file:
            file.write(text)
    for words in ("emit --write", f"certify --plugin {NINE} --out {work}/nine.jsonl",
                  f"certify --plugin {GOOD} --out {work}/good.jsonl",
                  f"certify --plugin {RNN} --out {work}/unsupported.jsonl",
                  f"certify --plugin {NINE} --case nothing-* --out {work}/none.jsonl",
                  f"certify --plugin {NINE} --shard 1/1 --to {work}/parts",
                  f"certify --plugin {NINE} --shard 1/1 --case nothing-* --to {work}/no-parts",
                  "audit night --source philox4x32 --bytes 1000000 --threads 1 --db audits.db"):
        assay(words.split(), work)
    given.keys(work)


def words_of(line, work, out="", number=0):
    return line.format(w=work, o=out, n=number, good=GOOD, nine=NINE, rnn=RNN,
                       repo=os.path.abspath("yaml/suites")).split()


def without_times(content):
    """Times, and the name of the file, which some results tell."""
    return re.sub(rb'\d+(\.\d+)? (s|ms|seconds)\b|"(time|seconds)": ?[0-9.e-]+|/dev/fd/\d+'
                  rb"|(?<=suite: )\w+|file\.x", b"", content)


def standard_output(work):
    for number, ((command, option), line) in enumerate(WRITES.items()):
        path = f"{work}/file.x"
        whole = assay(words_of(line, work, path, 2 * number), work)
        if option == "program" and b"is not installed" in whole.stderr:
            skip("minimize --program", "OpenVINO is not here")
            continue
        if not check(os.path.exists(path), f"{command} --{option} writes a file", whole):
            continue
        with open(path, "rb") as file:
            content = file.read()
        os.remove(path)
        done = assay(words_of(line, work, "-", 2 * number + 1), work)
        check(content and done.returncode == whole.returncode != 2
              and without_times(done.stdout) == without_times(content)
              and not os.path.exists(f"{work}/-"),
              f"{command} --{option} - writes {len(content)} bytes to standard output", done)


def all_files(commands):
    said = {(command, name) for command in commands for name, value in options_of(command)
            if re.match(r"FILE|PATH|KEY", value) and name not in READS | DATABASES}
    check(said == set(WRITES), f"those are all {len(WRITES)} options that write a file",
          said ^ set(WRITES))


def nothing(work, commands):
    said = {command for command in commands
            if re.search(r"^  4  ", help_of(command).partition("\nExit codes:\n")[2], re.MULTILINE)}
    rows = {name.partition(" of no case")[0] for name in NOTHING}
    check(said == rows, f"{len(said)} commands name exit code 4", said ^ rows)
    for name, line in NOTHING.items():
        home, program = work, ASSAY
        if name in WITHOUT_SUITES:
            home, program = f"{work}/bare", shutil.copy(ASSAY, f"{work}/bare/assay")
        done = assay(words_of(line, work, f"{work}/out"), home, program)
        check(done.returncode == 4, f"{name}: nothing is exit code 4", done)


def nearly(commands):
    for command in commands:
        for name, _ in options_of(command):
            wrong = f"--{name[:-1]}" if len(name) > 4 else f"--{name}x"
            done = subprocess.run([ASSAY, *command.split(), wrong], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 2 or f"did you mean --{name}?" not in done.stderr:
                check(False, f"{command} {wrong} is nearly --{name}", done)
                break
        else:
            check(True, f"{command}: each option is named to who nearly writes it")


with tempfile.TemporaryDirectory() as place:
    every = list(all_commands())
    check(len(every) > 24, f"there are {len(every)} commands and parts", every)
    prepare(place)
    all_files(every)
    standard_output(place)
    nothing(place, every)
    nearly(every)
finish()
