# SPDX-License-Identifier: Apache-2.0
"""assay audit --json: the objects hold the members that stats/JSON.md lists, of those types, and
no others. Prints TAP."""

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

ASSAY = os.environ.get("ASSAY", os.path.join(os.environ.get("BUILD", "build"), "assay"))
MEBIBYTE = "1048576"


def listed():
    """Of each object its members, as the table of that file has them: name to type; those that may
    be missing end in a question mark."""
    found = {}
    with open("stats/JSON.md", encoding="utf-8") as file:
        part = file.read()
    for line in part.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(
                cells) == 2 and cells[0] != "object" and not cells[0].startswith("-"):
            found[cells[0].strip("`")] = dict(re.findall(r"`(\w+\??)` (\w+)", cells[1]))
    return found


TYPES = {
    "text": str, "integer": int, "number": (int, float), "truth": bool, "object": dict, "list": list
}
LISTED = listed()


def faults(name, value):
    """What is wrong with an object: members too many, too few, of another type, and that in objects
    within."""
    wrong = []
    known = {key.rstrip("?"): (kind, key.endswith("?")) for key, kind in LISTED[name].items()}
    for key in value:
        if key not in known:
            wrong.append(f"{name}.{key} is not listed")
            continue
        kind = known[key][0]
        number = kind in ("integer", "number")
        if not isinstance(value[key], TYPES[kind]) or (number and isinstance(value[key], bool)):
            wrong.append(f"{name}.{key} is {value[key]!r}, listed as {kind}")
        elif kind == "object":
            wrong += faults("finding" if key in ("strongest", "repeat") else key, value[key])
        elif kind == "list":
            for entry in value[key]:
                wrong += faults("nights", entry)
    return wrong + [
        f"{name}.{key} is missing" for key, (_, optional) in known.items()
        if not optional and key not in value
    ]


def audit(*arguments, data=None):
    done = subprocess.run([ASSAY, "audit", "--json", *arguments], input=data, capture_output=True,
                          check=False)
    return done.returncode, json.loads(done.stdout)


check(
    set(LISTED) == {"result", "finding", "window", "night", "history", "nights"},
    "the README lists the objects", LISTED)
code, clean = audit("--source", "philox4x32", "--bytes", MEBIBYTE)
check(code == 0 and clean["verdict"] == "clean" and not faults("result", clean), "a clean audit",
      faults("result", clean))
code, flawed = audit("--source", "stdin", data=b"\1\2\3\4" * (1 << 18))
check(code == 1 and "window" in flawed and not faults("result", flawed),
      "a flawed one, with its window", faults("result", flawed))
code, inputs = audit("--source", "philox4x32-3")
check(
    code == 1 and "no_window" in inputs and "window" not in inputs and not faults("result", inputs),
    "one whose flaw has no window", inputs)
# 1,740 ones too many at one bit of the first mebibyte raise a suspicion, and one in a hundred of
# the next four confirm it.
data = bytearray(hashlib.shake_256(b"repeated").digest(5 << 20))
zeros = [at for at in range(0, 1 << 20, 4) if not data[at] & 1]
chosen = random.Random(7).sample(zeros, 131072 + 1740 - ((1 << 18) - len(zeros)))
for at in chosen + list(range(1 << 20, 5 << 20, 400)):
    data[at] |= 1
code, again = audit("--source", "stdin", data=bytes(data))
check(
    code == 1 and again["suspicions_repeated"] > 0 and "repeat" in again
    and not faults("result", again), "one that a repeat confirmed",
    (again, faults("result", again)))
with tempfile.TemporaryDirectory() as folder:
    database, out = os.path.join(folder, "nights.sqlite"), os.path.join(folder, "out.json")
    night = ["--night", "--db", database, "--bytes", MEBIBYTE]
    code, first = audit("--source", "chacha20", *night, "--out", out)
    check(code == 0 and "night" in first and not faults("result", first), "a night",
          faults("result", first))
    with open(out, encoding="utf-8") as file:
        kept = json.load(file)
    seconds = first.pop("seconds")
    check(kept == first and seconds >= 0, "--out is the same without the time it took",
          (kept, first))
    code, second = audit("--source", "mt19937", *night)
    check(code == 1 and second["night"]["alarm"] is True and not faults("result", second),
          "a flawed night", faults("result", second))
    code, history = audit("--history", "--db", database)
    check(code == 0 and len(history["nights"]) == 2 and not faults("history", history),
          "the course", faults("history", history))

finish()
sys.exit(0)
