# SPDX-License-Identifier: Apache-2.0
"""100,000 cases, 1,000 of them failures, become summary, Markdown, JUnit XML and page in under 5 s
of processor time and under 200 MB.
"""

import os
import subprocess
import sys
import tempfile

SAMPLE = os.path.join(os.path.dirname(__file__), "..", "sample.py")
ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "results.jsonl")
    with open(path, "wb") as file:
        subprocess.run([sys.executable, SAMPLE, "100000"], stdout=file, check=True)
    forms = [f"--{form}={folder}/{form}" for form in ("summary", "markdown", "junit", "html")]
    process = subprocess.Popen([ASSAY, "report", *forms, path])
    _, status, used = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    results = [(code == 0, "the reports are written"),
               (seconds < 5, f"in under 5 s: {seconds:.2f} s"),
               (megabytes < 200, f"in under 200 MB: {megabytes:.0f} MB")]
for i, (good, name) in enumerate(results, 1):
    print(f"{'ok' if good else 'not ok'} {i} - {name}")
print(f"1..{len(results)}")
sys.exit(not all(good for good, _ in results))
