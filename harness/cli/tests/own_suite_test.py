# SPDX-License-Identifier: Apache-2.0
"""A suite of one's own: its vectors lie beside it, and nothing is written where assay's lie. It is
certified, signed, verified and shown as any other, by its path."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import blocks, keys, small_suite  # noqa: E402
from tap import check, expect, finish  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))
WRONG = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "zoo", "nine_rounds.so"))
CASES = blocks(1, 2, 3)


def assay(*arguments, cwd):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, cwd=cwd,
                          check=False)


def tree():
    return {name: os.stat(os.path.join(folder, name)).st_mtime_ns
            for folder in ("vectors", "vectors/golden", "yaml/suites")
            for name in os.listdir(folder)}


before = tree()
with tempfile.TemporaryDirectory() as folder:
    private, public = keys(folder)
    os.mkdir(f"{folder}/suites")
    suite = "suites/small.yaml"
    with open(f"{folder}/{suite}", "w") as file:
        file.write(small_suite("R1") + CASES)
    target = ("--target", "reference", "--suite", suite)

    expect(assay("certify", *target, cwd=folder), 0,
           ["small has no golden vectors", f"assay emit --suite {suite} --write makes them"],
           "a suite without vectors is told so, and how to make them")
    expect(assay("emit", "--suite", suite, cwd=folder), 1, ["no case of 3 is kept yet"],
           "what emit would write is named first")
    expect(assay("emit", "--suite", suite, "--write", cwd=folder), 0, ["3 cases, 3 new"],
           "emit writes its vectors")
    check(sorted(os.listdir(f"{folder}/suites/vectors")) ==
          ["SHA256SUMS", "small.jsonl", "small.safetensors"],
          "its vectors lie in a folder beside it")
    expect(assay("emit", "--check", "--suite", suite, cwd=folder), 0, ["nothing differs"],
           "emit finds them there")

    done = assay("certify", *target, "--sign", private, "--out", "r.jsonl", cwd=folder)
    expect(done, 0, ["conforms: 3 of 3 cases", "certificate: r.certificate.jsonl"],
           "it is certified and signed")
    check("golden vectors" not in done.stdout, "and held against its vectors", done)
    assay("certify", "--plugin", WRONG, "--suite", suite, "--html", "p.html", cwd=folder)
    with open(f"{folder}/p.html") as file:
        page = file.read()
    check(all(f"assay {command} block-1 --suite {suite}" in page for command in ("run", "show")),
          "the page's commands ask for it by its path")
    expect(assay("show", "block-2", "--suite", suite, cwd=folder), 0,
           [f"assay run block-2 --suite {suite} --target NAME"],
           "and so do those that show prints")
    verify = ("verify", "--key", public, "r.certificate.jsonl")
    expect(assay(*verify, cwd=folder), 1, ["say where with --suite PATH"],
           "a certificate says where to name it")
    expect(assay(*verify, "--suite", suite, "--rerun", "3", cwd=folder), 0,
           ["unchanged vectors/golden/small.safetensors", "again     small/block-3",
            "The certificate holds"], "a certificate over it is verified, and run again")
    expect(assay("report", "--certificate", "c.jsonl", "--sign", private, "--target",
                 "reference", "r.jsonl", cwd=folder), 0, [],
           "results of it are signed later")

    with open(f"{folder}/suites/vectors/small.jsonl") as file:
        lines = file.read().splitlines()
    kept = json.loads(lines[1])
    with open(f"{folder}/suites/vectors/small.jsonl", "a") as file:
        file.write(" ")
    expect(assay(*verify, "--suite", suite, cwd=folder), 1,
           ["CHANGED   vectors/golden/small.jsonl"],
           "its vectors are those that were certified, or the certificate does not hold")
    check(kept["id"] == "block-1", "the manifest names its cases", kept)

    with open(f"{folder}/{suite}", "a") as file:
        file.write("# another text\n")
    expect(assay("certify", *target, cwd=folder), 2, ["emit --suite"],
           "a suite that is not the one of its vectors is refused")
check(tree() == before, "nothing was written where assay's own lie")
finish()
