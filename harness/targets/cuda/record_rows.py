# SPDX-License-Identifier: Apache-2.0
"""Records every row of rows.py on a machine with a GPU, or its stand-in on a processor.

usage: record_rows.py [--stand-in] [--only ROW] [--longest SECONDS] [--build BUILD] REQUESTS DIR

REQUESTS is what `make gpu-requests` wrote. Each row is a process of its own and has a folder below
DIR, with a record for each suite; rows.md says which rows ran, and why the others did not. Needs
Python with NumPy, and of BUILD (default build) assay-runner and targets/curand.so.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import time

from rows import ROWS, requests_folder

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "..", "..", "python", "assay", "record.py")
TABLE = "rows.md"


def command(row, build, requests, folder):
    if row.place.endswith(".so"):
        return [os.path.join(build, "assay-runner"), os.path.join(build, row.place), requests,
                folder]
    return [sys.executable, RECORD, "--name", row.name, "--without", row.without,
            os.path.join(HERE, row.place), requests, folder]


def last_line(done):
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"


def record(row, settings, given):
    """What the runner said of each suite, and whether all were recorded."""
    said, folder = [], given.folder
    for suite in row.suites:
        place = os.path.join(folder, row.name, suite)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        try:
            done = subprocess.run(
                command(row, given.build,
                        os.path.join(given.requests, requests_folder(row, suite)), place),
                capture_output=True, text=True, timeout=given.longest, env=os.environ | settings)
        except subprocess.TimeoutExpired:
            return [*said, f"{suite}: stopped after {given.longest} seconds"], False
        except OSError as why:
            return [*said, f"{suite}: {why}"], False
        said.append(f"{suite}: {last_line(done).split(' recorded in ')[0]}")
        if done.returncode:
            return said, False
    return said, True


def earlier(folder):
    """The lines of rows that were recorded into the folder before."""
    path = os.path.join(folder, TABLE)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {line.split("|")[1].strip(): line.strip() for line in file.readlines()[4:]}


def main():
    parser = argparse.ArgumentParser(prog="record_rows.py",
                                     description="Record the rows of rows.py.")
    parser.add_argument("--stand-in", action="store_true", help="on the processor")
    parser.add_argument("--only", default="", metavar="ROW", help="this row alone")
    parser.add_argument("--longest", type=int, default=400, metavar="SECONDS",
                        help="that a record may take (400)")
    parser.add_argument("--build", default="build", help="where assay-runner and targets lie")
    parser.add_argument("requests", metavar="REQUESTS", help="what make gpu-requests wrote")
    parser.add_argument("folder", metavar="DIR", help="to make")
    given = parser.parse_args()
    os.makedirs(given.folder, exist_ok=True)
    lines, ran = earlier(given.folder), 0
    for row in ROWS:
        if given.only not in ("", row.name):
            continue
        settings, before = row.stand_in if given.stand_in else row.device, time.monotonic()
        if isinstance(settings, str):
            why, good = [settings], False
        elif row.module and not importlib.util.find_spec(row.module):
            why, good = [f"there is no Python module {row.module}"], False
        else:
            why, good = record(row, settings, given)
        ran += good
        lines[row.name] = (f"| {row.name} | {'yes' if good else 'no'} | "
                           f"{time.monotonic() - before:.0f} | {'; '.join(why)} |")
        print(lines[row.name], flush=True)
    where = "the processor, as a stand-in" if given.stand_in else "a CUDA device"
    kept = [lines[row.name] for row in ROWS if row.name in lines]
    with open(os.path.join(given.folder, TABLE), "w", encoding="utf-8") as file:
        seconds = sum(int(line.split("|")[3]) for line in kept)
        file.write(f"Recorded on {where}: {sum('| yes |' in line for line in kept)} of {len(kept)} "
                   f"rows, in {seconds} seconds.\n\n"
                   "| row | ran | seconds | what was recorded, or why not |\n|---|---|---|---|\n" +
                   "\n".join(kept) + "\n")
    return 0 if ran else 4


if __name__ == "__main__":
    sys.exit(main())
