# SPDX-License-Identifier: Apache-2.0
"""A case whose output is too large for one call is certified window after window, all of it: wrong
elements are found wherever they are and counted in the whole output; another allowed profile is
held against all of it too; parts and processes change nothing.

TAP on standard output.
"""
import filecmp
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import late_element  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
COUNT = (1 << 23) + 1000  # 64 MiB and more; the last window is a short one
SUITE = f"""suite: large
version: 1.0.0
specification: {{title: RandomUniform, source: "https://docs.openvino.ai/"}}
requirements:
  LARGE: {{text: "an element depends on its place alone", clause: "detailed description"}}
choices:
CHOICES
cases:
  - id: large
    covers: [LARGE]
    op: openvino.random_uniform
    attributes: {{output_type: f64, global_seed: 7, op_seed: 8}}
    inputs: {{shape: [{COUNT}], minval: 0.3, maxval: 1.7}}
  - id: twice
    covers: [LARGE]
    op: openvino.random_uniform
    attributes: {{output_type: f64, global_seed: 7, op_seed: 8}}
    inputs: {{shape: [{COUNT}], minval: 0.3, maxval: 1.7}}
    runs: 2
  - id: small
    covers: [LARGE]
    op: openvino.random_uniform
    attributes: {{output_type: f64, global_seed: 7, op_seed: 8}}
    inputs: {{shape: [100], minval: 0.3, maxval: 1.7}}
"""


def assay(home, *words):
    return subprocess.run([ASSAY, *map(str, words)], capture_output=True, text=True,
                          env=dict(os.environ, ASSAY_HOME=home))


def build(home, name, *words):
    built = late_element(f"{home}/{name}.so", *words)
    check(built.returncode == 0, f"{name} is built", built)


def certify(home, name, *words, out=None):
    out = f"{home}/{out or name}.jsonl"
    done = assay(home, "certify", "--plugin", f"{home}/{name}.so", "--suite", "large", "--quiet",
                 "--out", out, *words)
    records = [json.loads(line) for line in open(out)] if os.path.exists(out) else []
    return done, {r["case"]: r for r in records if r["record"] == "case"}


def compare_ways(home, name, what, jobs, parts, *words):
    """Windows of one output go to several processes, and to several parts."""
    for jobs in jobs:
        certify(home, name, *words, "--jobs", jobs, out="jobs")
        check(filecmp.cmp(f"{home}/{name}.jsonl", f"{home}/jobs.jsonl", shallow=False),
              f"{what}: {jobs} processes write what one does")
    for count in parts:
        to = f"{home}/{name}-{count}"
        part = ("certify", "--plugin", f"{home}/{name}.so", "--suite", "large", "--to", to, *words)
        parts = [assay(home, *part, "--shard", f"{i}/{count}") for i in range(1, count + 1)]
        done = assay(home, "merge", "--out", f"{home}/merged.jsonl", to)
        check(
            not any(each.returncode for each in parts)
            and filecmp.cmp(f"{home}/{name}.jsonl", f"{home}/merged.jsonl", shallow=False),
            f"{what}: {count} parts, joined, are what one process writes", (parts, done))


def element(at):
    request = {
        "op": "openvino.random_uniform",
        "attributes": {"output_type": "f64", "global_seed": 7, "op_seed": 8},
        "inputs": {"shape": [COUNT], "minval": 0.3, "maxval": 1.7}, "window": [at, 1]
    }
    done = subprocess.run([ASSAY, "eval", "-"], capture_output=True, text=True,
                          input=json.dumps(request))
    return json.loads(done.stdout)["outputs"]["output"]["bits"][0]


def write_suite(home):
    """With the choices that the suite in the tree has."""
    lines = open("yaml/suites/openvino.random_uniform.yaml").read().split("\n")
    first = lines.index("choices:") + 1
    end = next(i for i in range(first, len(lines)) if lines[i] and lines[i][0] != " ")
    os.makedirs(f"{home}/yaml/suites")
    os.makedirs(f"{home}/vectors/golden")
    with open(f"{home}/yaml/suites/large.yaml", "w") as file:
        file.write(SUITE.replace("CHOICES", "\n".join(lines[first:end])))
    done = assay(home, "emit", "--suite", "large", "--write")
    check(done.returncode == 0, "the suite is emitted", done)


def main():
    with tempfile.TemporaryDirectory() as home:
        write_suite(home)
        build(home, "right", "-DAT=UINT64_MAX")
        done, cases = certify(home, "right")
        check(
            done.returncode == 0 and cases["large"]["verdict"] == "pass"
            and cases["large"]["conditions"] > 1, "a right target passes", done)
        check(
            cases["twice"]["verdict"] == "unsupported"
            and "several runs has no windows" in cases["twice"]["reason"],
            "of several runs it is told that windows are not for them", done)
        wrong = (1 << 23) + 77
        build(home, "late", f"-DAT=UINT64_C({wrong})")
        done, cases = certify(home, "late", "--quick")
        output = cases.get("large", {}).get("outputs", [{}])[0]
        bits = element(wrong)
        check(
            done.returncode == 1 and cases["large"]["verdict"] == "fail"
            and cases["small"]["verdict"] == "pass", "one wrong element in the last window fails",
            done)
        check((output.get("compared"), output.get("wrong"), output.get("first"))
              == (COUNT, 1, [wrong]) and output["elements"][0]["at"] == wrong
              and output["elements"][0]["expected"] == bits, "and is counted in the whole output",
              done)
        build(home, "flaky", f"-DAT=UINT64_C({wrong})", "-DTIMES=1")
        done, cases = certify(home, "flaky")
        check(done.returncode == 1 and cases["large"]["verdict"] == "nondeterministic",
              "an element that is wrong only once is a matter of chance", done)
        build(home, "fused", "-DAT=UINT64_MAX", "-DFUSED")
        done, cases = certify(home, "fused", "--quick")
        check(
            done.returncode == 0 and cases["large"]["verdict"] == "pass"
            and cases["large"].get("profile") == {"rounding": "fused"},
            "another allowed profile that gives all bits passes", done)
        build(home, "fused_late", f"-DAT=UINT64_C({wrong})", "-DFUSED")
        done, cases = certify(home, "fused_late", "--quick")
        check(
            done.returncode == 1 and cases["large"]["verdict"] == "fail"
            and cases["small"]["verdict"] == "pass", "and one wrong element beside it fails", done)
        compare_ways(home, "fused", "another profile", [2], [2], "--quick")
        compare_ways(home, "fused_late", "one wrong element", [], [12], "--quick")
        certify(home, "late")
        compare_ways(home, "late", "all conditions", [3], [])
        # Of what comes behind a window that is not answered nothing is said, whoever else had it in
        # hand.
        window = 1 << 20
        for at, each, other, first, jobs, parts in (
            (0, 1, wrong, 0, [2], []), (5 * window, window, wrong, 5 * window, [3], [3]),
            (5 * window, 3 * window, 3, 0, [2], [])):
            name = f"fails_{at}_{other}"
            build(home, name, f"-DAT=UINT64_C({other})", f"-DFAILS_AT=UINT64_C({at})",
                  f"-DFAILS_EACH=UINT64_C({each})")
            done, cases = certify(home, name, "--quick")
            case = cases.get("large", {})
            check(
                done.returncode == 1 and case.get("verdict") == "fail"
                and f"elements {first} to {first + window - 1}" in case["reason"]
                and not case.get("outputs"),
                f"no answer from element {at} on and element {other} wrong: element {first} is "
                "named",
                (done, case))
            compare_ways(home, name, f"no answer from element {at} on, element {other} wrong", jobs,
                         parts, "--quick")
        build(home, "whole", "-DAT=UINT64_MAX", "-DCAPABILITIES=0")
        done, cases = certify(home, "whole")
        check(
            cases["large"]["verdict"] == "unsupported"
            and "gives no windows" in cases["large"]["reason"],
            "a target without windows is told so", done)
    finish()


if __name__ == "__main__":
    main()
