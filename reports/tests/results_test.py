# SPDX-License-Identifier: Apache-2.0
"""Results as they are read: the schema and the reader agree, hostile files are refused, summaries
and JUnit XML are well formed.
"""

import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import jsonschema

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

sys.path.insert(0, os.path.dirname(__file__))
import sample  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
SCHEMA = json.load(open(os.path.join(HERE, "..", "results.schema.json")))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
folder = tempfile.TemporaryDirectory()


def report(content, *options):
    path = os.path.join(folder.name, "results.jsonl")
    with open(path, "wb") as file:
        file.write(content)
    done = subprocess.run([ASSAY, "report", *options, path], capture_output=True, timeout=1800,
                          check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def refused(content, words):
    code, _, message = report(content)
    return code == 2 and words in message, (code, message)


# ---- the schema and the tables of the reader -----------------------------------------------------

small = sample.small()
check(all(VALIDATOR.is_valid(json.loads(line)) for line in small.decode().splitlines()),
      "the sample's lines satisfy the schema")
check(report(small)[0] == 0, "the reader takes what the schema allows", report(small))


def paths(node, path=()):
    yield path
    items = (node.items() if isinstance(node, dict)
             else enumerate(node) if isinstance(node, list) else ())
    for key, value in items:
        yield from paths(value, path + (key,))


def mutate(generator, record):
    """One random change somewhere inside; the result may still be valid."""
    record = copy.deepcopy(record)
    path = generator.choice([p for p in paths(record) if p and p != ("record",)])
    parent = record
    for key in path[:-1]:
        parent = parent[key]
    kind = generator.randrange(4)
    if kind == 0:
        del parent[path[-1]]
    elif kind == 1 and isinstance(parent, dict):
        parent["stray"] = 1
    elif kind == 2:
        parent[path[-1]] = generator.choice([None, True, -1, "", "nan", "word", [], {}, 1.5, 2**60,
                                             "ff", [{}], {"a": "b"}])
    elif isinstance(parent, list):
        parent.extend([parent[path[-1]]] * 70)
    else:
        parent[str(path[-1]) + "s"] = parent.pop(path[-1])
    return record


# What the schema cannot say: names that must be declared, verdicts that must fit what stands beside
# them.
SENSE = ("that the header names", "does not name", "'reached' belongs", "reached less than",
         "verdict on a negative", "negative case cannot pass",
         "known failure is expected", "rank", "as many counts", "rows times columns",
         "header says was unavailable", "stands twice",
         "must lie in [0, 1]", "shard", "was declared before")
generator = random.Random(20261121)
head, body = sample.header(shard={"index": 1, "count": 2}, selection="*",
                           time_ms=5000), sample.records()
wrong, invalid = [], 0
for _ in range(700):
    changed_head, changed_body = copy.deepcopy(head), copy.deepcopy(body)
    if generator.random() < 0.3:
        line = changed_head = mutate(generator, head)
    else:
        at = generator.choice([i for i, r in enumerate(body) if len(r) > 10
                               or r["record"] != "case"])
        line = changed_body[at] = mutate(generator, body[at])
    text = "".join(json.dumps(r) + "\n" for r in [changed_head] + changed_body)
    content = (text + json.dumps({"record": "footer", "records": len(changed_body),
                                  "sha256": sample.digest(text)}) + "\n").encode()
    valid = VALIDATOR.is_valid(line)
    invalid += not valid
    code, _, message = report(content)
    if (valid and code != 0 and not any(s in message for s in SENSE)) or (not valid and code != 2):
        wrong.append((valid, code, message.strip(), json.dumps(line)[:300]))
check(not wrong and invalid > 300,
      f"reader and schema agree on 700 changed files ({invalid} of them wrong)", wrong[:3])

# An output may have 2^53 elements and more, of which a window is compared.
window = sample.wrong_output()
window.update(shape=[2**53], first=[2**53 - 1], wrong=1,
              elements=[dict(window["elements"][0], at=2**53 - 1)])
for size in (2**53, 2**63 - 1):
    window.update(shape=[size], first=[size - 1])
    window["elements"][0]["at"] = size - 1
    line = sample.case("acme", "uniform", "a", "fail", outputs=[window])
    told = report(sample.lines(sample.header(), [line]))
    check(VALIDATOR.is_valid(line) and told[0] == 0, f"a wrong element of {size} is read", told)

# ---- files that were cut, changed or made to harm ------------------------------------------------

for cut in (0, 1, 100, len(small) // 2, len(small) - 2, len(small) - 1):
    code, _, message = report(small[:cut])
    check(code == 2, f"a file cut after {cut} bytes is refused", (code, message))
body_end = small.rindex(b"\n", 0, -1)
for at in range(50, body_end, body_end // 40):
    if small[at:at + 1].isalpha():
        changed = small[:at] + bytes([small[at] ^ 1]) + small[at + 1:]
        code, _, message = report(changed)
        check(code == 2, f"one changed bit at byte {at} is noticed", (code, message))
footer = json.loads(small.splitlines()[-1])
for key, value, words in (("records", footer["records"] - 1, "counts"),
                          ("sha256", "0" * 64, "digest"), ("verdicts", {"pass": 1}, "number of")):
    lines = small.splitlines(keepends=True)
    check(*refused(b"".join(lines[:-1]) + json.dumps({**footer, key: value}).encode() + b"\n",
                   words)[:1], f"a wrong footer is refused: {key}")
check(refused(small + b'{"record": "case"}\n', "follow")[0], "nothing may follow the footer")
check(refused(sample.lines(sample.header(), [sample.case("acme", "uniform", "a")] * 2),
              "stands twice")[0], "a case that comes twice is refused")
check(refused(b'{"record": "header"' + b" " * 2**20 + b"}\n", "longer than")[0],
      "a line over a megabyte is refused")
check(refused(b"[" * 100000 + b"\n", "nested")[0], "deep nesting is refused")
check(refused(b"[" + b"1," * 500000 + b"1]\n", "")[0], "a line of half a million values is refused")
check(refused(small.replace(b"acme", b"\xff\xfe\xff\xfe", 1), "")[0],
      "bytes that are not UTF-8 are refused")
check(subprocess.run([ASSAY, "report", "/dev/null"], capture_output=True, check=False).returncode
      == 2, "a device is refused")

# ---- what is written -----------------------------------------------------------------------------

hostile = sample.hostile()
for option in ("--summary", "--markdown", "--junit"):
    code, out, message = report(hostile, option, "-")
    bad = [c for c in out.decode() if (ord(c) < 32 and c != "\n") or 0x7F <= ord(c) < 0xA0
           or c in "\u202e\ufffe"]
    check(code == 0 and not bad, f"{option[2:]} hands no control character on",
          (code, bad[:5], message))
outside = re.sub(rb"`[^`]*`", b"", re.sub(rb"\\.", b"", report(hostile, "--markdown", "-")[1]))
check(b"<script" not in outside, "Markdown holds no element that the input named")

for name, content in (("sample", small), ("hostile", hostile), ("many", sample.many(3000, 10))):
    path = os.path.join(folder.name, "junit.xml")
    code, _, message = report(content, "--junit", path)
    if shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--schema", os.path.join(HERE, "junit.xsd"),
                               path], capture_output=True, text=True, check=False)
        check(code == 0 and done.returncode == 0,
              f"JUnit XML of the {name} results satisfies the published schema",
              message + done.stderr[-500:])
    else:
        skip(f"JUnit XML of the {name} results satisfies the published schema",
             "no xmllint (libxml2-utils)")
    root = ElementTree.parse(path).getroot()
    cases = [json.loads(line) for line in content.splitlines()]
    cases = [c for c in cases if c["record"] == "case"]
    names = [(c.get("classname"), c.get("name")) for c in root.iter("testcase")]
    check(len(names) == len(set(names)) == len(cases),
          f"each case of the {name} results is one testcase with a name of its own")
    sums = [sum(int(s.get(k)) for s in root.iter("testsuite")) for k in ("tests", "failures",
                                                                         "errors", "skipped")]
    counted = [len(names)] + [len(list(root.iter(k))) for k in ("failure", "error", "skipped")]
    check(sums == counted, f"the counts of the {name} results are those of its elements",
          (sums, counted))

code, out, _ = report(small, "--exit-code")
check(code == 1, "--exit-code says that the results do not conform")
good = sample.lines(sample.header(), [sample.case("acme", "uniform", "a")])
check(report(good, "--exit-code")[0] == 0, "--exit-code says that results conform")
check(report(sample.lines(sample.header(), []), "--exit-code")[0] == 4,
      "--exit-code says that nothing was run")
text = out.decode()
check(all(w in text
          for w in ("output[0,1]: expected 3e9c5ce8 (0.30539632), got 3e9c5ce9 (0.30539635); 5 of "
                    "9", "rounds=9", "assay run uniform/example-1",
                              "reference only")),
      "the summary shows first difference, explanation and command", text)
check(report(small, "--markdown", "-")[1] == report(small, "--markdown", "-")[1],
      "the same results give the same bytes")
finish()
