# SPDX-License-Identifier: Apache-2.0
"""Findings: every one of the list has its page and every page its place in the list; heads are read
by a YAML reader; their programs show what they say; pages are not stale.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

import yaml

sys.path.insert(0, "harness/tests")
from programs import build, show  # noqa: E402
from tap import check, finish, skip  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
FOLDER = os.path.join("reports", "findings")
HEAD = ["library", "version", "suite", "case", "op", "attributes", "threads", "verdict",
        "explained_by", "conditions", "elements"]


with open(os.path.join(FOLDER, "findings.yaml")) as file:
    findings = yaml.safe_load(file)["findings"]
pages = {os.path.basename(path)[:-3]: open(path).read()
         for path in glob.glob(os.path.join(FOLDER, "*.md"))
         if not os.path.basename(path).startswith("errata-")}
check(sorted(pages) == sorted(finding["name"] for finding in findings),
      "every finding has its page, and no page stands alone", str(sorted(pages)))
for finding in findings:
    text = pages.get(finding["name"], "")
    parts = text.split("---\n", 2)
    head = yaml.safe_load(parts[1]) if len(parts) == 3 and not parts[0] else {}
    seen = head.get("verdict") == "seen"
    sections = re.findall(r"^## (.*)$", text, re.M)
    order = ["Requirement", "Input", "Expected and got", "Expected", "Got", "Explanation",
             "Program"]
    right = sections == [name for name in order
                         if name in sections] and sections[-1:] == ["Program"]
    if not seen:
        right = right and list(head) == HEAD
        right = right and all(head[key] == finding[key] for key in ("case", "suite"))
        beside = f"({finding.get('program')}), beside this page.\n"
        right = right and ("```c\n" in text or "\nNone: " in text or beside in text)
        right = right and "```yaml\n" in text
    check(right, f"{finding['name']}: head and parts", f"{head} {sections}")


def available(target):
    suite, case = ("openvino.range", "away-i32") if target == "openvino" else ("onednn.rnn",
                                                                               "no-time-lstm")
    done = subprocess.run([ASSAY, "run", case, "--suite", suite, "--target", target],
                          capture_output=True, check=False)
    return done.returncode in (0, 1)


# What a program ends with: 1 where it shows the failure, or the signal that the page names; either
# where the page says that it may crash. Without ASSAY_FULL those that were written by hand, and of
# others one for each library.
ran = {}  # a program may show several findings
shown_of = set() if "ASSAY_FULL" not in os.environ else None
with tempfile.TemporaryDirectory() as folder:
    here = {target: available(target) for target in ("onednn", "onednn2", "openvino")}
    for finding in findings:
        text = pages.get(finding["name"], "")
        made = re.search(r"^```c\n(.*?)^```$", text, re.M | re.S)
        source = os.path.join(FOLDER, finding.get("program", ""))
        if not made and "program" not in finding:
            continue
        if source.endswith(".py"):
            if source not in ran:
                ran[source] = subprocess.run([sys.executable, source], capture_output=True,
                                             check=False)
            shown = ran[source]
            missing = re.search(rb"No module named '(\w+)", shown.stderr)
            if missing:
                skip(f"{finding['name']}: its program", f"{missing[1].decode()} is not installed")
                continue
            if shown.returncode == 3:
                skip(f"{finding['name']}: its program", "this processor has no AVX-512")
                continue
            check(shown.returncode == 1 and b"Traceback" not in shown.stderr,
                  f"{finding['name']}: its program shows it", str(shown))
            continue
        if not here[finding["target"]]:
            skip(f"{finding['name']}: its program", f"{finding['target']} is not installed")
            continue
        if made and shown_of is not None:
            if finding["target"] in shown_of:
                continue
            shown_of.add(finding["target"])
        if made:
            source = os.path.join(folder, "program.c")
            with open(source, "w") as file:
                file.write(made.group(1))
        program = os.path.join(folder, finding["name"])
        built = build(finding["target"], source, program)
        shown = show(program) if built.returncode == 0 else None
        signal = re.search(r"^crash: killed by signal (\d+)", text, re.M)
        codes = [-int(signal.group(1))] if signal else [1]
        if "may then end in a segmentation fault" in text:
            codes.append(-11)
        check(shown is not None and shown.returncode in codes,
              f"{finding['name']}: its program shows it", f"{built.stderr} {shown}")
# All of them take minutes.
for only in ("*",) if "ASSAY_FULL" in os.environ else ("onednn-diff-*", "mappings", "openvino-c-*"):
    done = subprocess.run([ASSAY, "findings", "--check", "--only", only], capture_output=True,
                          text=True, check=False)
    check(done.returncode == 0 and " 0 stale" in done.stdout, f"pages {only} are not stale",
          done.stdout + done.stderr)
done = subprocess.run([ASSAY, "findings", "--only", "nobody"], capture_output=True, text=True,
                      check=False)
check(done.returncode == 4, "nothing chosen is an error", done.stdout + done.stderr)
finish()
