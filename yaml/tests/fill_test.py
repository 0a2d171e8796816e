# SPDX-License-Identifier: Apache-2.0
"""yaml/tests/fills.jsonl holds fills and the SHA-256 of their elements. This file recomputes them
in Python; fill_test.c does so with the product's own code. `fill_test.py --write` makes the digests
anew."""

import hashlib
import json
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from fill import fill, philox  # noqa: E402

PATH = os.path.join(os.path.dirname(__file__), "fills.jsonl")


def numbers(document):
    """Values that JSON cannot say are strings."""
    if "values" in document:
        document = dict(document, values=[float(v) if isinstance(v, str) else v
                                          for v in document["values"]])
    return document


def main():
    lines = [json.loads(line) for line in open(PATH)]
    for line in lines:
        data = fill(numbers(line["fill"]), "suite", "case", "tensor")
        line["got"] = hashlib.sha256(data).hexdigest()
    if sys.argv[1:] == ["--write"]:
        with open(PATH, "w") as file:
            for line in lines:
                file.write(json.dumps({"fill": line["fill"], "sha256": line["got"]}) + "\n")
        return 0
    # Random123's published answer for zero counter and key.
    known = philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    print(("ok" if known else "not ok")
          + " 1 - the Python copy of Philox gives the published answer")
    wrong = [json.dumps(line["fill"]) for line in lines if line["got"] != line["sha256"]]
    for text in wrong:
        print("# differs: " + text)
    print(("not ok" if wrong else "ok")
          + f" 2 - {len(lines)} fills made in Python have the digests of the table")
    print("1..2")
    return 1 if wrong or not known else 0


sys.exit(main())
