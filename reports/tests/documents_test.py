# SPDX-License-Identifier: Apache-2.0
"""What documents say is so: commands run, links lead somewhere, functions and numbers are there.

A block marked `sh` is run line by line from the top of the tree. `sh make` holds targets of the
Makefile, which are only looked for (they would start this test again). `sh root` holds commands
that change the machine; they are not run. `sh 1` holds commands that exit with 1, and so on, since
that is what they show. Other blocks hold no commands. Pages of findings have a test of their own.
"""

import collections
import fnmatch
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
WIDTH = 100
NEEDED = {"README.md", "harness/GLOSSARY.md", "harness/ARCHITECTURE.md", "ref/COUSINS.md"}
NEEDED |= {f"{room}/README.md" for room in
           ("harness", "ref", "reports", "scripts", "stats", "vectors", "yaml")}


def makefile_targets():
    text = "".join(open(name).read() for name in ("Makefile", "scripts/package/install.mk"))
    return set(re.findall(r"^([a-z-]+):", text, flags=re.M))


def run_block(document, kind, block, targets):
    for command in re.sub(r"\\\n\s*", "", block).splitlines():
        if not command.strip() or command.startswith("#"):
            continue
        name = f"{document}: {command[:90]}"
        if kind == "make":
            wanted = {word for word in command.split()[1:] if "=" not in word}
            check(command.startswith("make ") and wanted <= targets, f"{name}: a make target")
        elif kind == "root":
            skip(name, "changes the machine")
        else:
            script = "set -o pipefail; " + re.sub(r"\bbuild/", BUILD + "/", command)
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True,
                                  timeout=1800, check=False)
            check(done.returncode == int(kind or 0), name,
                  done.stdout[-400:] + done.stderr[-800:])


def anchors(path):
    """The anchors of a document's headings, as they are made of the headings' words."""
    with open(path) as file:
        heads = re.findall(r"^#+ (.*)$", file.read(), flags=re.M)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def check_links(document, text):
    for link in re.findall(r"\]\(([^)]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        path = os.path.join(os.path.dirname(document), path) if path else document
        there = os.path.exists(path) and (not anchor or anchor in anchors(path))
        check(there, f"{document}: {link} is there")


def check_width(document, text):
    """Prose is wrapped; tables, blocks, and a line that is one word or one link need not be."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M).splitlines()
    wide = [line for line in prose if len(line) > WIDTH and " " in line.strip()
            and not line.startswith("|") and not line.startswith("![")]
    check(not wide, f"{document}: prose is wrapped at {WIDTH} columns", wide)


def check_document(document, targets):
    with open(document) as file:
        text = file.read()
    for kind, block in re.findall(r"^```sh *(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        run_block(document, kind, block, targets)
    bare = [line.strip() for line in text.splitlines()
            if re.match(r"(    |\t)(build/)?assay ", line)]
    check(not bare, f"{document}: no command stands outside of what is run", bare)
    check_links(document, text)
    check_width(document, text)


def check_functions(document):
    """Where a document says `function` in `file`, the file defines that function."""
    with open(document) as file:
        named = re.findall(r"`(\w+)` in `([\w/.]+\.c)`", file.read())
    check(len(named) > 20, f"{document}: names functions and their files", named)
    for function, path in named:
        there = os.path.exists(path) and re.search(
            rf"^(?!static)[a-z][\w *]*\b{function}\([^;]*?\)\s*\{{", open(path).read(), flags=re.M)
        check(there, f"{document}: {function} is in {path}")


# Rows of the table in ref/COUSINS.md, and what `assay list mappings` calls them.
COUSINS = {
    "OpenVINO RandomUniform-8": "OpenVINO RandomUniform-8, TensorFlow alignment",
    "JAX threefry2x32": "JAX, threefry2x32, partitionable",
    "TensorFlow stateless": "TensorFlow stateless_*",
    "PyTorch stateless": "PyTorch stateless",
    "PyTorch on a CPU (mt19937)": "PyTorch CPU default",
    "NumPy Philox (4x64)": "NumPy Philox",
}


def float_bits(cell):
    """{(type, end of the word, number of bits)} of "f32, f16: low 23, 10 bits; f64: high 52"."""
    found = set()
    for types, end, counts in re.findall(r"([a-z0-9, ]+): (low|high) ([0-9, ]*[0-9])", cell):
        found |= {(one, end, count) for one, count
                  in zip(types.strip().split(", "), counts.split(", "))}
    return found


def check_cousins():
    """Bits of floats in the table of ref/COUSINS.md are those that the reference takes."""
    done = subprocess.run([ASSAY, "list", "mappings"], capture_output=True, text=True, check=False)
    blocks = re.findall(r"^(\S.*?) \(\S+(?:, \S+)*\)\n((?: .*\n)*)", done.stdout, flags=re.M)
    taken = {head: set(re.findall(r"^    (b?f\d+) +(low|high) (\d+) bits(?!.*rounded)", block,
                                  flags=re.M)) for head, block in blocks}
    with open("ref/COUSINS.md") as file:
        rows = [line.strip("| \n").split(" | ") for line in file if line.startswith("| ")]
    cells = {row[0]: row[4] for row in rows if len(row) > 4}
    for name, head in COUSINS.items():
        bits = taken.get(head, set())
        check(bits and bits <= float_bits(cells.get(name, "")),
              f"ref/COUSINS.md: floats of {name}", bits)


def json_lines(*command):
    done = subprocess.run([ASSAY, *command], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def required_levels():
    """suite -> its levels, most frequent first, as any run says, also of what it leaves out."""
    results = os.path.join(BUILD, "documents.jsonl")
    subprocess.run([ASSAY, "certify", "--target", "random123", "--quick", "--quiet",
                    "--out", results], capture_output=True, check=False)
    levels = collections.defaultdict(collections.Counter)
    with open(results) as file:
        for record in map(json.loads, file):
            if record["record"] == "case" and "negative" not in record:
                levels[record["suite"]][record["required"]] += 1
    return levels


def check_operations():
    """The table of operations in README.md says what `assay list` says."""
    with open("README.md") as file:
        text = file.read()
    suites = {suite["suite"]: suite for suite in json_lines("list", "--json")}
    levels = required_levels()
    seen = []
    rows = re.search(r"^\| operations \|.*?\n\n", text, flags=re.M | re.S).group().splitlines()[2:]
    for row in filter(None, rows):
        operations, specification, names, level, _ = row.strip("| ").split(" | ")
        patterns, names = re.findall(r"`(.*?)`", operations), re.findall(r"`(.*?)`", names)
        if "yaml/operators/" in operations:  # which ones stand in a table there
            patterns = [os.path.basename(path)[:-len(".yaml")]
                        for path in glob.glob("yaml/operators/*.yaml")]
            names = sorted(name for name in suites if set(suites[name]["operations"]) <=
                           set(patterns))
            specification = ""
        seen += names
        have = {operation for name in names for operation in suites[name]["operations"]}
        matched = [{one for one in have if fnmatch.fnmatch(one, pattern)} for pattern in patterns]
        check(all(matched) and set.union(*matched) == have, f"README.md: operations of {names}")
        counts = sum((levels[name] for name in names), collections.Counter())
        wanted = ", ".join(word for word, _ in counts.most_common())
        check(level == wanted, f"README.md: level of {names}", wanted)
        suite_text = "".join(open(f"yaml/suites/{name}.yaml").read() for name in names)
        for link in re.findall(r"\((https:[^)]*)\)", specification):
            check(f"source: {link}" in suite_text, f"README.md: {link} is what the suite names")
    check(sorted(seen) == sorted(suites), "README.md: every suite has its row", seen)


def check_made_documents():
    """What `make documents` writes is as the suites are; one page of errata holds what it must."""
    done = subprocess.run(["scripts/documents", "--check"], capture_output=True, text=True,
                          check=False)
    check(done.returncode == 0, "numbers of cases and errata are those of the suites", done)
    page = "reports/findings/errata-openvino-range.md"
    with open(page, encoding="utf-8") as file:
        kept = file.read()
    for part in ("## RG-E7", "**The text:** max(ceil((end - start) / step), 0).", "`example-1`",
                 "The literal reading is `count=accumulate_type`."):
        check(part in kept, f"{page} has {part}")


for name in ("acme", "acme-script"):  # new-target does not overwrite what it wrote
    shutil.rmtree(os.path.join(BUILD, name), ignore_errors=True)
if os.path.exists(os.path.join(BUILD, "history.db")):
    os.remove(os.path.join(BUILD, "history.db"))
documents = ["README.md"] + sorted(
    path for path in glob.glob("*/**/*.md", recursive=True)
    if not path.startswith((BUILD, "build/", "reports/findings/")))
check(NEEDED <= set(documents), "every room has its document", NEEDED - set(documents))
check_operations()
check_made_documents()
check_functions("harness/ARCHITECTURE.md")
check_cousins()
for document in documents:
    check_document(document, makefile_targets())
finish()
