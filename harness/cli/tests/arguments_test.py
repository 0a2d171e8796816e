# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a command line is said before anything runs, with exit code 2; a place that
cannot be written, with 3."""

import json
import os
import subprocess
import tempfile

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
SUITE = "yaml/suites/philox.yaml"
CERTIFY = [
    "certify", "--target", "reference", "--quiet", "--case", "published-2x32-r7-*", "--suite"
]
WRONG = [(["certify", "--target", "reference", "--target",
           "random123"], "--target is given twice; separate names by commas"),
         (["certify", "--target", "reference,reference"], "target 'reference' is named twice"),
         (["certify", "--target", "random123", "--plugin", f"{BUILD}/targets/random123.so"],
          "target 'random123' is named twice"),
         (["certify", "--suite", "philox"], "name a target with --target, --plugin or --exec"),
         (["explain", "--target", "reference,random123"], "one target at a time; 2 are named"),
         (["minimize", "key-edge", "--target", "reference", "--plugin",
           f"{BUILD}/zoo/nine_rounds.so"], "one target at a time; 2 are named"),
         ([*CERTIFY, "philox,philox"], "is named twice"),
         ([*CERTIFY, "all,philox"], "is named twice"),
         ([*CERTIFY, f"philox,./{SUITE}"], "are both suite philox"),
         ([*CERTIFY, ",".join(f"./{i}/x.yaml" for i in range(600))], "more than 512 suites"),
         (["certify", "--exec", "/bin/echo" + 40 * " x"], "has more than 32 words"),
         (["certify", "--target", "reference", "--out",
           "/nonexistent/x.jsonl"], "cannot write /nonexistent/x.jsonl: No such file"),
         (["certify", "--target", "reference", "--out", "/tmp"], "/tmp: it is a folder"),
         (["mutants", "--out",
           "/nonexistent/x.jsonl"], "cannot write /nonexistent/x.jsonl: No such file"),
         (["audit", "--source", "chacha20", "--out",
           "/nonexistent/x.json"], "cannot write /nonexistent/x.json: No such file"),
         (["audit", "--source", "chacha20", "--window",
           "/nonexistent/x"], "cannot write /nonexistent/x: No such file"),
         (["verify", "--key", "/nonexistent/key.pem",
           "README.md"], "cannot open /nonexistent/key.pem: No such file"),
         (["verify", "--key", "README.md",
           "/nonexistent/acme"], "cannot open /nonexistent/acme: No such file"), ]

failed = 0
print(f"1..{len(WRONG) + 2}")
for number, (arguments, message) in enumerate(WRONG, 1):
    done = subprocess.run([ASSAY, *arguments], capture_output=True, text=True, timeout=1800)
    good = done.returncode == (3 if {"--out", "--window"}
                               & {*arguments} else 2) and message in done.stderr and not done.stdout
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} - {' '.join(arguments)[:80]}: {message}")
    if not good:
        print("#", done.returncode, done.stderr, done.stdout[:500])

# The results of an earlier run stay until new ones are whole.
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "results.jsonl")
    with open(path, "w") as stream:
        stream.write("earlier")
    subprocess.run([ASSAY, *CERTIFY, "philox,philox", "--out", path], capture_output=True)
    with open(path) as stream:
        good = stream.read() == "earlier" and os.listdir(folder) == ["results.jsonl"]
    failed += not good
    print(
        f"{'ok' if good else 'not ok'} {len(WRONG) + 1} - a refused command leaves the earlier "
        "results and nothing beside them"
    )
    # Targets by name, a plugin and a program in one run.
    subprocess.run([ASSAY, "certify", "--target", "reference", "--suite", "philox", "--case",
                    "published-4x32-r10-*", "--out", path, "--plugin",
                    f"{BUILD}/zoo/nine_rounds.so", "--exec",
                    f"{BUILD}/venv/bin/python harness/targets/numpy.py"], capture_output=True)
    with open(path) as stream:
        records = [json.loads(line) for line in stream]
    failing = {r["target"] for r in records if r.get("verdict") == "fail"}
    names = [target["name"] for target in records[0]["targets"]]
    good = names == ["reference", "nine_rounds", "numpy"] and failing == {"nine_rounds"}
    failed += not good
    print(f"{'ok' if good else 'not ok'} {len(WRONG) + 2} - --target, --plugin and --exec go "
          f"together: {names}, {failing} fails")
raise SystemExit(bool(failed))
