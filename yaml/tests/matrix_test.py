# SPDX-License-Identifier: Apache-2.0
"""Ranges, arithmetic and sweeps of a matrix: what is written and drawn is what README.md says, as
Python has it; what is wrong is refused with its place; a drawn case that fails is minimised.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import small_suite  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
HEAD = small_suite("R")
FORM = """  - id: %s
    covers: [R]
    op: philox
    attributes: {rounds: $r}
    inputs:
      counter: {fill: bits, dtype: u32, shape: [$n * 2 - 1, $h.half * 2]}
      key: {fill: bits, dtype: u32, shape: [$n * 2 - 1, $h.half]}
"""
HALVES = "h: [{half: 1}, {half: 2}]}\n"
LISTS = "    matrix: {r: {from: 1, to: 9, step: 4}, n: {from: 1, to: 2}, " + HALVES
SWEEP = ("    matrix: {r: {from: 0, to: 1000}, n: {from: 1, to: 4294967296, step: 1073741824}, "
         "h: [{half: 1}, {half: 2}]}\n    except: [{r: 17}, {n: 1}]\n")


def assay(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


class Suite:
    def __init__(self, folder):
        self.path = os.path.join(folder, "small.yaml")

    def put(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(HEAD + text)

    def ids(self):
        done = assay("list", "cases", "--suite", self.path)
        return [line.split()[1] for line in done.stdout.splitlines()], done

    def request(self, name):
        done = assay("show", name, "--suite", self.path, "--json")
        return json.loads(done.stdout) if done.returncode == 0 else done


def word(*parts):
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "big")


def draw(form, seed, index):
    """The combination that README.md says: r, n, half."""
    for attempt in range(1000):
        r, n, h = (word(form, seed, index, attempt, name) for name in "rnh")
        r, n, half = r % 1001, 1 + n % 4 * 1073741824, 1 + h % 2
        if r != 17 and n != 1:
            return r, n, half
    return None


def written(suite):
    suite.put(FORM % "x-{r}-{n}-{h.half}" + LISTS)
    ids, done = suite.ids()
    check(ids == [f"x-{r}-{n}-{h}" for r in (1, 5, 9) for n in (1, 2) for h in (1, 2)],
          "a range is a list", done)
    request = suite.request("x-5-2-1")
    shape = request["inputs"]["counter"]["shape"]
    check(request["attributes"] == {"rounds": 5} and shape == [3, 2],
          "numbers are calculated", request)
    for expression, value in (("$n + 1", 4), ("$n * 2 + $n * 3", 15), ("$n - 5 * $n - -2", -10),
                              ("$n - 3 + 2", 2), ("$n * 0 + 3074457345618258602 * 3",
                                                  9223372036854775806)):
        suite.put(FORM.replace("$r", expression) % "x-{n}-{h.half}" +
                  "    matrix: {n: [3], h: [{half: 1}]}\n    reject: x\n")
        request = suite.request("x-3-1")
        check(isinstance(request, dict) and request["attributes"]["rounds"] == value, expression,
              request)


def said_once(suite):
    """Choices that stand as the operation has them, and shared values."""
    global HEAD
    whole = HEAD
    HEAD = whole[:whole.index("  key_schedule")] + ("  word_order: {default: ascending, allowed: "
                                                    "[descending]}\n  others: deviant\n"
                                                    "shared: {halves: &halves [{half: 1}, "
                                                    "{half: 2}]}\ncases:\n")
    suite.put(FORM % "x-{h.half}" + "    matrix: {r: [1], n: [2], h: *halves}\n")
    ids, done = suite.ids()
    check(ids == ["x-1", "x-2"], "a shared list", done)
    done = assay("list", "choices", "--suite", suite.path, "--json")
    classes = {(r["choice"], r["option"]): r["class"]
               for r in map(json.loads, done.stdout.splitlines())}
    check(classes["word_order", "descending"] == "allowed" and
          classes["multipliers", "swapped"] == classes["rounds", "9"] == "deviant" and
          classes["rounds", "asked"] != "deviant", "the others are deviant", done)
    HEAD = whole


def drawn(suite):
    form = "drawn-{sweep}-{r}"
    suite.put(FORM.replace("$n * 2 - 1", "$n * 0 + 3") % form + SWEEP.replace("1, to: 4294967296",
                                                                      "1, to: 4294967295") +
              "    sweep: {seed: 7, count: 50}\n")
    ids, done = suite.ids()
    wanted = [draw(form, 7, i) for i in range(50)]
    check(ids == [f"drawn-7.{i}-{w[0]}" for i, w in enumerate(wanted)], "a sweep draws as said",
          (ids, done.stderr))
    request = suite.request(ids[13])
    check(request["inputs"]["counter"]["shape"] == [3, wanted[13][2] * 2],
          "a name says all of its case", request)
    suite.put(FORM.replace("$n * 2 - 1", "$n") % "d-{sweep}" +
              "    matrix: {r: {from: 8, to: 12}, n: {from: 1, to: 40}, " + HALVES +
              "    sweep: {seed: 1, count: 30}\n")
    plugin = os.path.join(BUILD, "zoo", "nine_rounds.so")
    done = assay("certify", "--suite", suite.path, "--plugin", plugin, "--quick", "--out",
                 suite.path + ".jsonl")
    with open(suite.path + ".jsonl", encoding="utf-8") as lines:
        failed = [record["case"] for record in map(json.loads, lines)
                  if record.get("verdict") == "fail"]
    check(done.returncode == 1 and 1 < len(failed) < 30, "some of a sweep fail", done)
    minimal = os.path.join(os.path.dirname(suite.path), "minimal.yaml")
    done = assay("minimize", failed[0], "--suite", suite.path, "--plugin", plugin, "--yaml",
                 minimal)
    with open(minimal, encoding="utf-8") as file:
        check(done.returncode == 0 and "shape: [1, " in file.read(), "and are made small", done)


def refused(suite):
    for text, why in (("{n: {from: 3, to: 1}}", "to"), ("{n: {from: 0}}", "from and to"),
                      ("{n: {from: 0, to: 1, step: 0}}", "step"),
                      ("{n: {from: 0, to: 70000}}", "more than 65536"),
                      ("{n: {from: 0, to: 9223372036854775807}}", "to"),
                      ("{n: {from: 0, to: 1, by: 2}}", "by")):
        suite.put(FORM % "x-{n}" + f"    matrix: {text}\n")
        check(suite.ids()[1].returncode == 2 and why in suite.ids()[1].stderr, f"refused: {text}",
              suite.ids()[1])
    for text, why in (("$n * x", "not a whole number"), ("$n*2", "not a name"),
                      ("$n / 2", "expected"),
                      ("$n * ", "expected"), ("$n  + 1", "expected"), ("$h + 1", "whole"),
                      ("$q + 1", "not a name"), ("$n + 9223372036854775807", "beyond 64 bits"),
                      ("$n * 9223372036854775807", "beyond 64 bits"),
                      ("$n + 9223372036854775808", "not a whole number")):
        suite.put(FORM.replace("$r", text) % "x-{n}" +
                  "    matrix: {n: [3], h: [{half: 1}]}\n    reject: x\n")
        done = suite.ids()[1]
        check(done.returncode == 2 and why in done.stderr and "small.yaml:" in done.stderr,
              f"refused: {text}", done)
    for sweep, form, why in (("{seed: 1}", "x-{sweep}", "needs seed"),
                             ("{seed: 1, count: 0}", "x-{sweep}", "count"),
                             ("{seed: 1, count: 10001}", "x-{sweep}", "count"),
                             ("{seed: -1, count: 1}", "x-{sweep}", "seed"),
                             ("{seed: 1, count: 1, more: 1}", "x-{sweep}", "more"),
                             ("[1, 2]", "x-{sweep}", "sweep"),
                             ("{seed: 1, count: 1}", "x-{n}", "{sweep}")):
        suite.put(FORM % form + LISTS + f"    sweep: {sweep}\n")
        done = suite.ids()[1]
        check(done.returncode == 2 and why in done.stderr, f"refused: sweep: {sweep}", done)
    suite.put(FORM % "x-{sweep}" + "    sweep: {seed: 1, count: 1}\n")
    check("a matrix to draw from" in suite.ids()[1].stderr, "a sweep without lists", suite.ids()[1])
    suite.put(FORM % "x-{sweep}" + "    matrix: {r: [1], n: [1], h: [{half: 1}]}\n"
              "    except: [{r: 1}]\n    sweep: {seed: 1, count: 1}\n")
    check("in a row" in suite.ids()[1].stderr, "a sweep of which all is left out", suite.ids()[1])


with tempfile.TemporaryDirectory() as folder:
    small = Suite(folder)
    written(small)
    said_once(small)
    drawn(small)
    refused(small)
finish()
