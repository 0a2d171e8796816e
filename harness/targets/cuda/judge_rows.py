# SPDX-License-Identifier: Apache-2.0
"""Judges what record_rows.py recorded: `assay certify --recorded` for each row and suite.

usage: judge_rows.py [--assay PROGRAM] [--known FILE] [--sign KEY.pem] DIR

Writes verdicts.md into DIR, and prints it. With --sign each row keeps its certificate, or where
it has none its statement, as SUITE.certificate.jsonl or SUITE.statement.jsonl. Exit code 1 where a
row has a failure that FILE (default harness/targets/known.yaml) does not list, 4 where there are
no records.
"""

import argparse
import json
import os
import re
import subprocess
import sys

from rows import ROWS


SAID = ("certificate", "statement")


def keep_one(folder, suite):
    """Of certificate and statement the first that is there; its name in the table."""
    found = [(kind, os.path.join(folder, f"{suite}.{kind}.jsonl")) for kind in SAID]
    found = [(kind, path) for kind, path in found if os.path.exists(path)]
    for _, path in found[1:]:
        os.remove(path)
    return found[0][0] if found else "-"


def judge(assay, known, sign, folder, suite):
    """The columns of a row, and the exit code."""
    record, out = os.path.join(folder, suite), os.path.join(folder, suite + ".jsonl")
    for kind in SAID:
        if os.path.exists(os.path.join(folder, f"{suite}.{kind}.jsonl")):
            os.remove(os.path.join(folder, f"{suite}.{kind}.jsonl"))
    done = subprocess.run([assay, "certify", "--recorded", record, "--suite", suite, "--known",
                           known, "--out", out, *(["--sign", sign] if sign else [])],
                          capture_output=True, text=True)
    if os.path.exists(out):
        os.remove(out)
    last = (done.stdout.strip().splitlines() or [done.stderr.strip()])[-1]
    counts = re.search(r"(\d+) cases, (\d+) unexpected, (\d+) expected failures: (.*?) of", last)
    with open(os.path.join(record, "record.jsonl"), encoding="utf-8") as file:
        header = json.loads(file.readline())
    machine, target = header["machine"], header["target"]
    where = f"{machine['processor']}; {target['library']} {target['version']}"
    if not counts:
        return [suite, "-", "-", "-", last[:120], where, "-"], done.returncode
    answered = re.search(r": (?:.*?)(\d+) of \d+ cases", last)
    return [suite, answered.group(1) if answered else "-", counts.group(2), counts.group(3),
            header["recorded"], where, keep_one(folder, suite)], done.returncode


def main():
    parser = argparse.ArgumentParser(prog="judge_rows.py", description="Judge recorded rows.")
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("--known", default="harness/targets/known.yaml")
    parser.add_argument("--sign", metavar="KEY.pem", help="keep a certificate of each row")
    parser.add_argument("folder", metavar="DIR", help="what record_rows.py made")
    given = parser.parse_args()
    lines, worst = [], 4
    for row in ROWS:
        for suite in row.suites:
            folder = os.path.join(given.folder, row.name)
            if not os.path.exists(os.path.join(folder, suite, "record.jsonl")):
                continue
            columns, code = judge(given.assay, given.known, given.sign, folder, suite)
            worst = max(code, 0 if worst == 4 else worst) if code != 4 else worst
            lines.append(f"| {row.name} | " + " | ".join(columns) + " |")
            print(lines[-1], flush=True)
    with open(os.path.join(given.folder, "verdicts.md"), "w", encoding="utf-8") as file:
        file.write("| row | suite | right | unexpected | listed failures | recorded | by | "
                   "document |\n"
                   "|---|---|---|---|---|---|---|---|\n" + "\n".join(lines) + "\n")
    return worst


if __name__ == "__main__":
    sys.exit(main())
