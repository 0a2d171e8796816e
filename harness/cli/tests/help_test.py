# SPDX-License-Identifier: Apache-2.0
"""What the command line says of itself: help of at most 80 columns for every command and part,
what each exit code means there, other ways of asking, and what was probably meant. TAP."""

import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")


def assay(*words, **more):
    return subprocess.run([ASSAY, *words], capture_output=True, text=True, check=False, **more)


def parts_of(command):
    listed = assay(command, "--help").stdout.partition("\nParts:\n")[2].partition("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", listed, flags=re.M)


overview = assay("--help")
commands = re.findall(r"^  ([a-z-]+) +\S", overview.stdout, flags=re.M)
check(overview.returncode == 0 and len(commands) > 19, "the overview lists the commands", overview)
check(all(len(line) <= 80 for line in overview.stdout.splitlines()), "within 80 columns", overview)
check(parts_of("audit") == ["run", "night", "history", "panel", "laws", "write"],
      "audit has six parts", parts_of("audit"))

everything = [[c] for c in commands] + [[c, p] for c in commands for p in parts_of(c)]
for words in everything:
    done = assay(*words, "--help")
    name = " ".join(words)
    wide = [line for line in done.stdout.splitlines() if len(line) > 80 or line != line.rstrip()]
    check(done.returncode == 0 and not done.stderr and not wide,
          f"{name} --help keeps to 80 columns", wide or done)
    exits = done.stdout.partition("\nExit codes:\n")[2]
    codes = re.findall(r"^  (\d)  \S", exits, flags=re.M)
    check({"0", "2", "3"} <= set(codes) and codes == sorted(codes),
          f"{name} --help says what its exit codes mean", exits)
    options = done.stdout.partition("\nOptions:\n")[2].partition("\nExit codes:\n")[0]
    check(all(re.match(r"  --[a-z-]+( \S+)?(  +\S|$)| {25}\S", line)
              for line in options.splitlines() if line),
          f"{name} --help lists options in two columns", options)
    same = [assay("help", *words).stdout, assay(*words, "-h").stdout]
    check(same == [done.stdout] * 2, f"help {name} and {name} -h say the same", same)

check([assay(w).stdout for w in ("-h", "help")] == [overview.stdout] * 2, "so do -h and help")
versions = [assay(w) for w in ("--version", "version", "-V")]
check(len({v.stdout for v in versions}) == 1 and re.fullmatch(r"assay \S+\n", versions[0].stdout),
      "--version, -V and version name the version", versions[0])

MEANT = (
    (["certfy"], 2, "did you mean 'certify'?"),
    (["help", "certfy"], 2, "did you mean 'certify'?"),
    (["audit", "pannel"], 2, "did you mean 'panel'?"),
    (["certify", "--taget", "x"], 2, "did you mean --target?"),
    (["emit", "-check"], 2, "did you mean --check?"),
    (["audit", "--source", "philox4x32", "--thread=1"], 2, "did you mean --threads?"),
    (["targets", "--hepl"], 2, "did you mean --help?"),
    (["certify", "--target", "referense"], 2, "did you mean 'reference'?"),
    (["explain", "--target", "referense"], 2, "did you mean 'reference'?"),
    (["certify", "--target", "reference", "--suite", "philx"], 2, "did you mean 'philox'?"),
    (["list", "caes"], 2, "did you mean 'cases'?"),
    (["list", "operations", "philx"], 4, "did you mean 'philox'?"),
    (["list", "suites", "directml.random_genrator"], 4, "'directml.random_generator'?"),
    (["show", "exmple-1"], 4, "did you mean 'example-1'?"),
    (["run", "exmple-1", "--target", "reference"], 4, "did you mean 'example-1'?"),
    (["minimize", "exmple-1", "--target", "reference"], 4, "did you mean 'example-1'?"),
    (["explain", "exmple-1", "--target", "reference"], 4, "did you mean 'example-1'?"),
    (["audit", "--source", "philox4x23"], 2, "did you mean 'philox4x32'?"),
    (["audit", "--source", "jax.bts"], 2, "did you mean 'jax.bits'?"),
    (["audit", "--source", "reference:jax.bts"], 2, "did you mean 'jax.bits'?"),
    (["audit", "--source", "panel:splitmx64"], 2, "did you mean 'splitmix64'?"),
)
for words, code, meant in MEANT:
    done = assay(*words)
    check(done.returncode == code and meant in done.stderr and not done.stdout,
          f"{' '.join(words)}: {meant}", done)
for words in (["banana"], ["certify", "--banana"], ["certify", "--target", "banana"],
              ["certify", "-"], ["show", "banana-split-with-cream"]):
    done = assay(*words)
    check(done.returncode in (2, 4) and "did you mean" not in done.stderr,
          f"{' '.join(words)}: nothing is near", done)
done = assay("eval", "-", input="op: philx\n")
check(done.returncode == 2 and "did you mean 'philox'?" in done.stdout, "eval: an operation", done)
done = assay("eval", "-", input="op: philox\nimputs: {}\n")
check(done.returncode == 2 and "did you mean 'inputs'?" in done.stdout, "eval: a key", done)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "small.yaml")
    with open(path, "w") as file:
        file.write("suite: small\nversion: 1.0.0\nrequirments: {}\n")
    done = assay("list", "cases", "--suite", path)
    check(done.returncode == 2 and "did you mean 'requirements'?" in done.stderr,
          "a suite: a key", done)
finish()
