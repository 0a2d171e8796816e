# SPDX-License-Identifier: Apache-2.0
"""The known failures of the libraries are held to their explanation: with one bit of the expected
deviation changed, or of what the library gave, the failure is another one."""

import fnmatch
import json
import os
import subprocess
import sys
import tempfile

import yaml

sys.path[:0] = ["harness/tests", "reports/tests"]
import sample  # noqa: E402
from tap import check, finish, skip  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
KNOWN = os.path.join("harness", "targets", "known.yaml")
# A case, and what its entry says there; the deviation beside it differs in the last bit somewhere.
CASES = [
    ("openvino", "openvino.random_uniform", "range-bf16-negative",
     "{computed_in: 32_bits, rounding: fused, bf16_rounding: openvino}",
     "{computed_in: 32_bits, rounding: fused}"),
    ("openvino", "openvino.range", "edge-bf16-f16-tenth", "{bf16_rounding: openvino}",
     "{element: recurrence_f64}"),
    ("onednn2", "onednn.rnn.backward", "bias-no-state-vanilla-relu",
     "{gradient: du_0_of_new_state}", "{gradient: du_0_of_next}"),
    ("onednn2", "onednn.rnn", "int8-wide-weights-gru-3", "{int8_products: pairs_in_16_bits}",
     "{int8_rounding: down}"),
    ("onednn", "onednn.rnn", "int8-lstm-projection-one-l2r-i8-i8-1-layers",
     "{int8_overflow: negative_as_0}", "{int8_overflow: wraps}"),
    ("onednn2", "onednn.rnn.backward", "width-augru-7", "{attention_gradient: of_update}",
     "{diff_attention: doubled}"),
    # Two answers that do not agree, each of them.
    ("onednn2", "onednn.rnn.backward", "agrees-batch-two-lbr-augru",
     "{attention_gradient: of_update}", "{diff_attention: doubled}"),
    ("onednn2", "onednn.rnn.backward", "bias-no-state-peephole-lstm",
     "{gradient: du_of_new_state}", "{gradient: du_0_of_new_state}"),
    # Sums that are larger than those of the specification, within bounds that are so too.
    ("onednn", "onednn.rnn.backward", "bias-no-state-vanilla-tanh", "{gradient: du_of_new_state}",
     "{gradient: du_0_of_next}"),
    ("numpy", "openvino.range", "ends-u64-up", "{integer_element: from_f64}",
     "{integer_element: from_f32}"),
]


def certify(target, suite, case, known, *options):
    return subprocess.run([os.path.join(BUILD, "assay"), "certify", "--target", target, "--suite",
                           suite, "--case", case, "--known", known, "--verbose", "--no-explain",
                           *options], capture_output=True, text=True)


def one_bit(target, suite, case, results):
    """The results of that case as they are, and with one bit of one wrong element changed: the
    last one, but of a float that is held to bounds the last of the exponent."""
    with open(results) as file:
        records = [json.loads(line) for line in file][:-1]
    record = next(r for r in records if r["record"] == "case")
    output = next(o for o in record["outputs"] if o.get("elements"))
    element = output["elements"][-1]
    changed = 1 << 23 if record["required"] == "bound" and output["dtype"] == "f32" else 1
    for bit, code, word in ((0, 0, "1 covered, 0 contradicted"),
                            (changed, 1, "0 covered, 1 contradicted")):
        element["got"] = f"{int(element['got'], 16) ^ bit:0{len(element['got'])}x}"
        done = subprocess.run([os.path.join(BUILD, "assay"), "known", "--against", "-"],
                              input=sample.lines(records[0], records[1:]), capture_output=True)
        check(done.returncode == code and word in done.stdout.decode(), f"{target}, {case}: "
              + ("one bit changed contradicts" if bit else "what it gave is covered"),
              done)


def entries_of(target, isa):
    """The lines of the list's entries for a target that runs on such a processor."""
    with open(KNOWN) as file:
        entries = yaml.safe_load(file)["known"]
    targets = ([e["target"]] if isinstance(e["target"], str) else e["target"] for e in entries)
    return [i for i, (entry, names) in enumerate(zip(entries, targets))
            if any(fnmatch.fnmatchcase(target, name) for name in names)
            and fnmatch.fnmatchcase(isa, entry.get("when", {}).get("isa", "*"))]


# A library that is held to x86-64-v3 does what it does where there is no more.
for target in ("openvino", "onednn", "onednn2", "jax", "numpy"):
    held, native = (entries_of(name, "x86-64-v3") for name in (target, target + "_native"))
    check(held == native, f"{target} and {target}_native have the same entries on x86-64-v3",
          f"entries {sorted(set(held) ^ set(native))}")

with tempfile.TemporaryDirectory() as folder:
    own = os.path.join(folder, "known.yaml")
    for target, suite, case, right, wrong in CASES:
        results = os.path.join(folder, "results.jsonl")
        done = certify(target, suite, case, KNOWN, "--out", results)
        if "not available" in done.stdout + done.stderr:
            skip(target, "not installed")
            continue
        check(done.returncode == 0 and " 1 expected" in done.stdout,
              f"{target}, {case}: the committed list explains it", done)
        if not case.startswith("agrees"):  # of which a record shows no values
            one_bit(target, suite, case, results)
        for equals, code in ((right, 0), (wrong, 1)):
            with open(own, "w") as file:
                file.write(f"known:\n  - {{target: {target}, suite: {suite}, case: {case}, "
                           f"equals: {equals}, why: test}}\n")
            done = certify(target, suite, case, own)
            told = "not what the known failures say of it" in done.stdout
            check(done.returncode == code and told == bool(code),
                  f"{target}, {case}: {equals} " + ("is new" if code else "explains it"),
                  done)
    # What a native target does on a class of processors that no list covers is told, and no error.
    suite, case = CASES[0][1], "size-f16-64"
    for name, classes, code in (("openvino_native", "x86-64-v0", 0), ("openvino_native", "'*'", 1),
                                ("openvino", "x86-64-v0", 1)):
        with open(own, "w") as file:
            file.write(f"classes: [{classes}]\nknown: []\n")
        done = certify(name, suite, case, own)
        if "not available" in done.stdout + done.stderr:
            skip(name, "not installed")
            continue
        told = f"{name}: unlisted: fail {case}\n" in done.stdout and ", 1 unlisted" in done.stdout
        check(done.returncode == code and told == (not code),
              f"{name}, a list that covers {classes}: " + ("new" if code else "unlisted"),
              done)
finish()
