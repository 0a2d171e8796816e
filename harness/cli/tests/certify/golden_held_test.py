# SPDX-License-Identifier: Apache-2.0
"""The reference is held against the golden vectors while a target is held against the reference: a
manifest that was spoilt, in whatever way, certifies nobody. TAP."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))


def flip(text):
    return format(int(text[0], 16) ^ 1, "x") + text[1:]


def outputs(line, change):
    head, tail = line.split('"outputs": ', 1)
    return head + '"outputs": ' + change(tail)


def digest(line):
    return outputs(line, lambda t: re.sub(r'("sha256[a-z_]*": ")([0-9a-f]+)',
                                          lambda m: m[1] + flip(m[2]), t, count=1))


def element(line):
    return outputs(line, lambda t: re.sub(r'("bits": \[")([0-9a-f]+)',
                                          lambda m: m[1] + flip(m[2]), t, count=1))


def shape(line):
    return outputs(line, lambda t: re.sub(r'("shape": \[)', r"\g<1>1, ", t, count=1))


def nothing(line):
    return outputs(line, lambda t: "{}}")


def more(line):
    return outputs(line, lambda t: t.replace("{", '{"another": {}, ', 1))


def is_of(line, case):
    return line.startswith(f'{{"id": "{case}"')


def certify(suite, case, spoil, *more):
    """Exit code and record of the case, with its line of the manifest changed by `spoil`."""
    with tempfile.TemporaryDirectory() as home:
        for name in ("yaml", "harness/targets"):
            os.makedirs(os.path.dirname(os.path.join(home, name)), exist_ok=True)
            os.symlink(os.path.abspath(name), os.path.join(home, name))
        os.makedirs(home + "/vectors/golden")
        manifest = f"{home}/vectors/golden/{suite}.jsonl"
        shutil.copy(f"vectors/golden/{suite}.jsonl", manifest)
        lines = open(manifest).read().splitlines()
        assert any(is_of(line, case) for line in lines), case
        kept = [spoil(line) if is_of(line, case) else line for line in lines]
        with open(manifest, "w") as file:
            file.write("".join(line + "\n" for line in kept if line))
        out = home + "/out.jsonl"
        done = subprocess.run([ASSAY, "certify", "--target", "reference", "--suite", suite,
                               "--case", case, "--out", out, *more], capture_output=True,
                              text=True, env=dict(os.environ, ASSAY_HOME=home))
        return done, json.loads(open(out).readlines()[1]) if os.path.exists(out) else None


# Bits, several runs, a window, and bounds of steps that follow the target's own output.
CASES = (("philox", "published-4x32-r10-pi"), ("openvino.random_uniform", "again-bf16"),
         ("directml.random_generator", "window-2p34"))
with open("vectors/golden/onednn.rnn.jsonl") as file:
    RNN = next(json.loads(line)["id"] for line in file.readlines()[1:]
               if '"reject"' not in line and '"lstm"' in line)
for suite, case in CASES + (("onednn.rnn", RNN), ):
    done, record = certify(suite, case, lambda line: line)
    check(done.returncode == 0 and record and record["verdict"] == "pass",
          f"{case}: the kept manifest is that of this reference", done)
    for spoil in digest, element, shape, nothing, more, lambda line: "":
        name = spoil.__name__ if spoil.__name__ != "<lambda>" else "without a line"
        done, record = certify(suite, case, spoil)
        check(done.returncode == 3 and record and record["verdict"] == "harness"
              and "golden" in record["reason"], f"{case}: not with a spoilt manifest ({name})",
              done)
done, record = certify(*CASES[0], digest, "--jobs", "2")
check(done.returncode == 3 and record and record["verdict"] == "harness",
      "nor where several processes share the cases", done)
finish()
