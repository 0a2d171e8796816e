# SPDX-License-Identifier: Apache-2.0
"""Findings: every one of the list has its page and every page its place in the list; heads are read
by a YAML reader; pages are not stale.
"""

import glob
import os
import re
import subprocess
import sys

import yaml

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

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
        right = right and ("```c\n" in text or "\nNone: " in text) and "```yaml\n" in text
    check(right, f"{finding['name']}: head and parts", f"{head} {sections}")
done = subprocess.run([ASSAY, "findings", "--check", "--only", "mappings"], capture_output=True,
                      text=True, check=False)
check(done.returncode == 0 and "0 stale" in done.stdout, "a page that was not touched is not stale",
      done.stdout + done.stderr)
done = subprocess.run([ASSAY, "findings", "--check", "--only", "onednn-diff-weights-iter"],
                      capture_output=True, text=True, check=False)
check(done.returncode == 0 and ("kept" in done.stdout or "fail\n" in done.stdout),
      "a cut case gives the same page again, or is kept", done.stdout + done.stderr)
done = subprocess.run([ASSAY, "findings", "--only", "nobody"], capture_output=True, text=True,
                      check=False)
check(done.returncode == 4, "nothing chosen is an error", done.stdout + done.stderr)
finish()
