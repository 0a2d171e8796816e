# SPDX-License-Identifier: Apache-2.0
"""The texts against the suites: each line of a text belongs to a row of its table in statements/,
each row names requirements, each requirement is covered or says why not, and loses its cover when
its cases are taken out. With ASSAY_SPECS, the folder of the texts, their digests are checked too.

A row: first and last line, or `silent` for what the text does not speak of | requirements, `-` for
a heading | the statement in our words."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, checked, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "statements")
SPECS = os.environ.get("ASSAY_SPECS")
TABLES = ("directml.random_generator", "jax.random", "onednn.rnn", "onnx.random",
          "onnx.range", "openvino.random_uniform", "openvino.range")


def read(name):
    with open(os.path.join(FOLDER, name + ".txt"), encoding="utf-8") as lines:
        lines = [line.rstrip("\n") for line in lines if not line.startswith("#")]
    text, count = re.fullmatch(r"text: (\S+), (\d+) lines", lines[0]).groups()
    digest = re.fullmatch(r"sha256: ([0-9a-f]{64})", lines[1]).group(1)
    assert lines[2].startswith("suites: "), name
    rows = []
    for line in lines[3:]:
        where, ids, says = (part.strip() for part in line.split(" | "))
        assert says, line
        rows.append((where, [] if ids == "-" else ids.split(", "), says))
    return text, int(count), digest, lines[2].split()[1:], rows


def holes(rows, count):
    """Lines that no row has, or that two have."""
    found, expected = [], 1
    for where, _, _ in rows:
        if where == "silent":
            continue
        first, last = map(int, where.split("-"))
        if first != expected or last < first:
            found.append(f"line {expected}, not {where}")
        expected = last + 1
    return found + ([f"line {expected} of {count}"] if expected != count + 1 else [])


def requirements(suite):
    """A suite by name or path; what the reader says where it refuses it."""
    run = subprocess.run([ASSAY, "list", "requirements", "--json", "--suite", suite],
                         capture_output=True, text=True)
    if run.returncode:
        return None, run.stderr
    return {r["requirement"]: r for r in map(json.loads, run.stdout.splitlines())}, ""


def without(text, requirement):
    """The suite without the cases that name the requirement, and without errata, which name cases.
    Blocks of cases begin with `  - id:`; one with anchors or aliases stays, and covers something
    else."""
    head, cases = text.split("\ncases:\n")
    head = re.sub(r"\nerrata:\n(  .*\n?)*", "\n", head)
    head, after, shared = (*re.split(r"(\n(?:choices|shared):\n)", head, maxsplit=1), "", "")[:3]
    blocks = re.split(r"(?m)^(?=  - id: )", cases)
    named = re.compile(rf"\b{re.escape(requirement)}(?![\w-])")
    kept = []
    for block in blocks:
        if not named.search(block):
            kept.append(block)
        elif re.search(r" \[?[&*]\w", block):
            kept.append(named.sub("OTHER", block))
    before, shared = (shared, blocks), named.sub("OTHER", shared)
    if any("OTHER" in block for block in [shared, *kept]):
        head = head.replace("\nrequirements:\n", "\nrequirements:\n  OTHER: {text: other}\n", 1)
    assert (shared, kept) != before, requirement
    return head + after + shared + "\ncases:\n" + "".join(kept)


def drop(text, requirement):
    return re.sub(rf"(?m)^  {re.escape(requirement)}:.*\n(    .*\n)*", "", text, count=1)


def loses_cover(text, requirement, path):
    """Takes the cases out; requirements that lose their cover with it are dropped on the way."""
    text = without(text, requirement)
    for _ in range(50):
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        listed, why = requirements(path)
        named = re.search(r"no case covers requirement (\S+);", why)
        if listed is not None or not named:
            return False, why or "it is still covered"
        if named.group(1) == requirement:
            return True, ""
        text = drop(text, named.group(1))
    return False, "too many others lose theirs"


@checked("a table with a line left out, or a line twice, is found")
def _():
    row = [("1-2", [], "a"), ("3-5", [], "b")]
    assert not holes(row, 5)
    assert holes(row, 6) and holes(row[1:], 5) and holes(row[:1] + row, 5)


@checked("a requirement that is still covered does not pass for one that lost its cover")
def _():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "philox.yaml")
        text = open("yaml/suites/philox.yaml", encoding="utf-8").read()
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        assert requirements(path)[0]
        assert loses_cover(text, "PX-REFUSED", path)[0]


def check_table(name):
    text, count, digest, suites, rows = read(name)
    known = {}
    for suite in suites:
        listed, why = requirements(suite)
        assert listed is not None, why
        for key, value in listed.items():
            known.setdefault(key, []).append(value)
    assert not holes(rows, count), holes(rows, count)
    named = {r for _, ids, _ in rows for r in ids}
    assert named <= set(known), f"no suite has {sorted(named - set(known))}"
    stated = {key for key, values in known.items() if any(v.get("clause") for v in values)}
    assert stated <= named, f"no statement names {sorted(stated - named)}"
    assert all(v["cases"] or v.get("untested") for values in known.values() for v in values)
    if SPECS:
        content = open(os.path.join(SPECS, text), "rb").read()
        assert hashlib.sha256(content).hexdigest() == digest, text
        assert len(content.decode().split("\n")) - content.endswith(b"\n") == count, text


for name in TABLES:
    checked(f"{name}: each line of its text is a statement of a requirement, or a heading")(
        lambda name=name: check_table(name))


def check_suite(name, folder):
    text = open(f"yaml/suites/{name}.yaml", encoding="utf-8").read()
    listed, why = requirements(name)
    assert listed, why
    covered = [key for key, value in listed.items() if value["cases"]]
    path = os.path.join(folder, name + ".yaml")
    tried = [(key, *loses_cover(text, key, path)) for key in covered]
    return len(covered), [f"{key}: {why}" for key, lost, why in tried if not lost]


for name in sorted(f[:-5] for f in os.listdir("yaml/suites") if f.endswith(".yaml")):
    with tempfile.TemporaryDirectory() as folder:
        count, kept = check_suite(name, folder)
    check(not kept, f"{name}: each of {count} requirements loses its cover with its cases", kept)

finish()
