# SPDX-License-Identifier: Apache-2.0
"""Writes the requests of all rows of rows.py: `assay export --requests`, a folder for each suite
and choice of its cases.

usage: export_rows.py [--assay PROGRAM] REQUESTS
"""

import argparse
import os
import shutil
import subprocess
import sys

from rows import ROWS, requests_folder


def main():
    parser = argparse.ArgumentParser(prog="export_rows.py",
                                     description="Write the requests of all rows.")
    parser.add_argument("--assay", default="build/assay")
    parser.add_argument("folder", metavar="REQUESTS", help="folder to make anew")
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    os.makedirs(given.folder)
    wanted = {requests_folder(row, suite): (suite, row.case)
              for row in ROWS for suite in row.suites}
    for name, (suite, case) in wanted.items():
        done = subprocess.run([given.assay, "export", "--suite", suite, "--case", case,
                               "--requests", os.path.join(given.folder, name)])
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
