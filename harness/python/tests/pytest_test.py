# SPDX-License-Identifier: Apache-2.0
"""The pytest plugin: numpy's arange as openvino.range, in twenty lines of a user's file."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

try:
    import pytest  # noqa: F401
except ImportError:
    skip("a suite's cases as tests of pytest", "pytest is not installed (scripts/setup)")
    finish()

USER = "harness/python/tests/ranges.py"
KNOWN = """\
known:
  - target: arange
    suite: openvino.range
    case: [ends-u64-up, ends-u64-last]
    equals: {integer_element: from_f64, count: exact}
    why: numpy.arange computes wide integers in f64
"""
OTHERS = """\
import assay
import pytest


@pytest.mark.parametrize("case", assay.cases("openvino.range", "example-*"))
def test_example(case):
    case.check(lambda: dict(assay.evaluate(case.op, case.inputs, case.attributes)))


def test_wrong():
    assay.check("openvino.range", {"start": 0, "stop": 3, "step": 1},
                assay.evaluate("openvino.range", {"start": 0, "stop": 3, "step": 1},
                               {"output_type": "i32"})["output"] + 1, {"output_type": "i32"})
"""
ENV = {**os.environ, "PYTHONPATH": os.path.abspath("harness/python"),
       "BUILD": os.path.abspath(os.environ.get("BUILD", "build"))}

with tempfile.TemporaryDirectory() as folder:
    def run(*words):
        return subprocess.run([sys.executable, "-m", "pytest", "-p", "assay.pytest_plugin", *words],
                              capture_output=True, text=True, check=False, cwd=folder, env=ENV)

    def counts(done):
        return {word: int(number) for number, word in
                re.findall(r"(\d+) (\w+)", done.stdout.splitlines()[-1] if done.stdout else "")}

    def case(*words):
        return run("--assay", "openvino.range", "--assay-target", "ranges:arange", *words)

    shutil.copy(USER, folder)
    with open(USER) as file:
        check(file.read().count("\n") <= 20, "a user's file of twenty lines")
    done = case("-q")
    failure = done.stdout.partition("fail: ends-u64-up of suite")[2].partition("____")[0]
    check(done.returncode == 1 and counts(done).get("failed") == 12
          and counts(done).get("passed", 0) > 300 and counts(done).get("skipped", 0) > 1000,
          "each case is a test: passed, failed or skipped", done.stdout[-1500:] + done.stderr)
    check("4 of 5 elements differ, first at [1]" in failure and "expected" in failure
          and "3333333333333333 (3689348814741910323)" in failure
          and "equals the reference bit for bit with integer_element=from_f64" in failure,
          "its output says where, what, and what it equals instead", failure or done)
    page = re.search(r"^page: (.*)$", done.stdout, flags=re.M)
    check(page and b"ends-u64-up" in open(page[1], "rb").read(), "the page is an artifact", done)
    tests = sum(counts(done).values())
    check(f"{tests} cases, 12 unexpected" in done.stdout, "the summary says what certify says",
          done)
    with open(f"{folder}/known.yaml", "w") as file:
        file.write(KNOWN)
    done = case("-q", "-rx", "-k", "ends-u64", "--assay-known", "known.yaml", "--assay-html",
                "p.html")
    check(done.returncode == 0 and counts(done).get("xfailed") == 2
          and "computes wide integers in f64" in done.stdout
          and os.path.exists(f"{folder}/p.html"), "known failures are xfail, by their reasons",
          done)
    done = case("-q", "-k", "example-1 and not example-10", "--co")
    check("assay::openvino.range::example-1" in done.stdout, "tests have the names of cases", done)
    done = run("--assay", "openvino.rang", "--assay-target", "ranges:arange")
    check(done.returncode == 4 and "did you mean" in done.stderr + done.stdout,
          "a suite that is not there is a usage error", done)
    done = run("--assay", "openvino.range")
    check(done.returncode == 4 and "--assay-target" in done.stderr + done.stdout,
          "so is a run without a target", done)
    done = run("--assay", "openvino.range", "--assay-target", "nowhere:nothing", "-q", "-k",
               "example-1")
    check(done.returncode == 1 and "nowhere" in done.stdout, "a target that cannot start is told",
          done)
    with open(f"{folder}/test_others.py", "w") as file:
        file.write(OTHERS)
    done = run("-q", "test_others.py")
    check(done.returncode == 1 and counts(done).get("failed") == 1
          and counts(done).get("passed", 0) >= 3
          and "E       assay.Mismatch" in done.stdout
          and "def judge" not in done.stdout
          and "3 of 3 elements differ" in done.stdout,
          "cases and check stand in tests of one's own", done)
    done = run("test_others.py", "-k", "example", "-v")
    check("test_example[example-1]" in done.stdout, "by the names of cases", done)
finish()
