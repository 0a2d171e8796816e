# SPDX-License-Identifier: Apache-2.0
"""The known failures of the libraries are held to their explanation: with one bit of the expected
deviation changed, the same failure is a new one."""

import os
import subprocess
import tempfile

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
    ("numpy", "openvino.range", "ends-u64-up", "{integer_element: from_f64}",
     "{integer_element: from_f32}"),
]
count = 0


def check(condition, name, *context):
    global count
    count += 1
    print(f"{'ok' if condition else 'not ok'} {count} - {name}")
    for line in () if condition else context:
        print("# " + str(line).replace("\n", "\n# "))


def certify(target, suite, case, known):
    return subprocess.run([os.path.join(BUILD, "assay"), "certify", "--target", target, "--suite",
                           suite, "--case", case, "--known", known, "--verbose", "--no-explain"],
                          capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    own = os.path.join(folder, "known.yaml")
    for target, suite, case, right, wrong in CASES:
        done = certify(target, suite, case, KNOWN)
        if "not available" in done.stdout + done.stderr:
            count += 1
            print(f"ok {count} - {target} # SKIP not installed")
            continue
        check(done.returncode == 0 and " 1 expected" in done.stdout,
              f"{target}, {case}: the committed list explains it", done.stdout, done.stderr)
        for equals, code in ((right, 0), (wrong, 1)):
            with open(own, "w") as file:
                file.write(f"known:\n  - {{target: {target}, suite: {suite}, case: {case}, "
                           f"equals: {equals}, why: test}}\n")
            done = certify(target, suite, case, own)
            told = "not what the known failures say of it" in done.stdout
            check(done.returncode == code and told == bool(code),
                  f"{target}, {case}: {equals} " + ("is new" if code else "explains it"),
                  done.stdout, done.stderr)
    # What a native target does on a class of processors that no list covers is told, and no error.
    suite, case = CASES[0][1], "size-f16-64"
    for name, classes, code in (("openvino_native", "x86-64-v0", 0), ("openvino_native", "'*'", 1),
                                ("openvino", "x86-64-v0", 1)):
        with open(own, "w") as file:
            file.write(f"classes: [{classes}]\nknown: []\n")
        done = certify(name, suite, case, own)
        if "not available" in done.stdout + done.stderr:
            count += 1
            print(f"ok {count} - {name} # SKIP not installed")
            continue
        told = f"{name}: unlisted: fail {case}\n" in done.stdout and ", 1 unlisted" in done.stdout
        check(done.returncode == code and told == (not code),
              f"{name}, a list that covers {classes}: " + ("new" if code else "unlisted"),
              done.stdout, done.stderr)
print(f"1..{count}")
