# SPDX-License-Identifier: Apache-2.0
"""What `certify` prints: a conclusion first, by cause, in few lines; all of it where it is
asked."""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
sys.path.insert(0, "reports/tests")
import process_target  # noqa: E402
import sample  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
NINE = ["--plugin", os.path.join(BUILD, "zoo", "nine_rounds.so")]
LINES_MAX = 60


def assay(*arguments):
    return subprocess.run([os.path.join(BUILD, "assay"), *arguments], capture_output=True,
                          text=True, check=False)


def conclusions(folder):
    files = {name: os.path.join(folder, name) for name in ("r.jsonl", "r.html", "r.xml", "r.log")}
    done = assay("certify", *NINE, "--suite", "philox", "--case", "published-*", "--out",
                 files["r.jsonl"], "--html", files["r.html"], "--junit", files["r.xml"], "--log",
                 files["r.log"])
    lines = done.stdout.splitlines()
    check(done.returncode == 1 and "  nine_rounds philox: all 16 failures: rounds=9" in lines,
          "one explanation that fits all is told of all", done.stdout + done.stderr)
    whole = assay("list", "cases", "--suite", "philox").stdout.count("\n")
    check(lines[-1].startswith(
        "32 cases, 16 unexpected, 0 expected failures: does not conform: 16 of "
        f"{whole} cases, 16 failed, {whole - 32} not run; requirements: 0 met, 10 not met, "),
          "the result is the last line", lines[-1:])
    check(all(any(line.endswith(path) for line in lines) and os.path.getsize(path)
              for path in files.values()), "page, JUnit, results and log are named, and are there",
          done.stdout)
    verbose = assay("certify", *NINE, "--suite", "philox", "--case", "published-*", "--verbose",
                    "--failures", "3")
    check(len(re.findall("^    fail ", verbose.stdout, re.M)) == 3
          and "and 13 more failures" in verbose.stdout, "--failures 3 shows three", verbose.stdout)
    verbose = assay("certify", *NINE, "--suite", "philox", "--case", "published-*", "--verbose")
    with open(files["r.log"], encoding="utf-8") as log:
        check(verbose.stdout.startswith(log.read()), "the log holds what --verbose prints")
    check("\n      equals the reference bit for bit with rounds=9\n" in verbose.stdout,
          "--verbose shows failures one by one", verbose.stdout[:400])
    quiet = assay("certify", *NINE, "--suite", "philox", "--case", "published-*", "--quiet")
    check(quiet.stdout.splitlines() == lines[-1:], "--quiet prints the result line alone",
          quiet.stdout)
    every = os.path.join(os.path.dirname(files["r.jsonl"]), "every.jsonl")
    done = assay("certify", *NINE, "--suite", "philox", "--out", every)
    with open(every, encoding="utf-8") as results:
        failed = [r for r in map(json.loads, results) if r.get("verdict") == "fail"]
    fits = sum("not a Philox request" not in r.get("reason", "") for r in failed)
    check(0 < fits < len(failed)
          and f"nine_rounds philox: {fits} of {len(failed)} failures: rounds=9\n" in done.stdout,
          "one that fits some is told of so many", done.stdout)
    with open(files["r.jsonl"], encoding="utf-8") as results:
        failed = [r for r in map(json.loads, results) if r.get("verdict") == "fail"]
    zero = json.loads(next(r["request"] for r in failed if r["case"].endswith("4x32-r10-zero")))
    check(zero["inputs"]["key"] == ["0x0", "0x0"] and len(failed) == 16,
          "a failure's record holds its request", zero)
    check(all(len(r["request"].encode()) <= 1204 for r in failed), "a long one is cut")


def times(folder):
    """How long it took and what of that the target had, on standard error: what a certification
    prints on standard output is the same each time."""
    slow = process_target.write(os.path.join(folder, "slow.py"), ["philox"], """
import time
def supports(request):
    time.sleep(0.1)
    return {"unsupported": "it takes too long"}
def run(request):
    raise ValueError
""")
    for jobs in ("1", "2"):
        done = assay("certify", "--exec", slow, "--suite", "philox", "--case", "published-4x32-*",
                     "--jobs", jobs)
        line = re.fullmatch(r"assay: of (2 times )?(\S+) s, (\S+) s in the target's calls\n",
                            done.stderr)
        asked = int(done.stdout.splitlines()[-1].split()[0])
        took, spent = (float(line[2]), float(line[3])) if line else (0, 0)
        check(line and bool(line[1]) == (jobs == "2") and asked > 3
              and 0.1 * asked <= spent <= int(jobs) * took,
              f"by {jobs} processes, the time of the target's calls is told",
              done.stdout + done.stderr)
    done = assay("certify", "--exec", slow, "--suite", "philox", "--case", "published-4x32-*-pi",
                 "--quiet")
    check(not done.stderr, "--quiet tells none", done.stderr)


def some(folder):
    """No option says that key words are swapped, and what a few failures look like is no hint of
    what they all are."""
    path = os.path.join(folder, "swapped.jsonl")
    done = assay("certify", "--plugin", os.path.join(BUILD, "zoo", "swapped_key.so"), "--suite",
                 "philox", "--out", path)
    with open(path, encoding="utf-8") as results:
        failed = [r for r in map(json.loads, results) if r.get("verdict") == "fail"]
    values = [r for r in failed if "refused" not in r.get("reason", "")]
    check(done.returncode == 1 and len(values) > 20
          and not any("profile" in r.get("explained", {}) for r in values),
          "swapped key words are explained by no option", done.stdout)
    told = re.findall(r"  swapped_key philox: (all )?(\d+)(?: of (\d+))? failures: (.*)",
                      done.stdout)
    hints = [(int(some), int(of or some), what) for _, some, of, what in told]
    check(len(hints) > 2 and all(some < of == len(failed) for some, of, _ in hints)
          and sum(some for some, _, _ in hints) == len(failed)
          and [some for some, _, what in hints if "no choice explains them" in what] > [20],
          "what fits some failures is told of so many", done.stdout)


def nothing(folder):
    results = os.path.join(folder, "nothing.jsonl")
    done = assay("certify", *NINE, "--suite", "cousins", "--out", results)
    with open(results, encoding="utf-8") as file:
        reasons = [r.get("reason") for r in map(json.loads, file)
                   if r.get("verdict") == "unsupported"]
    cases = assay("list", "cases", "--suite", "cousins").stdout.count("\n")
    check(done.returncode == 4 and "proves nothing: 0 of" in done.stdout and len(reasons) == cases
          and f"nine_rounds: {reasons.count('only philox')} only philox" in done.stdout,
          "where every case is unsupported nothing is proved: exit code 4, and why",
          done.stdout + done.stderr)
    done = assay("report", results)
    check(done.returncode == 4 and "proves nothing" in done.stdout, "a report of it says so too",
          done.stdout + done.stderr)


def undefined(folder):
    """A target of nothing but what the text leaves undefined, where any answer will do."""
    target = process_target.write(os.path.join(folder, "undefined"), ["onnx.cast"], """
def supports(asked):
    given = asked["inputs"].get("input", {})
    fits = asked["op"] == "onnx.cast" and asked["attributes"]["to"] == 22 and (
        given["dtype"], given["shape"]) == ("f32", [4])
    return {"supported": True} if fits else {"unsupported": "the text says what it is"}

def run(request):
    return {"outputs": {"output": {"dtype": "i4", "shape": [4], "bits": ["00"] * 4}}}
""")
    results, key = os.path.join(folder, "undefined.jsonl"), os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True,
                   capture_output=True)
    done = assay("certify", "--exec", target, "--suite", "onnx.quantization", "--out", results,
                 "--sign", key)
    check(done.returncode == 4 and "0 unexpected, 0 expected failures: proves nothing: 1 of " in
          done.stdout and "no certificate for undefined: no case passed or was refused" in
          done.stdout, "answers to undefined cases alone prove nothing, and are not signed",
          done.stdout + done.stderr)
    check(assay("report", results).returncode == 4, "nor is a report of them a success", results)
    empty = os.path.join(folder, "empty.jsonl")
    done = assay("certify", *NINE, "--suite", "philox", "--case", "no-such-*", "--out", empty)
    check(done.returncode == assay("report", empty).returncode == 4,
          "nor one of results without a case", done.stdout + done.stderr)


def many_causes(folder):
    """More targets and causes than there is room for."""
    for targets in 6, 16:
        names = [f"target-{i}" for i in range(targets)]
        header = sample.header(targets=[{"name": n, "kind": "plugin", "version": "1"}
                                        for n in names])
        cases = []
        for name in names:
            for i in range(40):
                word = "abcdefghijklmnopqrstuvwxyz"[i % 26] * (1 + i // 26)
                cases += [
                    sample.case(name, "uniform", f"new-{i}", "crash", reason=f"signal {word}",
                                reproduce="assay run"),
                    sample.case(name, "uniform", f"no-{i}", "unsupported", reason=f"no {word}"),
                    sample.case(name, "uniform", f"old-{i}", "fail",
                                known={"why": f"because {word}", "state": "expected"}),
                    sample.case(name, "uniform", f"well-{i}",
                                known={"why": f"because {word}", "state": "cured"})]
        path = os.path.join(folder, "many.jsonl")
        with open(path, "wb") as file:
            file.write(sample.lines(header, cases))
        done = assay("report", path)
        count = len(done.stdout.splitlines())
        # `certify` adds a blank line, four paths and the result.
        check(done.returncode == 0 and 30 < count <= LINES_MAX - 6,
              f"{targets} targets with 40 causes of each kind: {count} lines", done.stdout)
        check("and 637 more of 637 other causes" in done.stdout if targets == 16 else
              "and 235 more of 235 other causes" in done.stdout, "what is left out is counted",
              done.stdout)


with tempfile.TemporaryDirectory() as work:
    conclusions(work)
    times(work)
    some(work)
    nothing(work)
    undefined(work)
    many_causes(work)
finish()
