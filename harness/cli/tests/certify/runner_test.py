# SPDX-License-Identifier: Apache-2.0
"""Runners that need nothing but exported requests, in C for plugins and in Python for functions:
what they record is judged as the live run is, and says what was not in force. TAP."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
PYTHON = os.path.abspath(os.environ.get("PYTHON", "build/venv/bin/python"))
ASSAY, RUNNER = os.path.join(BUILD, "assay"), os.path.join(BUILD, "assay-runner")
MODULE = '''
import numpy
from assay.target import Rejected, Unsupported

NAME, VERSION, MACHINE = "counts", "2", {"processor": "a device of its own"}


def supports(request):
    if request.attributes.get("output_type") != "i32" or set(request.dtypes.values()) != {"i32"}:
        raise Unsupported("whole numbers of 32 bits alone")


def openvino_range(request):
    start, stop, step = (int(request.inputs[name]) for name in ("start", "stop", "step"))
    if not step:
        raise Rejected("a step of zero")
    return numpy.arange(start, stop, step, dtype=numpy.int32)%s
'''


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


def cases(path):
    with open(path, encoding="utf-8") as lines:
        return {(line["suite"], line["case"]): line for line in map(json.loads, lines)
                if line["record"] == "case"}


def judge(record, *select):
    out = record + ".jsonl"
    return run(ASSAY, "certify", "--recorded", record, *select, "--out", out), cases(out)


def live(out, *words):
    done = run(ASSAY, "certify", *words, "--out", out)
    return done, cases(out)


def compare(name, got, wanted, fewer):
    """The same verdicts; `fewer`: reasons for which a case may be unsupported in the record."""
    differ = {key: (line["verdict"], got[key]["verdict"], got[key].get("reason"))
              for key, line in wanted.items() if got[key]["verdict"] != line["verdict"] and not
              (got[key]["verdict"] == "unsupported" and
               got[key].get("reason", "").startswith(fewer))}
    judged = [line for line in got.values() if line["verdict"] != "unsupported"]
    check(not differ and judged, f"{name}: {len(judged)} verdicts are those of the live run",
          differ)


def exported(work):
    requests = f"{work}/requests"
    done = run(ASSAY, "export", "--suite", "philox,openvino.range", "--requests", requests)
    check(done.returncode == 0 and "left out: 36 cases above 64 MiB" in done.stdout,
          "requests are exported, and what is left out is counted", done)
    with open(f"{requests}/requests.jsonl", encoding="utf-8") as file:
        text = file.read()
    check('"expected' not in text and '"reject' not in text and '"verdict' not in text,
          "nothing of what is right stands among them")
    return requests


def in_c(work, requests):
    away = f"{work}/away"  # where nothing of assay lies
    os.mkdir(away)
    shutil.copy(RUNNER, away)
    select = ("--suite", "philox")
    needs = run("ldd", RUNNER).stdout
    if os.path.exists("/usr/lib/x86_64-linux-gnu/libcrypto.a"):
        check("crypto" not in needs and "yajl" not in needs,
              "the runner needs the C library alone", needs)
    for place, plugin, verdict in (("targets", "random123", "pass"), ("zoo", "nine_rounds", "fail"),
                                   ("zoo", "no_write", "memory"), ("zoo", "clock", "nondetermin")):
        shutil.copy(f"{BUILD}/{place}/{plugin}.so", away)
        done = run("./assay-runner", f"{plugin}.so", requests, plugin, cwd=away)
        check(done.returncode == 0 and " requests recorded in " in done.stdout,
              f"{plugin}: the plugin's answers are recorded", done)
        judged, got = judge(f"{away}/{plugin}", *select)
        if plugin != "clock":  # which differs from run to run
            _, wanted = live(f"{work}/{plugin}.jsonl", "--plugin",
                             f"{BUILD}/{place}/{plugin}.so", *select)
            compare(plugin, got, wanted, ("the record lacks", "the case is not in"))
        check(any(line["verdict"].startswith(verdict) for line in got.values()),
              f"{plugin}: {verdict} is found in what was recorded", judged)
    page = run(ASSAY, "report", f"{away}/random123.jsonl")
    check("was not run under: inaccessible pages beside tensors" in page.stdout and
          "recorded at" in page.stdout and "assay-runner" in page.stdout,
          "the report says what was not in force, and what recorded", page)
    check(run(RUNNER, "--help").returncode == 0 and run(RUNNER, "x").returncode == 2,
          "it has a usage")
    for words, code, said in (((f"{away}/none.so", requests, f"{away}/0"), 3, "none.so"),
                              ((f"{away}/random123.so", away, f"{away}/0"), 2, "cannot open"),
                              ((f"{away}/random123.so", requests, f"{away}/random123"), 2,
                               "is there already"),
                              (("--case", "huge-*", f"{away}/random123.so", requests, f"{away}/0"),
                               4, "nothing was recorded")):
        done = run(RUNNER, *words)
        check(done.returncode == code and said in done.stderr + done.stdout and
              not os.path.exists(f"{away}/0"), f"assay-runner: {said}", done)
    with open(f"{requests}/requests.jsonl", encoding="utf-8") as file:
        text = file.read()
    bad = f"{work}/bad"
    shutil.copytree(requests, bad)
    with open(f"{bad}/requests.jsonl", "w", encoding="utf-8") as file:
        file.write(text.replace('"rounds": 7', '"rounds": 8', 1))
    done = run(RUNNER, f"{away}/random123.so", bad, f"{away}/0")
    check(done.returncode == 2 and "the line was changed" in done.stderr,
          "changed requests are refused", done)
    return bad


def in_python(work, requests, bad):
    away = f"{work}/python"
    os.mkdir(away)
    for name in ("record.py", "target.py"):
        shutil.copy(f"harness/python/assay/{name}", away)
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def record(folder, *words):
        return run(PYTHON, "record.py", *words, folder, cwd=away, env=clean)

    for name, flaw in (("right", ""), ("wrong", " + 1"), ("other", ".astype(numpy.int64)"),
                       ("rows", "[None].repeat(2, 0)"), ("raises", " / None")):
        with open(f"{away}/{name}.py", "w", encoding="utf-8") as file:
            file.write(MODULE % flaw)
        done = record(name, f"{name}.py", requests)
        check(done.returncode == 0 and "requests recorded in" in done.stdout,
              f"{name}: a module's answers are recorded", done)
        _, got = judge(f"{away}/{name}", "--suite", "openvino.range")
        verdicts = {line["verdict"] for line in got.values()}
        reasons = " ".join(line.get("reason", "") for line in got.values())
        said = {"right": "whole numbers of 32 bits alone", "wrong": "", "raises": "failed: TypeErr",
                "rows": "wrong result: output 'output' is i32[2,0]; expected i32[0]",
                "other": "wrong result: output 'output' is i64"}[name]
        check(said in reasons and ("fail" in verdicts) == (name != "right") and
              ("pass" in verdicts or name != "right"),
              f"{name}: judged as it is", sorted(verdicts))
    with open(f"{away}/right.jsonl", encoding="utf-8") as file:
        header = json.loads(file.readline())
    check(header["targets"][0]["name"] == "counts" and header["targets"][0]["version"] == "2" and
          header["machine"]["processor"] == "a device of its own" and
          any(library["file"].endswith("/numpy/") for library in header["targets"][0]["libraries"]),
          "the record names module, device and packages", header["targets"])
    done = record("numpy", "--name", "numpy", os.path.abspath("harness/targets/numpy.py") +
                  ":NumPy", requests)
    _, got = judge(f"{away}/numpy", "--suite", "philox,openvino.range")
    _, wanted = live(f"{work}/numpy.jsonl", "--target", "numpy", "--suite", "philox,openvino.range")
    compare("numpy: a Target", got, wanted,
            ("the record lacks", "tensors above", "the case is not"))
    for words, said in ((("none.py", requests), "there is no none.py"),
                        (("right.py:Nothing", requests), "has no 'Nothing'"),
                        (("right.py", bad), "the line was changed"),
                        (("right.py", away), "No such file")):
        done = record("0", *words)
        check(done.returncode == 2 and said in done.stderr and not os.path.exists(f"{away}/0") and
              not [name for name in os.listdir(away) if name.startswith("0.")],
              f"record.py: {said}", done)
    check(record("right", "right.py", requests).returncode == 2, "no record is overwritten")


with tempfile.TemporaryDirectory() as folder:
    asked = exported(folder)
    in_python(folder, asked, in_c(folder, asked))
finish()
