# SPDX-License-Identifier: Apache-2.0
"""Random123's known answers (kat_vectors), as lines of JSON for `assay score`. usage:
random123_tests.py FOLDER (a checkout of Random123)

A line is the name, the number of rounds, and the words of counter, key and answer, in hexadecimal;
# begins a comment."""

import os
import re
import sys

import numpy
from score_lines import Lines, commit_of


def main(folder):
    lines = Lines(f"the known answers of Random123{commit_of(folder)}", ["philox", "threefry"])
    with open(os.path.join(folder, "tests", "kat_vectors"), encoding="utf-8") as file:
        rows = [row.split() for row in file if row.strip() and not row.startswith("#")]
    seen = {}
    for row in rows:
        named = re.fullmatch(r"(philox|threefry)([24])x(32|64)", row[0])
        if not named:
            lines.leave("known answers of generators that have no operation here")
            continue
        operation, words, width = named[1], int(named[2]), int(named[3])
        keys = words // 2 if operation == "philox" else words
        dtype = numpy.uint32 if width == 32 else numpy.uint64
        values = numpy.array([int(word, 16) for word in row[2:]], dtype=dtype)
        if len(values) != 2 * words + keys:
            raise SystemExit(f"{row[0]}: {len(values)} words in place of {2 * words + keys}")
        name = f"{row[0]}-r{row[1]}"
        seen[name] = seen.get(name, 0) + 1
        lines.add(f"{name}-{seen[name]}", operation,
                  {"words": words, "width": width, "rounds": int(row[1])},
                  {"counter": values[:words], "key": values[words:words + keys]},
                  {"output": values[words + keys:]})
    lines.write()


if __name__ == "__main__":
    main(*sys.argv[1:])
