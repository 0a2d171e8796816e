# SPDX-License-Identifier: Apache-2.0
"""One day's work, each command with what the one before left: vectors, certification, explanation,
the smallest case, pages, parts and their join, audits, history. The sanitizers' build goes through
it as well: a process in which one finds something ends otherwise."""

import filecmp
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
NINE = ["--plugin", os.path.join(BUILD, "zoo", "nine_rounds.so")]
CASES = ["--suite", "philox", "--case", "published-*"]
AUDIT = ["audit", "--source", "philox4x32", "--bytes", "1MiB"]


def step(name, code, words, *arguments):
    done = subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)
    check(done.returncode == code and words in done.stdout, name, done)


def in_parts(name, whole, *job):
    """The job in two parts that are joined is what it is in one."""
    folder = whole + "-parts"
    for part in "1/2", "2/2":
        step(f"{name}: part {part}", 0, "", *job, "--shard", part, "--to", folder)
    step(f"{name}: the parts are joined", 0, "", "merge", folder, "--out", whole + "-joined")
    check(filecmp.cmp(whole, whole + "-joined", shallow=False),
          f"{name}: joined they are the whole")


with tempfile.TemporaryDirectory() as folder:
    def at(name):
        return os.path.join(folder, name)

    step("a suite's vectors are those that are kept", 0, "openvino.range", "emit", "--check",
         "--suite", "openvino.range")
    step("two targets conform", 0, "random123", "certify", "--target", "reference,random123",
         *CASES, "--out", at("good.jsonl"))
    step("nine rounds do not", 1, "rounds=9", "certify", *NINE, *CASES, "--out", at("bad.jsonl"))
    step("they are explained", 0, "rounds=9", "explain", *NINE, *CASES[:4])
    step("and cut down", 0, "expected 6627e8d5", "minimize", "published-old-4x32-r10", "--results",
         at("bad.jsonl"), *NINE, "--yaml", at("least.yaml"))
    step("what is left still fails", 1, "1 unexpected", "certify", *NINE, "--suite",
         at("least.yaml"), "--quiet")
    step("pages and tables are made of all results", 0, "", "report", "--html", at("page.html"),
         "--junit", at("all.xml"), "--markdown", at("all.md"), "--summary", at("all.txt"),
         at("good.jsonl"), at("bad.jsonl"))
    check(all(os.path.getsize(at(name)) for name in ("page.html", "all.xml", "all.md", "all.txt")),
          "and hold something")
    step("an audit is clean", 0, "clean", *AUDIT, "--threads", "2", "--out", at("audit.json"))
    in_parts("an audit", at("audit.json"), *AUDIT)
    in_parts("a certification", at("good.jsonl"), "certify", "--target", "reference,random123",
             *CASES)
    for name in "one", "two":
        step(f"night {name} of an audit", 0, "clean", "audit", "--source", "threefry2x32",
             "--bytes", "256KiB", "--night", "--db", at("audit.sqlite"))
    step("the nights become results", 0, "", "history", "--audit", at("audit.sqlite"), "--out",
         at("evidence.jsonl"))
    step("which have a page", 0, "1 source audited, 0 flawed", "report", "--html", "-",
         at("evidence.jsonl"))
    step("results are kept", 0, "", "history", "--db", at("history.db"), at("good.jsonl"))
    step("and the same ones are no news", 0, "the same as the run before", "history", "--db",
         at("history.db"), at("good.jsonl"))
finish()
