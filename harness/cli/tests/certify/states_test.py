# SPDX-License-Identifier: Apache-2.0
"""Gradients with the states that they were made from: a target that declares it is asked for
dst_layer, and the bounds of its gradients come from its own; a dst_layer that is wrong by itself, a
forward half or a gradient that is, fail all the same; one that declares nothing is not asked.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY, SUITE = os.path.join(BUILD, "assay"), "onednn.rnn.backward"
HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = f"{sys.executable} {os.path.join(HERE, 'spoiled_target.py')}"
DENSE, DEEP = "dense-steps-gru-lbr_gru-l2r", "time-gru-gru-concat-f32-2-layers"


def certify(out, case, *options, profile=None, states=None, gradient=None,
            target=("--exec", TARGET)):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SPOILED_")}
    environment["SPOILED_INPUT"] = "any" if profile else "none"
    environment["SPOILED_PROFILE"] = json.dumps(profile or {})
    if gradient:
        environment["SPOILED_GRADIENT"] = repr(gradient)
    if states:
        environment["SPOILED_STATES"] = states
    done = subprocess.run([
        ASSAY, "certify", *target, "--suite", SUITE, "--case", case, "--quick", "--quiet", "--out",
        out, *options
    ], capture_output=True, text=True, check=False, env=environment)
    with open(out, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return done, next(k for k in records if k["record"] == "case")


def wrong(record):
    return [k["name"] for k in record["outputs"] if k["wrong"]]


def main():
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.jsonl")
        done, record = certify(out, DENSE, states="right")
        check(
            done.returncode == 0 and record.get("observed") is True
            and record["outputs"][0]["name"] == "dst_layer",
            "who gives its states is judged by them, and they are judged",
            done.stdout + str(record))
        done, record = certify(out, DENSE)
        check(
            done.returncode == 0 and "observed" not in record
            and all(k["name"] != "dst_layer" for k in record["outputs"]),
            "who declares nothing is not asked", done.stdout + str(record))
        done, record = certify(out, DENSE, "--mode", "sequence", states="right")
        check(done.returncode == 0 and "observed" not in record,
              "in the mode sequence they are not looked at", str(record))
        done, record = certify(out, DEEP, states="right")
        check(
            done.returncode == 0 and "observed" not in record
            and all(k["name"] != "dst_layer" for k in record["outputs"]),
            "nor are they asked for where they do not show what recurs", str(record))
        done, record = certify(out, DENSE, states="wrong")
        check(
            done.returncode == 1 and wrong(record)[:1] == ["dst_layer"],
            "states that are not those of a right forward pass fail, before gradients from them "
            "say anything",
            done.stdout)
        for profile, first in (({"operand": "z_1_without_1"}, "dst_layer"),
                               ({"operand": "dh_before_without_0"}, "diff_src_layer")):
            done, record = certify(out, DENSE, profile=profile, states="right")
            check(done.returncode == 1 and wrong(record)[:1] == [first],
                  f"wrong by {profile}, {first} fails first", done.stdout)
        verdicts = [
            certify(out, DENSE, gradient=0.005, states=k)[1]["verdict"] for k in ("right", None)
        ]
        check(verdicts == ["fail", "pass"],
              "a gradient wrong by half a percent is told by the states alone", verdicts)
        small = {"factor": "dz_1_without_2"}
        check(
            certify(out, "add-gru-gru", profile=small,
                    states="right")[1].get("explained", {}).get("profile") == small,
            "what is wrong beside its states is explained",
            open(out, encoding="utf-8").read())
        for name in ("onednn2", "reference"):
            plugin = os.path.join(BUILD, "targets", name + ".so")
            if not os.path.exists(plugin):
                check(True, f"{name} # SKIP not built")
                continue
            try:
                done, record = certify(os.path.join(work, name), DENSE, target=("--plugin", plugin))
            except FileNotFoundError:
                check(True, f"{name} # SKIP cannot be used here")
                continue
            check(done.returncode == 0 and record.get("observed") is True,
                  f"{name} gives its states", done.stdout + str(record))
            # Its dU takes in more than the right one, and errs by more than the right one's bounds.
            if name == "onednn2":
                done, record = certify(out, "bias-no-state-vanilla-relu",
                                       target=("--plugin", plugin))
                check(
                    record.get("explained", {}).get("profile") == {"gradient": "du_0_of_new_state"},
                    "what it does instead is found although bounds are narrow", done.stdout)
    finish()


main()
