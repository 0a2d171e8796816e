# SPDX-License-Identifier: Apache-2.0
"""assay certify --mode stepwise of gradients: a target that goes wrong in one step of one layer and
direction is told so, with the gate whose equation, operand or gradient of parameters was spoilt;
one that is wrong everywhere, at the last layer and its last step, which a reverse pass reaches
first.
"""

import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY, SUITE = os.path.join(BUILD, "assay"), "onednn.rnn.backward"
HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = f"{sys.executable} {os.path.join(HERE, 'spoiled_target.py')}"
PLACE = (0, 1, 1)

# What is spoilt, and the gate that is named; None: no gate by itself.
SPOILT = {
    "lstm-lstm": {
        "factor=dz_0_without_1": "i", "factor=dz_0_without_0": "i", "factor=dz_1_without_2": "f",
        "factor_neighbour=dz_2_neighbour_0": "c", "sign=dz_3_minus_0": "o",
        "operand=dx_without_2": "c", "operand=dh_before_without_3": "o",
        "operand=dc_before_without_0": "f", "gradient=dw_1_of_next": "f",
        "gradient=dw_3_of_next": "o", "gradient=du_3_of_new_state": "o",
        "gradient=db_0_of_next": "i", "operand=z_1_without_1": "f", "operand=dh_without_1": None
    }, "gru-gru": {
        "factor=dz_0_without_2": "u", "factor=dz_1_without_0": "r", "factor=dz_2_without_0": "o",
        "operand=dx_without_1": "r", "gradient=du_2_of_next": "o", "operand=z_1_without_1": "r"
    }, "gru-lbr_gru": {
        "factor=dz_1_without_1": "r", "sign=dz_2_minus_0": "o", "gradient=db_2_of_next": "o"
    }, "vanilla-tanh": {"factor=dz_0_without_1": "the only one"},
}


def arriving(case):
    """What reaches PLACE from above, first element: the gradient that the step above it hands
    down."""
    shown = subprocess.run([ASSAY, "show", case, "--suite", SUITE, "--json"], capture_output=True,
                           text=True, check=True)
    document = dict(json.loads(shown.stdout), step=[PLACE[0] + 1, *PLACE[1:]])
    done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(document), capture_output=True,
                          text=True, check=True)
    return struct.unpack(
        ">f", bytes.fromhex(json.loads(done.stdout)["outputs"]["diff_src_layer"]["bits"][0]))[0]


def certify(case, out, where, option=None):
    choice, _, name = (option or "").partition("=")
    environment = dict(os.environ, SPOILED_INPUT=where,
                       SPOILED_PROFILE=json.dumps({choice: name} if option else {}))
    done = subprocess.run([
        ASSAY, "certify", "--exec", TARGET, "--suite", SUITE, "--case", case, "--mode", "stepwise",
        "--quick", "--verbose", "--no-explain", "--out", out
    ], capture_output=True, text=True, check=False, env=environment)
    with open(out, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return done, next(k for k in records if k["record"] == "case")


def main():
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.jsonl")
        for cell, options in SPOILT.items():
            case = f"time-{cell}-concat-f32-2-layers"
            done, record = certify(case, out, "none")
            check(done.returncode == 0 and record["verdict"] == "pass" and record["steps"] == 12,
                  f"{cell}: who conforms passes", done.stdout + done.stderr)
            where, wrong = repr(arriving(case)), []
            for option, gate in options.items():
                done, record = certify(case, out, where, option)
                step = record.get("step", {})
                if (step.get("layer"), step.get("direction"),
                        step.get("time")) != PLACE or step.get("gate_name") != gate:
                    wrong.append(f"{option}: {step}, not gate {gate}")
            check(not wrong, f"{cell}: the first wrong layer, direction, time and gate are named",
                  "\n".join(wrong))
        case = "time-lstm-lstm-concat-f32-2-layers"
        done, record = certify(case, out, "any", "factor=dz_1_without_2")
        check(
            record["step"] == {"layer": 1, "direction": 0, "time": 2, "gate": 1, "gate_name": "f"}
            and "first wrong at layer 1, direction 0, time 2, gate 1 (f)" in done.stdout,
            "wrong everywhere, the last layer and its last step are named", record.get("step"))
    finish()


main()
