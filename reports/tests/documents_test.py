# SPDX-License-Identifier: Apache-2.0
"""Every command that a document shows is run, and every file that one links to is there.

A block marked `sh` is run line by line from the top of the tree. `sh make` holds targets of the Makefile, which are only looked for (they
would start this test again), `sh root` commands that change the machine, which are not run, and `sh 1` commands that leave with exit
code 1, since that is what they show. Other blocks hold no commands.
"""

import glob
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
os.chdir(ROOT)
BUILD = os.environ.get("BUILD", "build")


targets = set()
for name in ("Makefile", "scripts/package/install.mk"):
    with open(name) as file:
        targets |= set(re.findall(r"^([a-z-]+):", file.read(), flags=re.M))
for name in ("acme", "acme-script"):  # what new-target writes, it does not overwrite
    shutil.rmtree(os.path.join(BUILD, name), ignore_errors=True)
if os.path.exists(os.path.join(BUILD, "history.db")):
    os.remove(os.path.join(BUILD, "history.db"))
documents = ["README.md"] + sorted(p for p in glob.glob("*/**/README.md", recursive=True) if not p.startswith(BUILD))
for document in documents:
    with open(document) as file:
        text = file.read()
    for kind, block in re.findall(r"^```sh *(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        for command in re.sub(r"\\\n\s*", "", block).splitlines():
            if not command.strip() or command.startswith("#"):
                continue
            if kind == "make":
                wanted = [w for w in command.split()[1:] if "=" not in w]
                check(command.startswith("make ") and set(wanted) <= targets, f"{document}: {command}: a target of the Makefile")
            elif kind == "root":
                skip(f"{document}: {command}", "changes the machine")
            else:
                run = ["bash", "-c", "set -o pipefail; " + re.sub(r"\bbuild/", BUILD + "/", command)]
                done = subprocess.run(run, capture_output=True, text=True, timeout=1800, check=False)
                check(done.returncode == (1 if kind == "1" else 0), f"{document}: {command[:90]}", done.stdout[-400:] + done.stderr[-800:])
    bare = [line.strip() for line in text.splitlines() if re.match(r"(    |\t)(build/)?assay ", line)]
    check(not bare, f"{document}: no command stands outside of what is run", "\n".join(bare))
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if "://" not in link:
            check(os.path.exists(os.path.join(os.path.dirname(document), link)), f"{document}: {link} is there")
needed = {"README.md", "yaml/README.md", "harness/README.md", "stats/README.md", "ref/README.md", "vectors/README.md"}
check(needed <= set(documents), "every room that people read about has its document", str(needed - set(documents)))
finish()
