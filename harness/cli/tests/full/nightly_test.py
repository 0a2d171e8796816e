# SPDX-License-Identifier: Apache-2.0
"""The nightly run: few lines when nothing is new, a word and exit code 1 for what is; its timer as
systemd reads it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")

# An assay whose target random123 does nine rounds.
WORSE = f"""#!/bin/bash
for word in "$@"; do
    [ "$word" = random123 ] && word="$(dirname "$0")/random123.so"
    [ "$word" = --target ] && word=--plugin
    words+=("$word")
done
case "$*" in *random123*) exec {ASSAY} "${{words[@]}}" ;; *) exec {ASSAY} "$@" ;; esac
"""


with tempfile.TemporaryDirectory() as folder:
    state = os.path.join(folder, "state")

    def night(day, **more):
        env = {
            **os.environ, "ASSAY": ASSAY, "ASSAY_SUITES": "philox", "ASSAY_BYTES": str(1 << 24),
            "ASSAY_TARGETS": "reference random123",
            "SOURCE_DATE_EPOCH": str(1790000000 + 86400 * day), **more
        }
        return subprocess.run(["scripts/nightly", state], capture_output=True, text=True,
                              timeout=600, check=False, env=env)

    done = night(1)
    lines = done.stdout.splitlines()
    check(done.returncode == 0 and len(lines) <= 10 and lines[-1] == "nothing new",
          f"a quiet night says so, in {len(lines)} lines", done.stdout + done.stderr)
    said = ("vectors: 165 cases", "mutants: 9 of 9 killed",
            "certified: reference (165 cases), random123 (165 cases)",
            "audited, no alarm: philox4x32", "page: ")
    check(all(any(line.startswith(word) for line in lines) for word in said),
          "and what was looked at", done.stdout)
    page = open(lines[-2].removeprefix("page: ")).read()
    check(
        all(f'id="{part}"' in page for part in ("targets", "requirements", "mutants", "evidence")),
        "its page has targets, requirements, mutants and evidence")
    done = night(2, ASSAY_SOURCES="philox4x32 mt19937")
    check(
        done.returncode == 1 and "audit of mt19937: night 1" in done.stdout
        and done.stdout.endswith("LOOK: something is worse, or flawed\n")
        and "audited, no alarm: philox4x32" in done.stdout,
        "a flawed source is exit code 1, and named", done.stdout + done.stderr)
    evidence = [
        json.loads(line) for line in open(
            os.path.join(state,
                         sorted(d for d in os.listdir(state)
                                if d.startswith("20"))[1], "evidence.jsonl"))
    ]
    course = [(r["source"], r["verdict"]) for r in evidence if r["record"] == "evidence"]
    check(course == [("mt19937", "flawed"), ("philox4x32", "clean"), ("philox4x32", "clean")],
          "the course of all nights is in its results", course)

    wrapper = os.path.join(folder, "assay")
    with open(wrapper, "w") as file:
        file.write(WORSE)
    os.chmod(wrapper, 0o755)
    shutil.copy(os.path.join(BUILD, "zoo", "nine_rounds.so"), os.path.join(folder, "random123.so"))
    done = night(3, ASSAY=wrapper)
    check(
        done.returncode == 1 and "random123 DIFFERS: 165 cases, 66 unexpected" in done.stdout
        and "66 worse" in done.stdout and len(done.stdout.splitlines()) <= 13,
        "a target that got worse is exit code 1, in few lines", done.stdout + done.stderr)
    done = night(4, ASSAY=wrapper)
    check(
        done.returncode == 0 and "random123 DIFFERS" in done.stdout
        and "nothing new" in done.stdout, "the night after it is no news",
        done.stdout + done.stderr)
    state = os.path.join(folder, "fresh")
    done = night(4, ASSAY=wrapper)
    check(done.returncode == 1, "a target that fails at its first night is news",
          done.stdout + done.stderr)
    done = night(5, ASSAY_TARGETS="nobody")
    check(done.returncode == 3 and "could not be run" in done.stdout,
          "a target that is not there is exit code 3", done.stdout + done.stderr)
    holder = subprocess.Popen(["flock", os.path.join(state, "lock"), "sleep", "60"])
    try:
        while not subprocess.run(["flock", "-n", os.path.join(state, "lock"), "true"],
                                 check=False).returncode:
            pass
        done = night(6)
        check(done.returncode == 3 and "still under way" in done.stderr,
              "two nights at once are refused", done.stdout + done.stderr)
    finally:
        holder.kill()
        holder.wait()

    # ---- timer and cron --------------------------------------------------------------------------
    units = os.path.join(folder, "units")
    shutil.copytree("scripts/package/nightly", units)
    service = os.path.join(units, "assay-nightly.service")
    with open(service) as file:
        text = file.read()
    with open(service, "w") as file:
        file.write(
            text.replace("/usr/share/assay/scripts/nightly", os.path.abspath("scripts/nightly")))
    if shutil.which("systemd-analyze"):
        done = subprocess.run([
            "systemd-analyze", "verify", "--man=no", "--recursive-errors=no", service,
            os.path.join(units, "assay-nightly.timer")
        ], capture_output=True, text=True, check=False)
        check(done.returncode == 0 and "assay" not in done.stderr,
              "systemd finds no fault in service and timer", done.stderr)
        with open(service, "a") as file:
            file.write("[Service]\nExecStart=\nExecStart=/nowhere/nightly\nNcie=10\n")
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", service],
            capture_output=True, text=True, check=False)
        check("Ncie" in done.stderr or done.returncode != 0, "and finds one where there is one",
              done.stderr)
    else:
        skip("systemd finds no fault in service and timer", "no systemd-analyze")
    with open("scripts/package/nightly/assay-nightly.cron") as file:
        entries = [line for line in file if line.strip() and not line.startswith("#")]
    check(
        len(entries) == 1 and re.fullmatch(
            r"\d{1,2} \d{1,2} \* \* \* /usr/share/assay/scripts/nightly\n", entries[0]),
        "the cron line is one entry", entries)
finish()
