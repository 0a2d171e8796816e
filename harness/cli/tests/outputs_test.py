# SPDX-License-Identifier: Apache-2.0
"""What commands write and where: FILE - is standard output and nothing else goes there, pages of
findings are written only when that is asked for, old flags of audit choose its parts. TAP."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
NINE = os.path.join(BUILD, "zoo", "nine_rounds.so")


def assay(*words, **more):
    return subprocess.run([ASSAY, *words], capture_output=True, text=True, check=False, **more)


AUDIT = ["audit", "run", "--source", "philox4x32", "--bytes", "1MiB"]
MUTANTS = ["mutants", "--suite", "directml.random_generator"]
CUT = ["minimize", "published-4x32-r10-pi", "--suite", "philox", "--plugin", NINE, "--tries", "3"]
# Command, option, how the file and what is printed beside it begin.
WRITERS = (
    (AUDIT, "--out", '{"source": "philox4x32"', "clean"),
    (MUTANTS, "--out", '{"', "directml.random_generator"),
    (["certify", "--target", "reference", "--suite", "directml.random_generator"], "--out", '{"',
     ""),
    (CUT, "--yaml", "suite: minimal", "published"),
)
with tempfile.TemporaryDirectory() as folder:
    request = os.path.join(folder, "request.yaml")
    with open(request, "w") as file:
        file.write("op: jax.bits\nattributes: {shape: [100000]}\ninputs: {key: [0, 7]}\n")
    stream = (["stream", request], "--chunks", '{"assay_chunks"', "")
    for words, option, begins, beside in WRITERS + (stream, ):
        path = os.path.join(folder, "minimal")
        there = assay(*words, option, path)
        done = subprocess.run([ASSAY, *words, option, "-"], capture_output=True, check=False)
        kept = open(path, "rb").read() if os.path.exists(path) else b"nothing was written"
        same = done.stdout == kept
        if not same and begins == '{"':  # results say when they were made
            same = len(done.stdout.splitlines()) == len(kept.splitlines())
        name = f"{words[0]} {option} -"
        check(done.returncode == there.returncode and same
              and kept.decode("latin").startswith(begins)
              and beside in done.stderr.decode(), f"{name} gives what {option} FILE gives, alone",
              [done.stdout[:300], done.stderr[:300], kept[:300]])
        # What was there before stays, as a shell's >> wants it.
        with open(path, "wb") as file:
            file.write(b"before\n")
        with open(path, "ab") as file:
            subprocess.run([ASSAY, *words, option, "-"], stdout=file, stderr=subprocess.DEVNULL,
                           check=False)
        after = open(path, "rb").read()
        check(after.startswith(b"before\n") and len(after) > len(b"before\n"),
              f"{name} >>FILE adds to the file", after[:100])
    done = assay(*AUDIT, "--out", "-", "--window", "-")
    check(done.returncode == 2 and "standard output is not free" in done.stderr,
          "standard output is given to one option", done)

    # ---- findings ---------------------------------------------------------------------------
    listed = os.path.join(folder, "findings.yaml")
    with open(listed, "w") as file:
        file.write("findings:\n  - {name: seen, title: t, target: nobody, library: nobody, "
                   'version: "1.0", input: i,\n     expected: "1", got: "2"}\n')
    before = sorted(os.listdir(folder))
    done = assay("findings", "--source", listed)
    check(done.returncode == 0 and "would change; nothing was written" in done.stdout
          and sorted(os.listdir(folder)) == before, "findings alone writes nothing", done)
    other = os.path.join(folder, "other")
    os.mkdir(other)
    done = assay("findings", "--source", listed, "--to", other)
    check(done.returncode == 0 and os.listdir(other) == ["seen.md"]
          and sorted(os.listdir(folder)) == sorted(before + ["other"]),
          "findings --to writes there", done)
    done = assay("findings", "--source", listed, "--write")
    check(done.returncode == 0 and open(os.path.join(folder, "seen.md")).read()
          == open(os.path.join(other, "seen.md")).read(), "findings --write writes beside it", done)
    for pair in (["--write", "--check"], ["--write", "--to", other], ["--check", "--to", other]):
        done = assay("findings", "--source", listed, *pair)
        check(done.returncode == 2 and "cannot be combined" in done.stderr,
              f"findings {' '.join(pair[:2])} is refused", done)
    done = assay("findings", "--source", listed, "--only", "nobody")
    check(done.returncode == 4, "findings of which none is chosen end with 4", done)

    # ---- parts of audit ---------------------------------------------------------------------
    database = os.path.join(folder, "audit.sqlite")
    night = ["--source", "chacha20", "--bytes", "1MiB", "--db", database]
    SAME = (
        (["audit", "write", "--source", "chacha20", "--bytes", "64"],
         ["audit", "--source", "chacha20", "--write", "--bytes", "64"]),
        (["audit", "run", "--source", "chacha20", "--bytes", "1MiB", "--out", "-"],
         ["audit", "--source", "chacha20", "--bytes", "1MiB", "--out", "-"]),
        (["audit", "panel", "--shard", "3/300"], ["audit", "--panel", "--shard", "3/300"]),
        (["audit", "laws", "--source", NINE], ["audit", "--laws", "--source", NINE]),
    )
    for new, old in SAME:
        done = [subprocess.run([ASSAY, *words], capture_output=True, check=False)
                for words in (new, old)]
        texts = [d.stdout.split() for d in done]
        if "panel" in new:  # seconds differ
            texts = [[w for w in t if not w.replace(b".", b"").isdigit()] for t in texts]
        check(done[0].returncode == done[1].returncode and texts[0] == texts[1]
              and (texts[0] or done[0].returncode), f"{' '.join(new[:2])} is {' '.join(old)[:40]}",
              done[0])
    codes = [assay("audit", "night", *night).returncode,
             assay("audit", "--night", *night).returncode]
    shown = assay("audit", "history", "--db", database)
    check(codes == [0, 0] and len(shown.stdout.splitlines()) == 3
          and shown.stdout == assay("audit", "--history", "--db", database).stdout,
          "audit night and audit --night are nights of one history", shown)
    for words, why in (
        (["--panel", "--laws"], "cannot be combined"), (["panel", "--source", "x"], "unknown"),
        (["run", "--db", "x", "--source", "chacha20"], "unknown"), (["run"], "--source is missing"),
        (["run", "--source", "chacha20", "--kin", "bit"], "no effect without --streams"),
        (["run", "--source", "chacha20", "--plan"], "no effect without --shard"),
        (["night", *night, "--shard", "1/2", "--to", "x", "--alpha", "1e-3"], "no effect with"),
        (["laws", "--bytes", "1"], "unknown"), ([], "expected a part")):
        done = assay("audit", *words)
        check(done.returncode == 2 and why in done.stderr and not done.stdout,
              f"audit {' '.join(words)[:40]}: {why}", done)

# ---- explain CASE -------------------------------------------------------------------------------
EXPLAIN = ["explain", "--plugin", NINE, "--suite", "philox"]
done = assay(*EXPLAIN, "published-4x32-*")
check(done.returncode == 0 and "rounds=9" in done.stdout
      and done.stdout == assay(*EXPLAIN, "--case", "published-4x32-*").stdout,
      "explain CASE explains that case", done)
check(assay(*EXPLAIN, "nothing-like-it").returncode == 4, "explain without a case ends with 4")
done = assay("explain", "--plugin", NINE, "--suite", "onednn.rnn")
check(done.returncode == 4 and "supports none" in done.stderr,
      "explain of a target that supports no case ends with 4", done)
finish()
