# SPDX-License-Identifier: Apache-2.0
"""History: what is new since the run before, and the same database from the same results."""

import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

sys.path.insert(0, os.path.join("reports", "tests"))
import sample  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")


with tempfile.TemporaryDirectory() as folder:
    def night(name, cases, day):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(sample.lines(sample.header(started=f"2026-11-{day:02d}T02:00:00Z"), cases))
        return path

    def history(*arguments, db="history.db"):
        return subprocess.run([ASSAY, "history", "--db",
                               os.path.join(folder, db), *arguments], capture_output=True,
                              text=True, check=False)

    def case(name, verdict="pass", **more):
        return sample.case("acme", "uniform", name, verdict, **more)

    known = {"known": {"why": "is known", "state": "expected"}}
    one = night(
        "1.jsonl",
        [case("a"), case("b", "fail"),
         case("c"), case("gone"),
         case("d", "fail")], 1)
    two = night("2.jsonl", [
        case("a", "fail"),
        case("b"),
        case("c", "unsupported", reason="no"),
        case("new"),
        case("d", "fail", **known)
    ], 2)
    done = history(one)
    check(done.returncode == 0 and "0 worse, 0 better" in done.stdout,
          "the first night is not worse than any", done.stdout + done.stderr)
    done = history(two)
    wanted = [
        "worse   acme uniform/a: pass -> fail", "better  acme uniform/b: fail -> pass",
        "changed acme uniform/c: pass -> unsupported", "better  acme uniform/d: fail -> fail",
        "worse   acme uniform/gone: pass -> not there",
        "changed acme uniform/new: not there -> pass"
    ]
    check(done.returncode == 1 and done.stdout.splitlines()[:6] == wanted,
          "every change is named, and a case that went is worse", done.stdout)
    check("2 worse, 2 better, 2 otherwise" in done.stdout, "and counted", done.stdout)
    done = history(two)
    check(done.returncode == 0 and "the same as the run before" in done.stdout,
          "the same results again are no news, also when they are bad", done.stdout)
    history(one, db="back.db")
    history(two, db="back.db")
    done = history(one, db="back.db")
    check("better  acme uniform/a: fail -> pass" in done.stdout,
          "results that were seen before are news when others came in between", done.stdout)
    done = history()
    check(
        len(done.stdout.splitlines()) == 2
        and "2026-11-02T02:00:00Z  acme: 5 cases, 1 fail, 1 expected" in done.stdout,
        "runs are listed", done.stdout)
    check(history("--runs", "1").stdout == done.stdout.splitlines(keepends=True)[0],
          "--runs 1 lists the newest", done.stdout)
    history(one, two, db="again.db")
    dumps = [
        list(sqlite3.connect(os.path.join(folder, name)).iterdump())
        for name in ("history.db", "again.db")
    ]
    check(dumps[0] == dumps[1], "the database can be made again from the results")
    with open(os.path.join(folder, "text.db"), "w") as file:
        file.write("this is no database, and long enough to be looked at\n" * 20)
    done = history(one, db="text.db")
    check(
        done.returncode == 2 and open(os.path.join(folder, "text.db")).read().startswith("this is"),
        "another file is refused and left alone", done.stderr)
    # ---- nights of an audit, as results ----------------------------------------------------------
    nights, evidence = os.path.join(folder, "audit.sqlite"), os.path.join(folder, "evidence.jsonl")
    for source in ("philox4x32", "mt19937"):
        subprocess.run(
            [ASSAY, "audit", "--source", source, "--bytes", "1048576", "--night", "--db", nights],
            capture_output=True, check=False)
    done = subprocess.run([ASSAY, "history", "--audit", nights, "--out", evidence],
                          capture_output=True, text=True, check=False)
    records = [json.loads(line) for line in open(evidence)][1:-1]
    rows = sqlite3.connect(nights).execute(
        "SELECT name, log_p, log_e, alarm, blocks FROM night JOIN source ON source.id = "
        "night.source WHERE state = 'closed' ORDER BY name, night"
    ).fetchall()
    check(
        done.returncode == 0 and len(rows) == 2
        and [(r["source"], r["verdict"], r["bits"])
             for r in records] == [(n, "flawed" if a else "clean", b * 2**21)
                                   for n, _, _, a, b in rows]
        and all(
            math.isclose(r["p"], math.exp(p)) and math.isclose(r["e"], math.exp(e))
            for r, (_, p, e, _, _) in zip(records, rows)), "the nights of an audit become evidence",
        (rows, records))
    done = subprocess.run([ASSAY, "report", "--html", "-", evidence], capture_output=True,
                          text=True, check=False)
    check(
        done.returncode == 0 and "2 sources audited, 1 flawed" in done.stdout
        and 'id="evidence"' in done.stdout, "which the page shows", done.stderr)
finish()
