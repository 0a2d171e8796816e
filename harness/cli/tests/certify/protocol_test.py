# SPDX-License-Identifier: Apache-2.0
"""Process targets that compute rightly and break the protocol: two answers in one, a refusal
without its reason, what is no answer or was not asked for, another name at each start, an end that
is a crash. TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
TARGET = """#!/usr/bin/env python3
import json, os, signal, sys
KEPT = json.loads(%(kept)r)
for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = {"name": "told", "version": %(version)s, "operations": ["philox"]}
    elif "supports" in message:
        answer = %(support)s
    else:
        answer = {"outputs": KEPT}
        %(change)s
    print(answer if isinstance(answer, str) else json.dumps(answer), flush=True)
%(end)s
"""


SUPPORTED = '{"supported": True}'


def certify(case, change="pass", end="sys.exit(0)", support=SUPPORTED, version="'1'"):
    kept = "{}"
    with open("vectors/golden/philox.jsonl") as file:
        for line in file.readlines()[1:]:
            if json.loads(line)["id"] == case:
                kept = json.dumps(json.loads(line).get("outputs", {}))
    with tempfile.TemporaryDirectory() as folder:
        program, out = os.path.join(folder, "told"), os.path.join(folder, "out.jsonl")
        with open(program, "w") as file:
            file.write(TARGET % {"kept": kept, "change": change, "end": end,
                                 "support": support, "version": version})
        os.chmod(program, 0o755)
        done = subprocess.run([os.path.join(BUILD, "assay"), "certify", "--exec", program,
                               "--suite", "philox", "--case", case, "--out", out, "--no-explain"],
                              capture_output=True, text=True)
        return done, json.loads(open(out).readlines()[1]) if os.path.exists(out) else {}


RIGHT, NEGATIVE = "published-4x32-r10-pi", "refuse-counter-type-f32"
done, record = certify(RIGHT)
check(done.returncode == 0 and record["verdict"] == "pass", "the honest one passes", done)
done, record = certify(NEGATIVE, 'answer = {"rejected": "a counter of f32"}')
check(done.returncode == 0 and record["verdict"] == "rejected", "and refuses", done)
BREAKS = (
    (RIGHT, 'answer = {"rejected": "no", **answer}', '"rejected": "no"'),
    (RIGHT, 'answer = {"failed": "no", **answer}', '"failed": "no"'),
    (RIGHT, 'answer = {"rejected": None, **answer}', '"rejected": null'),
    (RIGHT, 'answer = {"rejected": "no", "unsupported": "no"}', '"unsupported": "no"'),
    (RIGHT, 'answer = {}', "{}"),
    (RIGHT, 'answer = "[1]"', "not a JSON object"),
    (RIGHT, 'answer = "garbage"', "garbage"),
    (RIGHT, 'answer = json.dumps(answer) + chr(10) + json.dumps(answer)', "more than one line"),
    (RIGHT, 'for of in answer["outputs"].values(): of["file"] = "other.safetensors"',
     "has bits, and a file beside them"),
    (NEGATIVE, 'answer = {"rejected": None}', '"rejected": null'),
    (NEGATIVE, 'answer = {"rejected": "no", "outputs": {}}', '"outputs": {}'),
    (NEGATIVE, 'answer = {"rejected": ["no"]}', '"rejected"'),
    (NEGATIVE, 'answer = {"rejected": ""}', '"rejected": ""'),
    # After the first answer: the second call finds it, before its own answer or in front of it.
    (RIGHT, 'print(json.dumps(answer), flush=True); answer = "more"', ""),
)
for case, change, says in BREAKS:
    done, record = certify(case, change)
    check(done.returncode == 1 and record.get("verdict") == "protocol"
          and says in record.get("reason", ""), f"{case}: {change}", done)
for support in ('{"supported": True, "unsupported": "no"}', '{"supported": False}',
                '{"outputs": {}}', '{"supported": True, "outputs": {}}', '{"unsupported": None}',
                "{}"):
    done, record = certify(RIGHT, support=support)
    check(done.returncode == 1 and record.get("verdict") == "protocol", f"asked: {support}",
          done)
done, record = certify(RIGHT, 'answer = {"supported": True}')
check(done.returncode == 1 and record.get("verdict") == "protocol", "no answer to a run", done)
done, record = certify(NEGATIVE, 'answer = {"failed": "out of memory"}')
check(done.returncode == 1 and record["verdict"] == "fail", "a failure is no refusal", done)
for why in ("std::bad_alloc", "MemoryError: ", "Out of memory", "Cannot allocate memory",
            "Could not allocate memory", "can't alloc"):
    done, record = certify(NEGATIVE, 'answer = {"rejected": "%s"}' % why)
    check(done.returncode == 1 and record["verdict"] == "fail" and why in record["reason"],
          f"want of memory is no refusal: {why}", done)
END = 'os.path.exists(sys.argv[0] + "-ran") or (open(sys.argv[0] + "-ran", "w"), os._exit(3))'
for version, says in (("str(os.getpid())", True), ("'1'", False)):  # it ends once, and is restarted
    done, record = certify("published-4x32-r10-*", END, version=version)
    check(done.returncode != 0 and ("describes itself otherwise" in done.stdout) == says,
          f"its version at the second start is {version}", done)
done, record = certify(RIGHT, end='print("and more")')
check(done.returncode == 1 and "without being asked: and more" in done.stderr,
      "words after the last answer", done)
for end, says in (("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"), ("sys.exit(3)", "code 3"),
                  ("raise SystemError", "code 1")):
    done, record = certify(RIGHT, end=end)
    check(done.returncode == 1 and says in done.stderr, f"the end is a crash: {end}", done)
finish()
