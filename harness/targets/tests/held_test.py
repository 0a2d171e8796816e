# SPDX-License-Identifier: Apache-2.0
"""A target's process starts with the environment that targets.yaml names, and other targets' do
not."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PROGRAM = """import json, os, sys
json.loads(sys.stdin.readline())
version = "%s|%s" % (os.environ.get("ASKED"), os.environ.get("KEPT"))
print(json.dumps({"name": "asks", "version": version, "operations": []}), flush=True)
sys.stdin.read()
"""
ROWS = """targets:
  - {name: asks, held_to: x86-64-v3, environment: {ASKED: this one}}
  - {name: asks_native, of: asks}
  - {name: absent_native, of: absent}
"""


def targets(home):
    done = subprocess.run(
        [os.path.join(BUILD, "assay"), "targets", "--json"],
        capture_output=True,
        text=True,
        env=dict(os.environ, ASSAY_HOME=home, ASKED="outside", KEPT="kept"),
    )
    return done, {entry["name"]: entry for entry in map(json.loads, done.stdout.splitlines())}


with tempfile.TemporaryDirectory() as home:
    folder = os.path.join(home, "harness", "targets")
    os.makedirs(folder)
    with open(os.path.join(folder, "asks.py"), "w") as file:
        file.write(PROGRAM)
    with open(os.path.join(folder, "targets.yaml"), "w") as file:
        file.write(ROWS)
    done, found = targets(home)
    check(
        found.get("asks", {}).get("version") == "this one|kept",
        "its variable replaces that of the one who calls; others stay",
        done,
    )
    check(
        found.get("asks", {}).get("held_to") == "x86-64-v3",
        "the list says what it is held to",
        found.get("asks"),
    )
    check(
        found.get("asks_native", {}).get("version") == "outside|kept",
        "the same program under another name has none of it",
        done,
    )
    check(
        "held_to" not in found.get("asks_native", {"held_to": 0}),
        "nor is it held to anything",
        found.get("asks_native"),
    )
    check(
        "absent_native" not in found, "a row whose program is not there is left out", found.keys()
    )
    for wrong, said in (
        (ROWS + "  - {name: asks_native, of: asks}\n", "is there already"),
        (ROWS + "  - {of: asks}\n", "needs 'name'"),
        (ROWS + "  - {name: asks, hold: v3}\n", "hold"),
                        (ROWS + "  - {name: b, of: asks, native: true, held_to: v}\n", "cannot be"),
        ("targets: 3\n", "targets"),
    ):
        with open(os.path.join(folder, "targets.yaml"), "w") as file:
            file.write(wrong)
        done, found = targets(home)
        check(
            done.returncode == 2 and said in done.stderr and "targets.yaml" in done.stderr,
            "a wrong table is an error with its place",
            (wrong, done),
        )
finish()
