# SPDX-License-Identifier: Apache-2.0
"""`assay known --against`: what a list of known failures says of results from another machine.

recorded/avx512.jsonl.xz holds 4,597 verdicts of openvino 2026.4.1, onednn 3.13.2, onednn2 2.6.3
and jax 0.10.2 from a processor with AVX-512, VNNI and BF16, with the first wrong elements of each.
The header, levels and profiles were added when they were brought into this format, and types that
its messages gave by number are named. Some of its failures are none today: bounds of GRU backward
in bf16 are wider, and how a second inference counts on is an allowed choice."""

import json
import lzma
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

sys.path.insert(0, os.path.join("reports", "tests"))
import sample  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
NINE = os.path.join(BUILD, "zoo", "nine_rounds.so")
RECORDED = lzma.open("harness/cli/tests/reports/recorded/avx512.jsonl.xz").read().decode()
# The plugin takes at most 16 rounds.
MANY = """  - {target: nine_rounds, suite: philox, where: {rounds: [1024, "1[7-9]", "[2-9]?"]},
     refused: "not a Philox *", why: so many rounds are refused}
"""
CASE = "published-old-4x32-r10"


def against(results, *options):
    return subprocess.run([ASSAY, "known", "--against", "-", *options], input=results,
                          capture_output=True, text=True, check=False)


def count(done, word):
    found = re.search(r"(\d+) " + word, done.stdout)
    return int(found.group(1)) if found else -1


def changed(text, change):
    """The results with each case's record changed by `change`, and the footer that they need."""
    records = [json.loads(line) for line in text.splitlines()[:-1]]
    for record in records[1:]:
        change(record)
    return sample.lines(records[0], records[1:]).decode()


def own_results(folder):
    path = os.path.join(folder, "own.jsonl")
    subprocess.run([ASSAY, "certify", "--plugin", NINE, "--suite", "philox", "--quiet",
                    "--no-explain", "--out", path], capture_output=True, check=False)
    return open(path).read()


def held(folder):
    path = os.path.join(folder, "known.yaml")
    own = own_results(folder)

    def entry(results=own, **changes):
        fields = {"target": "nine_rounds", "suite": "philox", "where": {"rounds": "10"},
                  "equals": {"rounds": "9"}, "why": "nine rounds"}
        fields.update(changes)
        fields = {key: value for key, value in fields.items() if value is not None}
        with open(path, "w") as file:
            file.write("classes: '*'\nknown:\n  - " + json.dumps(fields) + "\n" + MANY)
        return against(results, "--known", path)

    failing, refused = own.count('"verdict": "fail"'), own.count("refused: not a Philox request")
    done = entry()
    check(done.returncode == 0 and count(done, "covered") == failing > 10,
          "results of a run here are what their list says", done.stdout + done.stderr)
    done = entry(equals={"rounds": "8"})
    check(done.returncode == 1 and count(done, "contradicted") == failing - refused
          and re.search(r"contradicted: nine_rounds philox \S+: fail, against line 3, element \d+ "
                        r"of output is [0-9a-f]{8} where the entry gives [0-9a-f]{8}\n",
                        done.stdout), "another explanation is contradicted", done.stdout)
    done = entry(where=None, case=CASE)
    check(done.returncode == 1 and count(done, "covered") == 1 + refused and
          count(done, "new") == failing - 1 - refused, "what no entry covers is new", done.stdout)
    few = against(own, "--known", path, "--show", "2")
    check(done.stdout.count("new: ") == 20 and few.stdout.count("new: ") == 2
          and few.stdout.splitlines()[-1] == done.stdout.splitlines()[-1],
          "--show 2 names two, and counts all", few.stdout)
    done = entry(where=None)
    check(done.returncode == 1 and count(done, "contradicted") > 0
          and re.search(r"contradicted: \S+ philox \S+: (pass|rejected), against", done.stdout),
          "a case that passes contradicts its entry", done.stdout)
    done = entry(case="nothing-*")
    check(done.returncode == 1 and "line 3 covers no case of philox" in done.stdout,
          "an entry that covers no case is told", done.stdout)

    # One bit of one shown element, by way of what only that element's record says.
    def spoil(record):
        if record["case"] == CASE:
            element = record["outputs"][0]["elements"][-1]
            element["got"] = f"{int(element['got'], 16) ^ 1:08x}"
    done = entry(changed(own, spoil))
    check(done.returncode == 1 and count(done, "contradicted") == 1
          and f"philox {CASE}: fail, against line 3" in done.stdout,
          "one bit of one shown element contradicts", done.stdout + done.stderr)

    # All that is wrong is shown, so that what is not shown is right.
    def hide(record):
        if record["case"] == CASE:
            output = record["outputs"][0]
            output["elements"] = output["elements"][:-1]
            output["wrong"] = len(output["elements"])
    done = entry(changed(own, hide))
    check(done.returncode == 1 and count(done, "contradicted") == 1,
          "an element that is said to be right contradicts as well", done.stdout + done.stderr)


def other_class():
    done = against(RECORDED)
    gone = max(count(done, "records are of"), 0)  # cases that the suites no longer have
    check(done.returncode == 1 and count(done, "records:") + gone == 4597
          and count(done, "contradicted") == 0 and count(done, "covered") > 600,
          "the recorded results of another machine do not contradict the list",
          done.stdout + done.stderr)
    new = re.findall(r"^new: \S+ \S+ (\S+): fail", done.stdout, re.M)
    check(0 < len(new) == count(done, "new")
          and all("gru-" in name and "bf16" in name or name == "again-f32" for name in new),
          "what is new is what the reference admits today", new)
    nowhere = RECORDED.replace('"class": "x86-64-v4+vnni+bf16"', '"class": "x86-64-v9"')
    head, _, rest = nowhere.partition("\n")
    records = [json.loads(line) for line in rest.splitlines()[:-1]]
    done = against(sample.lines(json.loads(head), records).decode())
    check(count(done, "unlisted") > 0 and count(done, "new") == 0,
          "on a class that no list covers a failure is unlisted", done.stdout + done.stderr)


# What OpenVINO gave for again-bf16 on a processor with AVX-512, judged under the profile that the
# record of again-f32 names: "expected got" of each element, those that are right left out.
SEVERAL = ("4093 4092,407c 407a,40d3 40d2,410b 410a,40bb 40ba,40bb 40ba,406a 4068,3fc8 3fc4,"
           "4027 4025,401b 4019,4087 4086",
           "40b8 40b6,3fec 3fe9,bf8e bf8f,,403f 403d,40a9 40a7,bf3a bf3d,40d0 40cf,,408d 408c,"
           "410d 410c",
           "4081 4080,,3fe0 3fdd,40f5 40f3,bf6b bf6e,4058 4055,,40b8 40b6,,40dd 40db,4015 4013")


def several_runs():
    header = json.loads(RECORDED.partition("\n")[0])
    header.update(targets=[t for t in header["targets"] if t["name"] == "openvino_native"],
                  suites=[s for s in header["suites"] if s["name"] == "openvino.random_uniform"])

    def record(case, **fields):
        return dict(record="case", target="openvino_native", suite="openvino.random_uniform",
                    case=case, op="openvino.random_uniform", covers=[], required="bits", **fields)

    def held_to(runs, **profile):
        outputs = []
        for run, text in enumerate(runs):
            shown = [dict(zip(("at", "expected", "got"), (at, *pair.split())))
                     for at, pair in enumerate(text.split(",")) if pair]
            outputs.append(dict(name="output", dtype="bf16", shape=[11], run=run, compared=11,
                                wrong=len(shown), first=[0], elements=shown))
        return against(sample.lines(header, [
            record("again-bf16", verdict="fail", outputs=outputs),
            record("again-f32", verdict="pass", reached="bits", profile=profile)]).decode())
    chosen = {"rounding": "fused", "i64_words": "one", "state": "skip_256_elements"}
    done = held_to(SEVERAL, **chosen)
    check(count(done, "covered") == 1 and count(done, "contradicted") == 0,
          "runs that were judged under the profile of the run", done.stdout + done.stderr)
    done = held_to((SEVERAL[0], SEVERAL[1].replace("40d0 40cf", ""), SEVERAL[2]), **chosen)
    check(count(done, "contradicted") == 1, "an element that is said to be right is not",
          done.stdout + done.stderr)


def relations(folder):
    """A relation whose requests are refused has no values, and a message all the same."""
    path = os.path.join(folder, "relations.yaml")
    header = json.loads(RECORDED.partition("\n")[0])
    header.update(targets=[t for t in header["targets"] if t["name"] == "onednn_native"],
                  suites=[s for s in header["suites"] if s["name"] == "onednn.rnn"])
    record = dict(record="case", target="onednn_native", suite="onednn.rnn", required="bound",
                  case="agrees-row-lstm-f32", op="onednn.rnn", covers=[], verdict="fail",
                  reason="refused: sizes do not fit")

    def held_to(pattern):
        with open(path, "w") as file:
            file.write("classes: '*'\nknown:\n  - " + json.dumps(dict(
                target="onednn_native", suite="onednn.rnn", case=record["case"], refused=pattern,
                why="small")))
        return against(sample.lines(header, [record]).decode(), "--known", path)
    done = held_to("*sizes*")
    check(count(done, "covered") == 1 and count(done, "contradicted") == 0,
          "a refused relation is what its list says", done.stdout + done.stderr)
    done = held_to("*types*")
    check(count(done, "contradicted") == 1, "another message contradicts it",
          done.stdout + done.stderr)


def refused(folder):
    done = subprocess.run([ASSAY, "known"], capture_output=True, text=True, check=False)
    check(done.returncode == 2 and "--against" in done.stderr, "results are asked for", done.stderr)
    done = against("")
    check(done.returncode == 2 and "empty" in done.stderr, "no results are an error", done.stderr)
    done = against(RECORDED.replace("example-1", "example-0", 1))
    check(done.returncode == 2 and "the file was changed" in done.stderr,
          "results that were changed are refused", done.stderr)
    done = against(sample.lines(dict(sample.header(), suites=[], requirements=[], errata=[],
                                     targets=[]),
                                []).decode())
    check(done.returncode == 4 and "0 records" in done.stdout, "nothing to hold is exit code 4",
          done.stdout + done.stderr)


with tempfile.TemporaryDirectory() as where:
    held(where)
    other_class()
    several_runs()
    relations(where)
    refused(where)
finish()
