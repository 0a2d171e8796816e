# SPDX-License-Identifier: Apache-2.0
"""The rows of harness/targets/cuda: what they name is there, the records that are kept are judged
as their table says and have certificates that say so, and what is told of equal calls, of orderings
and of drivers is what they are. Needs neither a GPU nor PyTorch."""

import base64
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time

sys.path[:0] = ["harness/tests", "harness/targets/cuda"]
from rows import ROWS  # noqa: E402
from tap import check, finish, skip  # noqa: E402

try:
    import numpy
except ImportError as missing:
    skip("rows of a GPU", missing)
    finish()
import curand_dynamic  # noqa: E402
import determinism  # noqa: E402
import driver  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY, FOLDER = os.path.join(BUILD, "assay"), os.path.join(BUILD, "test-cuda")
CUDA, KEPT = "harness/targets/cuda", "harness/targets/cuda/stand-in"


def python(program, *arguments, **environment):
    return subprocess.run([sys.executable, os.path.join(CUDA, program), *arguments],
                          capture_output=True, text=True, env=os.environ | environment)


def rows_are_whole():
    for row in ROWS:
        settings = (row.device, row.stand_in)
        runs = any(isinstance(one, dict) for one in settings)
        place = row.place.partition(":")[0]
        where = place.replace("targets/", "../").replace(".so", ".c")
        if runs != bool(row.suites) or (runs and not os.path.exists(os.path.join(CUDA, where))):
            return f"{row.name}: suites {row.suites}, {place}"
        if not all(isinstance(one, dict) or len(one) > 20 for one in settings):
            return f"{row.name}: no reason"
        for suite in row.suites:
            if not os.path.exists(f"yaml/suites/{suite}.yaml"):
                return f"{row.name}: {suite}"
    return None


def columns(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip("| \n").split(" | ") for line in file.readlines()[2:]]


def told(place):
    """The verdicts of the rows whose records lie there, without what is kept of them."""
    return [row[:-1] for row in columns(os.path.join(KEPT, "verdicts.md"))
            if os.path.exists(os.path.join(place, row[0], row[1], "record.jsonl"))]


def kept_are_judged():
    """Of suites that are about generators: others follow as their bounds do."""
    place = os.path.join(FOLDER, "kept")
    shutil.copytree(KEPT, place)
    for name in os.listdir(place):
        if not name.startswith(("curand", "torch-draws")):
            path = os.path.join(place, name)
            shutil.rmtree(path) if os.path.isdir(path) else None
    done = python("judge_rows.py", "--assay", ASSAY, place)
    judged = [row[:-1] for row in columns(os.path.join(place, "verdicts.md"))]
    check(done.returncode == 0 and len(judged) > 3 and judged == told(place),
          "the records that are kept are judged as their table says", done)


def certificates_say_so():
    """Each is signed, says that the answers were recorded, and names the record beside it."""
    key, kept = os.path.join(KEPT, "public.pem"), []
    for path in sorted(glob.glob(f"{KEPT}/*/*.certificate.jsonl") +
                       glob.glob(f"{KEPT}/*/*.statement.jsonl")):
        with open(path, encoding="utf-8") as file:
            said = [json.loads(line) for line in file]
        if "payload" in said[0]:
            said = [json.loads(base64.b64decode(one["payload"])) for one in said]
            signed = subprocess.run([ASSAY, "verify", "--signature-only", "--key", key, path],
                                    capture_output=True, text=True)
            check(signed.returncode == 0, f"{path} is signed", signed)
        folder = path.rpartition("/")[0] + "/" + os.path.basename(path).rsplit(".", 2)[0]
        with open(f"{folder}/record.jsonl", "rb") as file:
            text = file.read()
        digest, at = hashlib.sha256(text).hexdigest(), json.loads(text.split(b"\n")[0])["recorded"]
        targets = [one["predicate"].get("target", {}) for one in said]
        recorded = [one["recorded"] for one in targets if "recorded" in one]
        kept.append(len(recorded) == 1 and (recorded[0]["sha256"], recorded[0]["at"]) ==
                    (digest, at))
        check(kept[-1], f"{path} says that its answers were recorded, when, and which they are",
              [recorded, digest, at])
    check(len(kept) == len(told(KEPT)), "each row that is kept has a certificate or a statement",
          kept)


def cousins_name_their_records():
    """What ref/COUSINS.md says was checked on which day, a record of the verdicts says too."""
    with open("ref/COUSINS.md", encoding="utf-8") as file:
        said = set(re.findall(r"CPU, (\w+) ([\d.]+), ([\d-]+), \[record\]", file.read()))
    verdicts = columns(os.path.join(KEPT, "verdicts.md"))
    missing = [one for one in said if not any(
        one[2] == row[5][:10] and {"PyTorch": "torch"}.get(one[0], one[0].lower()) + " " + one[1]
        in row[6] for row in verdicts)]
    check(len(said) == 2 and not missing,
          "the table of who draws what names records that are there", [said, missing])


class Unsteady:
    """A library, three of whose calls differ: again, in a thread, and beside other work and alone.
    """

    what = "unsteady"

    def __init__(self):
        self.calls, self.working = 0, 0

    def operations(self):
        batch = numpy.arange(4.0)
        yield "steady", lambda x: x, batch
        yield "counts", self.count, batch
        yield "threads", lambda x: x + (threading.current_thread() is not
                                        threading.main_thread()), batch
        yield "waits", lambda x: x + self.at_work(), batch
        yield "sizes", lambda x: x + len(x), batch
        yield "whole", lambda x: x, batch[:1]

    def count(self, x):
        self.calls += 1
        return x + self.calls

    def work(self):
        self.working = 1

    def at_work(self):
        self.working = 0
        time.sleep(0.01)  # what works beside it goes on
        return self.working

    def elsewhere(self, call, batch):
        return determinism.in_a_thread(lambda: call(batch))

    def joined(self, rows):
        return numpy.concatenate(rows)

    def bits(self, array):
        return array.view(numpy.int64)


def differences_are_told():
    lines = list(determinism.table(Unsteady()))
    wanted = {"steady": "| 4 | 0 | 0 | 0 | 0 |", "counts": "| 4 | 4 | 4 | 4 | 4 |",
              "threads": "| 4 | 0 | 4 | 0 | 0 |", "waits": "| 4 | 0 | 0 | 4 | 0 |",
              "sizes": "| 4 | 0 | 0 | 0 | 4 |", "whole": "| 1 | 0 | 0 | 0 | - |"}
    check(all(f"| {name} {row}" in lines for name, row in wanted.items()) and
          lines[-4:] == ["- What differs again: counts.",
                         "- What differs in another stream: counts; threads.",
                         "- What differs beside other work: counts; waits.",
                         "- What differs row by row: counts; sizes."],
          "what differs is told by operation", lines)


def turns_are_found():
    """Of a made array: as many as take turns, and none where one word is another."""
    count = 4096
    words = numpy.array([word for place in range(2 * count + 5) for word in curand_dynamic.philox(
        (place // count, 0, place % count, 0), curand_dynamic.KEY)], numpy.uint32)
    changed = words.copy()
    changed[7] ^= 1
    check((curand_dynamic.turns(words), curand_dynamic.turns(changed)) == (count, None),
          "how many subsequences take turns is found, of a whole array alone")


def drivers_are_read():
    texts = ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC",
             "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build",
             "GCC version: 12.2.0 (Debian)")
    check([driver.version_in(text) for text in texts] == ["535.183.01", "580.65.06", "unknown"],
          "the driver's version is read")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    wrong = rows_are_whole()
    check(not wrong, "each row has its module, its suites and its reasons", wrong)
    kept_are_judged()
    certificates_say_so()
    cousins_name_their_records()
    differences_are_told()
    turns_are_found()
    drivers_are_read()
    finish()


main()
