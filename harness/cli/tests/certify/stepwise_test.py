# SPDX-License-Identifier: Apache-2.0
"""assay certify --mode: a library that goes wrong in one gate of one step of one layer and
direction is told so, in text, record and page; one that conforms passes in every mode; all steps
have one profile, that of the suite; what the modes refuse.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import quantised_lstm  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY, ZOO = os.path.join(BUILD, "assay"), os.path.join(BUILD, "zoo")
CASE, PLACE, GATE = "deep-lstm-concat-5", (1, 1, 3), 2


ALLOWING = """suite: allowing
version: 1.0.0
specification: {title: t}
requirements: {R: {text: r}}
choices:
  int8_rounding: {default: nearest_even, allowed: [down], about: "how data are rounded"}
  others: deviant
cases:
  - id: steps
    covers: [R]
""" + quantised_lstm(8) + """    level: bits
  - id: without-data-to-round
    covers: [R]
    op: onednn.rnn
    attributes: {cell: gru}
    inputs:
      src_layer: {fill: grid, dtype: f32, shape: [3, 2, 4], bits: 8}
      weights_layer: {fill: grid, dtype: f32, shape: [1, 1, 4, 3, 4], bits: 8}
      weights_iter: {fill: grid, dtype: f32, shape: [1, 1, 4, 3, 4], bits: 8}
"""


def certify(plugin, out, *options, suite="onednn.rnn", **environment):
    done = subprocess.run([
        ASSAY, "certify", "--plugin",
        os.path.join(ZOO, plugin + ".so"), "--suite", suite, "--verbose", "--quick", "--out", out,
        *options
    ], capture_output=True, text=True, check=False, env=dict(os.environ, **environment))
    records = [json.loads(line)
               for line in open(out, encoding="utf-8")] if os.path.exists(out) else []
    return done, [r for r in records if r["record"] == "case"]


def first_channels(document):
    """x[0] of the first row of every step (layer, direction, time): of the layer below, dst_layer
    of its own step."""
    values = {}
    for layer, direction, time in [(l, d, t) for l in range(3) for d in range(2) for t in range(5)]:
        below = json.dumps(dict(document, step=[layer - 1, direction, time])) if layer else None
        if not layer:
            continue
        done = subprocess.run([ASSAY, "eval", "-"], input=below, capture_output=True, text=True,
                              check=True)
        bits = json.loads(done.stdout)["outputs"]["dst_layer"]["bits"][0]
        values[layer, direction, time] = struct.unpack(">f", bytes.fromhex(bits))[0]
    return values


def one_profile(work):
    """A target that takes an allowed option in all steps, in half of them, and in those alone that
    are not plainly wrong."""
    out, suite = os.path.join(work, "one.jsonl"), os.path.join(work, "allowing.yaml")
    with open(suite, "w", encoding="utf-8") as file:
        file.write(ALLOWING)
    for jobs in ("1", "2"):

        def verdicts(case, **environment):
            done, records = certify("other_option", out, "--mode", "stepwise", "--jobs", jobs,
                                    "--case", case, suite=suite,
                                    ASSAY_ZOO_OPTION="int8_rounding=down", **environment)
            return [r["verdict"] for r in records], [r.get("reason") for r in records], done.stdout

        seen = verdicts("*")
        check(seen[0] == ["pass", "pass"] and "int8_rounding=down" in seen[2],
              f"an allowed option in every step conforms, jobs {jobs}", seen)
        seen = [verdicts("steps", ASSAY_ZOO_HALF=str(half)) for half in range(4)]
        check(all(one[0] == ["fail"] for one in seen),
              f"an allowed option in some steps and not in others does not, jobs {jobs}", seen)
        seen = [verdicts("steps", ASSAY_ZOO_HALF=str(half), ASSAY_ZOO_ELSE="gates=rotated")
                for half in range(4)]
        check(all(one[0] == ["fail"] and one[1][0].startswith("first wrong at") for one in seen),
              f"nor where others are wrong under every option, which are named, jobs {jobs}", seen)


def main():
    with tempfile.TemporaryDirectory() as work:
        shown = subprocess.run([ASSAY, "show", CASE, "--suite", "onednn.rnn", "--json"],
                               capture_output=True, text=True, check=False)
        out = os.path.join(work, "out.jsonl")
        values = first_channels(json.loads(shown.stdout))
        target = values[PLACE]
        check(all(abs(v - target) > 1e-3 for k, v in values.items() if k != PLACE),
              "the step to be spoilt is told by its input", values)
        done, records = certify("wrong_gate", out, "--case", CASE, "--mode", "stepwise",
                                ASSAY_ZOO_INPUT=repr(target))
        check(
            done.returncode == 1
            and "first wrong at layer 1, direction 1, time 3, gate 2 (c)" in done.stdout,
            "the first wrong layer, direction, time and gate are named", done.stdout + done.stderr)
        check(f"certify --mode stepwise --case {CASE}" in done.stdout, "and how to see it again",
              done.stdout)
        check(
            len(records) == 1 and records[0].get("steps") == 30 and records[0].get("step")
            == {"layer": 1, "direction": 1, "time": 3, "gate": 2, "gate_name": "c"}
            and records[0]["outputs"][0]["shape"] == [1, 2, 6],
            "the record has them, and that step's outputs", records)
        page = os.path.join(work, "page.html")
        made = subprocess.run([ASSAY, "report", "--html", page, out], capture_output=True,
                              text=True, check=False)
        text = open(page, encoding="utf-8").read() if os.path.exists(page) else ""
        check("layer 1, direction 1, time 3, gate 2 (c)" in text, "so has the page",
              made.stderr + text[-300:])
        done, records = certify("good_rnn", out, "--case", "deep-lstm-concat-5", "--mode",
                                "stepwise")
        check(
            done.returncode == 0 and records[0]["verdict"] == "pass"
            and records[0].get("steps") == 30 and "step" not in records[0],
            "who conforms passes step by step", done.stdout + str(records))
        done, records = certify("wrong_gate", out, "--case", "dense-steps-lstm-l2r-f32",
                                ASSAY_ZOO_INPUT="9")
        check(done.returncode == 0 and records[0].get("observed") is True,
              "bounds are those of observed states where that is sound", done.stdout + str(records))
        done, records = certify("good_rnn", out, "--case", "dense-steps-lstm-l2r-f32", "--mode",
                                "sequence")
        check(
            done.returncode == 4 and records[0]["verdict"] == "vacuous"
            and "observed" not in records[0],
            "over the whole sequence they say nothing, and the verdict says so",
            done.stdout + str(records))
        done, records = certify("good_rnn", out, "--case", "deep-lstm-concat-5")
        check(done.returncode == 0 and "observed" not in records[0],
              "three layers are not observed", str(records))
        wrong = {"ASSAY_ZOO_OPTION": "wiring=step_before"}
        done, _ = certify("other_option", out, "--case", "deep-lstm-concat-5", **wrong)
        check(done.returncode == 1, "layers that read the one below a step too early fail",
              done.stdout)
        done, records = certify("other_option", out, "--case", "deep-lstm-concat-5", "--mode",
                                "stepwise", **wrong)
        check(
            done.returncode == 0 and records[0]["covers"] and not
            {"RN-LAYERS", "RN-DIRECTIONS", "RN-TIME"} & set(records[0]["covers"]),
            "no step shows it, so that steps count for no requirement of the whole",
            done.stdout + str(records))
        for options, why in ((["--mode", "fast"], "no mode"),
                             (["--mode", "stepwise", "--survey", "2"], "stepwise"),
                             (["--mode", "sequence", "--sign", "key.pem"], "--sign")):
            done = subprocess.run(
                [ASSAY, "certify", "--target", "reference", "--suite", "onednn.rnn", *options],
                capture_output=True, text=True, check=False)
            check(done.returncode == 2 and why in done.stderr, f"{' '.join(options)} is refused",
                  done.stderr)
        one_profile(work)
    finish()


main()
