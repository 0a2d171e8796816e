# SPDX-License-Identifier: Apache-2.0
"""Writes the table of reports/scores/README.md from the pages beside it, a line for each of their
suites: the sum over its operators. usage: score_table.py FOLDER"""

import glob
import os
import re
import sys

BEGIN, END = "<!-- made by scripts/scores -->\n", "<!-- end -->\n"
ROW = re.compile(r"^\| `([\w.]+)` \| `[\w.]+` \| (\d+) \| \d+ \| (\d+) of (\d+) .* \| "
                 r"(\d+) of \d+ .* \| \d+ \| (\d+) \|$", re.M)


def share(part, whole):
    return f"{part} of {whole} ({100 * part / (whole or 1):.0f} %)"


def sums(page):
    """By suite: tests, wrong implementations that they notice, all, those that ours notice, and
    tests whose expected values are not right."""
    rows = {}
    for suite, *counts in ROW.findall(page):
        rows[suite] = [a + int(b) for a, b in zip(rows.get(suite, [0] * 5), counts, strict=True)]
    return rows


def table(folder):
    rows = ["| tests | suite | tests of it | they notice | our cases notice | expected values "
            "that are not right |\n|---|---|---|---|---|---|\n"]
    for path in sorted(glob.glob(os.path.join(folder, "*.md"))):
        name = os.path.basename(path)
        if name == "README.md":
            continue
        with open(path, encoding="utf-8") as file:
            for suite, (tests, theirs, wrong, ours, flaws) in sums(file.read()).items():
                noticed = share(theirs, wrong) if tests else "no test"
                rows.append(f"| [{name[:-3]}]({name}) | `{suite}` | {tests} | {noticed} | "
                            f"{share(ours, wrong)} | {flaws} |\n")
    return "".join(rows)


def main(folder):
    path = os.path.join(folder, "README.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{BEGIN}\n{table(folder)}\n{END}{after}")


if __name__ == "__main__":
    main(*sys.argv[1:])
