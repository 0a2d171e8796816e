# SPDX-License-Identifier: Apache-2.0
"""The runner for DirectML, with a stand-in for the device: what it reads and writes is judged like
any record, and what is wrong with the device is found. DirectML itself is not run. TAP."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))
SOURCES = [f"harness/targets/directml/{name}.cpp"
           for name in ("main", "record", "digest_openssl", "device_simulated")]
SUITE = ("--suite", "directml.random_generator")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def judge(folder):
    out = folder + ".results"
    done = run(ASSAY, "certify", "--recorded", folder, *SUITE, "--out", out)
    with open(out, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return done, records[0], {r["case"]: r for r in records if r["record"] == "case"}


def record(work, runner, requests):
    done = run(runner, requests, f"{work}/right")
    check(done.returncode == 0 and "answers to 293 of 295 requests" in done.stdout,
          "requests are read and answers are recorded", done)
    judged, header, cases = judge(f"{work}/right")
    failed = {name: case["reason"] for name, case in cases.items()
              if case["verdict"] not in ("pass", "rejected", "survived", "unsupported")}
    # The stand-in fails where DirectML would refuse: a size of more than 2^40 elements.
    check(failed == {"refuse-output-size-overflow": "failed: a tensor is too large"},
          "right answers pass, and refusals are refusals", failed or judged)
    target = header["targets"][0]
    check(target["name"] == "directml_simulated" and target["version"] == "simulated" and
          "simulated device" in target["recorded"]["by"],
          "a record of the stand-in calls itself one", target)
    check("inaccessible pages" in target["untried"] and "outputs poisoned" not in target["untried"],
          "it says which conditions were not in force", target["untried"])
    for flaw, verdict, why in (("rounds", "fail", "rounds=9"), ("unwritten", "memory", "written")):
        run(runner, requests, f"{work}/{flaw}", env=dict(os.environ, ASSAY_SIMULATE=flaw))
        judged, _, cases = judge(f"{work}/{flaw}")
        check(sum(case["verdict"] == verdict for case in cases.values()) > 200 and
              why in judged.stdout, f"{flaw}: a wrong device is found", judged)


def refuse(work, runner, requests):
    bad = f"{work}/bad"
    shutil.copytree(requests, bad)
    with open(f"{bad}/requests.data", "r+b") as file:
        byte = file.read(1)[0]
        file.seek(0)
        file.write(bytes([byte ^ 1]))
    for words, said in (((bad, f"{work}/0"), "bytes from 0 on were changed"),
                        ((requests, f"{work}/right"), "is there already"),
                        ((work, f"{work}/0"), "cannot open"), ((), "usage:")):
        done = run(runner, *words)
        check(done.returncode == 2 and said in done.stderr and not os.path.exists(f"{work}/0") and
              not os.path.exists(f"{work}/0.part"), f"the runner says: {said}", done)


with tempfile.TemporaryDirectory() as folder:
    program, asked = f"{folder}/directml-runner", f"{folder}/requests"
    compiler = shutil.which("g++") or shutil.which("clang++")
    built = compiler and run(compiler, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Wshadow",
                             "-Wconversion", "-o", program, *SOURCES, "-lcrypto")
    if not built or "nlohmann/json.hpp" in built.stderr:
        skip("the runner for DirectML, with a stand-in for the device",
             "nlohmann's json.hpp or a C++ compiler is not installed (scripts/setup)")
    elif check(built.returncode == 0 and not built.stderr, "it compiles without warnings", built):
        run(ASSAY, "export", *SUITE, "--requests", asked)
        record(folder, program, asked)
        refuse(folder, program, asked)
    skip("DirectML on a device", "it is on Windows alone; this runner has not been run there")
finish()
