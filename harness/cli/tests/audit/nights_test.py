#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assay audit --night from outside: two at once, kills, courses and ranges, flawed nights, what is
printed and refused. Prints TAP."""

import json
import os
import random
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
from processes import go_on, stop  # noqa: E402

ASSAY = os.environ.get("ASSAY", os.path.join(os.environ.get("BUILD", "build"), "assay"))
number = 0


def check(name, ok, detail=""):
    global number
    number += 1
    print(f"{'ok' if ok else 'not ok'} {number} - {name}")
    if not ok:
        print(f"# {detail}")


def words(*arguments):
    return [
        ASSAY, "audit", *([] if "--history" in arguments else ["--threads", "1"]),
        *map(str, arguments)
    ]


def audit(*arguments, **more):
    done = subprocess.run(words(*arguments), capture_output=True, text=True, timeout=600,
                          check=False, **more)
    return done.returncode, done.stdout, done.stderr


def ask(database, sql):
    if not os.path.exists(database):
        return []
    try:
        with sqlite3.connect(database, timeout=600) as opened:
            return opened.execute(sql).fetchall()
    except sqlite3.OperationalError:
        return []


class TooQuick(Exception):
    """A night was over before it could be stopped in its middle."""


def begin(database, *arguments):
    """A night in a process of its own, which stands still once its entry is open: nothing that is
    done now comes too late for it."""
    owners = "SELECT owner FROM night WHERE state = 'open' ORDER BY owner"
    before = ask(database, owners)
    process = subprocess.Popen(words(*arguments, "--night", "--db", database),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        if ask(database, owners) != before:
            if stop(process.pid) and is_free(database) and ask(database, owners) != before:
                return process
            if process.poll() is None:
                go_on(process.pid)
        time.sleep(0.002)
    raise TooQuick(process.communicate())


def is_free(database):
    """Nobody was stopped in the middle of a change."""
    try:
        with sqlite3.connect(database, timeout=0, isolation_level=None) as opened:
            opened.execute("BEGIN IMMEDIATE")
            opened.execute("ROLLBACK")
        return True
    except sqlite3.OperationalError:
        return False


def two_at_once(folder):
    """On a machine that is too quick, nights take twice as much; what they say is the same."""
    for size in (8388608 << i for i in range(8)):
        try:
            return two_of(os.path.join(folder, f"two-{size}.db"), size)
        except TooQuick as quick:
            print(f"# {size} bytes: {quick}")
    return check("a night can be stopped in its middle", False)


def two_of(database, size):
    first = begin(database, "--source", "chacha20", "--bytes", size)
    code, out, err = audit("--source", "chacha20", "--bytes", 1048576, "--night", "--db", database)
    other = audit("--source", "chacha20", "--seed", 2, "--bytes", 1048576, "--night", "--db",
                  database)
    go_on(first.pid)
    said = "".join(first.communicate())
    counted = ask(database,
                  "SELECT SUM(units) FROM total WHERE row = 0 AND start = 0 AND source = 1")
    for _ in range(2):
        killed = begin(database, "--source", "chacha20", "--bytes", size)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
    over = audit("--source", "chacha20", "--bytes", 1048576, "--night", "--db", database)
    late = begin(database, "--source", "chacha20", "--bytes", size)
    with sqlite3.connect(database, timeout=600) as opened:
        opened.execute("UPDATE night SET owner = 1 WHERE state = 'open'")
    go_on(late.pid)
    refused = late.communicate()[1]
    left = ask(database,
               "SELECT state, COUNT(*) FROM night WHERE source = 1 GROUP BY state ORDER BY state")
    check("a second night at the same time is refused", code == 3 and "another process" in err
          and first.returncode == 0, (code, out, err, said))
    check("one of another source is not", other[0] == 0 and "no alarm" in other[1], other)
    check("and no block counts twice", counted == [(size >> 18, )] and "no alarm" in said,
          (counted, said))
    check(
        "a killed one's night is taken over", killed.returncode == -9 and over[0] == 0
        and f"night 2: 1 MiB from byte {size} on" in over[1], over)
    check("a night that was taken over adds nothing", late.returncode == 3
          and "taken over" in refused and left == [("closed", 2), ("open", 1)], (refused, left))


def courses(folder):
    database = os.path.join(folder, "courses.db")
    ends = []
    for more in ([], [], ["--streams", "4"], ["--streams", "4", "--kin", "bit"], ["--seed", "2"],
                 ["--profile", "nightly"], []):
        code, out, err = audit("--source", "chacha20", "--bytes", 262144, *more, "--night", "--db",
                               database)
        ends.append((code, out.splitlines()[-1].split(" from ")[-1].split(" on,")[0], "no alarm"
                     in out))
    want = ["byte 0", "byte 262144", "byte 0", "byte 0", "byte 0", "byte 524288", "byte 786432"]
    check("seed, streams and kin are other courses; a profile goes on where the others ended",
          ends == [(0, w, True) for w in want], ends)
    code, out, err = audit("--history", "--db", database, "--source", "chacha20")
    check("the course names what sets them apart",
          all(w in out for w in ("chacha20, seed 2", "chacha20, 4 streams (bit)")), out)
    said = json.loads(audit("--history", "--db", database, "--json")[1] or "{}").get("nights", [])
    check(
        "and says it as JSON",
        len(said) == 7 and [n["number"] for n in said] == [1, 2, 3, 4, 1, 1, 1]
        and said[2]["first_byte"] == 524288
        and {"log10_evidence", "alarm", "tool", "verdict"} <= set(said[0]), said[:1])
    version = subprocess.run([ASSAY, "--version"], capture_output=True, text=True,
                             check=True).stdout.split()[1]
    check("the tool's version is that of the program",
          {n["tool"] for n in said} == {f"assay {version}"}, said[:1])


def targets(folder):
    database = os.path.join(folder, "targets.db")
    out = audit("--source", "random123", "--bytes", 262144, "--night", "--db", database)[1]
    kept = ask(database, "SELECT version FROM source")
    check("the target's version is kept",
          len(kept) == 1 and " sha256:" in kept[0][0] and "night 1" in out, (kept, out))
    subprocess.run([
        ASSAY, "audit", "--source", "random123", "--bytes", "262144", "--night", "--db", database,
        "--json"
    ], capture_output=True, check=False)
    with sqlite3.connect(database) as opened:  # an earlier version of it
        opened.execute("UPDATE source SET version = '0.1'")
        opened.execute("DROP TABLE seal")
    tables = ask(database, "SELECT name FROM sqlite_master")
    code, out, err = audit("--source", "random123", "--bytes", 262144, "--night", "--db", database)
    check("a history whose seal is gone is refused", code == 2, (code, out, err, tables))


def flaws(folder):
    """Ten clean nights, then one bit of one night is a little off: p is some 1e-11."""
    database, path = os.path.join(folder, "flaws.db"), os.path.join(folder, "words")
    kept = subprocess.run(
        [ASSAY, "audit", "--source", "chacha20", "--bytes",
         str(12 << 18), "--write"], capture_output=True, check=True).stdout
    word = list(struct.unpack(f"<{len(kept) // 4}I", kept))
    chosen = random.Random(1)
    for night, how_many in ((10, 1700), (11, 2450)):
        for at in chosen.sample(range(1 << 16), how_many):
            word[(night << 16) + at] |= 1 << 9
    with open(path, "wb") as file:
        file.write(struct.pack(f"<{len(word)}I", *word))
    nights = []
    for _ in range(12):
        window, out = os.path.join(folder, "window"), os.path.join(folder, "out.json")
        code, text, err = audit("--source", f"file:{path}", "--bytes", 262144, "--night", "--db",
                                database, "--out", out, "--window", window)
        said = json.loads(open(out).read()) if os.path.exists(out) else {}
        nights.append((code, "FLAWED" in text, "ALARM"
                       in text, said.get("night", {}).get("alarm"), os.path.exists(window)))
    check("clean nights are clean", nights[:10] == [(0, False, False, False, False)] * 10, nights)
    check("a flawed night is exit 1, whatever the alarm says; --out and --window are written",
          nights[10][:2] == (1, True) and nights[10][4], nights[10])
    check("two of them raise the alarm after ten clean ones",
          nights[11] == (1, True, True, True, True), nights)
    code, out, err = audit("--source", f"file:{path}", "--bytes", 262144, "--night", "--db",
                           database)
    check("a file that nights have used up says so", code == 2 and "no fresh block" in err, err)


def parts(folder):
    """Two histories, of two nights each; the second night of one is counted in parts."""
    whole, joined = os.path.join(folder, "whole.db"), os.path.join(folder, "joined.db")
    night = ["--source", "philox4x32", "--bytes", 10485760, "--night", "--db"]
    for database in (whole, joined):
        audit(*night[:3], 524288, *night[4:], database)
    one = audit(*night, whole)
    counted = [
        audit(*night, joined, "--shard", f"{i}/3", "--to", os.path.join(folder, "parts"))[0]
        for i in (1, 2, 3)
    ]
    merge = [ASSAY, "merge", os.path.join(folder, "parts"), "--night", joined]
    other = subprocess.run(merge, capture_output=True, text=True, check=False)
    tables = [[
        ask(database, f"SELECT {what}")
        for what in ("night, first_block, blocks, log_p, log_run, log_e_counts, log_e FROM night",
                     "* FROM total", "* FROM start", "* FROM look")
    ]
              for database in (whole, joined)]
    check(
        "a night that is counted in parts is the same night", counted == [0, 0, 0]
        and one[0] == other.returncode == 0 and tables[0] == tables[1]
        and one[1].splitlines()[-1] == other.stdout.splitlines()[-1], (counted, one, other))
    again = subprocess.run(merge, capture_output=True, text=True, check=False)
    check(
        "and enters once", again.returncode == 2 and "next that no night has read" in again.stderr
        and len(ask(joined, "SELECT * FROM night WHERE state = 'closed'")) == 2, again)


def refusals(folder):
    database, foreign = os.path.join(folder, "new.db"), os.path.join(folder, "foreign.db")
    for name in ("stdin", "-"):
        code, out, err = audit("--source", name, "--night", "--db", database, input="x" * 300000)
        check(f"{name} has no nights, and why", code == 2 and "pipe" in err
              and not os.path.exists(database), err)
    with sqlite3.connect(foreign) as opened:
        opened.execute("CREATE TABLE mine (a)")
    before = open(foreign, "rb").read()
    for more in (["--history"], ["--source", "chacha20", "--bytes", "262144", "--night"]):
        code, out, err = audit(*more, "--db", foreign)
        check(
            f"{more[0]} leaves another's database alone", code == 2
            and open(foreign, "rb").read() == before
            and sorted(os.listdir(folder)).count("foreign.db-wal") == 0, (code, err))
    code, out, err = audit("--source", "chacha20", "--bytes", 262144, "--night", "--db", database,
                           "--json")
    said = json.loads(out)
    check(
        "--json says night, evidence and alarm", code == 0 and said["night"]["number"] == 1
        and said["night"]["alarm"] is False and "log10_evidence" in said["night"], out)
    os.chmod(database, 0o444)
    before = open(database, "rb").read()
    code, out, err = audit("--history", "--db", database)
    check("--history changes nothing", code == 0 and open(database, "rb").read() == before, err)


with tempfile.TemporaryDirectory() as place:
    for part in (two_at_once, courses, targets, flaws, parts, refusals):
        try:
            part(place)
        except (ValueError, KeyError, IndexError, TypeError, sqlite3.Error) as error:
            check(part.__name__, False, repr(error))
print(f"1..{number}")
sys.exit(0)
