# SPDX-License-Identifier: Apache-2.0
"""Rows of the bench that Python measures, for summary.py: a line of JSON each, added to the file
that ROWS names in the environment."""
import json
import os


def write_row(name, **members):
    """row: its name; members: seconds, ratio, peer, peak (bytes), limit and share of it; of a
    certification cases and elements."""
    path = os.environ.get("ROWS")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"row": name, **members}) + "\n")


def each(seconds, cases, elements):
    """What a certification took for each case, and for each element that it compared, in words."""
    return (f"{cases:,.0f} cases, {1e3 * seconds / max(cases, 1):.3g} ms each; "
            f"{elements:.3g} elements, {1e9 * seconds / max(elements, 1):.3g} ns each")
