# SPDX-License-Identifier: Apache-2.0
"""Rows of the bench that Python measures, for summary.py: a line of JSON each, added to the file
that ROWS names in the environment."""
import json
import os


def write_row(name, **members):
    """row: its name; members: seconds, ratio, peer, peak (bytes), limit and share of it."""
    path = os.environ.get("ROWS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"row": name, **members}) + "\n")
