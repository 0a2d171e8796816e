# SPDX-License-Identifier: Apache-2.0
"""Answers that were recorded: judged from the record they give the verdicts of the live run, case
by case, whatever went wrong; a changed byte is refused with its place, and so is what is no
record; a newer suite finds what is still the same; a signature says who recorded. TAP."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import blocks, keys, small_suite  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY, ZOO = os.path.join(BUILD, "assay"), os.path.join(BUILD, "zoo")
SOME = ("--suite", "philox", "--case", "published-4x32-r10-*")
# What a plugin does, and the verdict that its cases get among others.
FLAWED = (("nine_rounds", "fail"), ("order", "nondeterministic"), ("no_write", "memory"),
          ("aborts", "crash"), ("leak_ftz", "environment"), ("crashes_at_close", "pass"),
          ("support_lie", "fail"))


def assay(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


def cases(path):
    """Each case's record, but for its times and the command that names the target."""
    found = {}
    with open(path, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            if line["record"] == "case":
                line.pop("microseconds", None)
                line.pop("reproduce", None)
                found[line["suite"], line["case"]] = line
    return found


def both(folder, target, select, record=()):
    """The results of a live run, and of a record of another one."""
    shutil.rmtree(folder, ignore_errors=True)
    recorded = assay("record", *target, *select, "--to", folder, *record)
    live = assay("certify", *target, *select, "--out", folder + ".live.jsonl", "--time", "1500")
    judged = assay("certify", "--recorded", folder, *select, "--out", folder + ".jsonl")
    return recorded, live, judged


def same(folder, target, select, verdict, name):
    recorded, live, judged = both(folder, target, select)
    if recorded.returncode or not os.path.exists(folder + ".jsonl"):
        check(False, name, recorded if recorded.returncode else judged)
        return
    ours, theirs = cases(folder + ".live.jsonl"), cases(folder + ".jsonl")
    differ = [(key, ours[key], theirs.get(key)) for key in ours if ours[key] != theirs.get(key)]
    verdicts = {line["verdict"] for line in ours.values()}
    check(not differ and verdict in verdicts and live.returncode == judged.returncode,
          name, differ or verdicts)


def lines_of(folder):
    with open(f"{folder}/record.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def sealed(line):
    text = json.dumps({key: value for key, value in line.items() if key != "sha256"})[:-1]
    return f'{text}, "sha256": "{hashlib.sha256(text.encode()).hexdigest()}"}}\n'


def write(folder, lines, data=None):
    """The lines with digests that fit, as someone would who wants to deceive."""
    text = "".join(sealed(line) for line in lines[:-1])
    if data is None:
        with open(f"{folder}/record.data", "rb") as file:
            data = file.read()
    footer = {"record": "footer", "lines": len(lines) - 2,
              "lines_sha256": hashlib.sha256(text.encode()).hexdigest(), "bytes": len(data),
              "data_sha256": hashlib.sha256(data).hexdigest()}
    with open(f"{folder}/record.jsonl", "w", encoding="utf-8") as file:
        file.write(text + sealed(footer))
    with open(f"{folder}/record.data", "wb") as file:
        file.write(data)


def refused(folder, said, name, *more):
    done = assay("certify", "--recorded", folder, *SOME, *more)
    check(done.returncode == 2 and re.search(said, done.stderr), name, done)


def equal(work):
    for plugin, verdict in FLAWED:
        same(f"{work}/{plugin}", ("--plugin", f"{ZOO}/{plugin}.so"), SOME, verdict,
             f"{plugin}: the record gives each case the verdict, reason and bits of the live run")
    same(f"{work}/refusals", ("--target", "random123"),
         ("--suite", "philox", "--case", "sweep-22.1*"), "unsupported",
         "what a target does not support is recorded with its reason")
    same(f"{work}/relations", ("--target", "reference"),
         ("--suite", "philox,onednn.rnn", "--case", "agrees-*-o*"), "pass",
         "the other requests of a relation are recorded with it")
    done = assay("targets")
    if re.search(r"^onednn2 +plugin +2", done.stdout, re.M):
        same(f"{work}/onednn2", ("--target", "onednn2"),
             ("--suite", "onednn.rnn", "--case", "*gru-lbr_gru-*f32*"), "pass",
             "oneDNN: observed states, several runs and threads are as in the live run")
        same(f"{work}/stepwise", ("--target", "onednn2"),
             ("--suite", "onednn.rnn", "--case", "time-gru-lbr_gru-l2r-f32-*", "--mode",
              "stepwise"), "pass",
             "a record of single steps is judged step by step")


def changed(work, folder):
    copy = f"{work}/copy"

    def spoil(file, at, name, said):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        with open(f"{copy}/{file}", "r+b") as bytes_:
            bytes_.seek(at)
            byte = bytes_.read(1)[0]
            bytes_.seek(at)
            bytes_.write(bytes([byte ^ 1]))
        refused(copy, said, name)

    with open(f"{folder}/record.jsonl", "rb") as file:
        text = file.read()
    third = len(b"\n".join(text.split(b"\n")[:2])) + 1
    spoil("record.jsonl", third + 40, "a changed byte of a line is refused, with file and line",
          r"record\.jsonl:3:.*the line was changed")
    spoil("record.jsonl", 60, "and so is one of the header", r"record\.jsonl:1:.*was changed")
    spoil("record.data", 5, "a changed byte of a tensor is refused, with its bytes",
          r"bytes 0 to 15 of .*record\.data were changed")
    misses = 0
    for at in range(0, len(text), max(1, len(text) // 25)):
        with open(f"{copy}/record.jsonl", "wb") as file:
            file.write(text[:at] + bytes([text[at] ^ 4]) + text[at + 1:])
        shutil.copy(f"{folder}/record.data", copy)
        misses += assay("certify", "--recorded", copy, *SOME).returncode != 2
    check(not misses, "whichever byte it is", f"{misses} were taken")
    for cut, name in ((len(text) - 20, "a record that is cut off is refused"),
                      (text.rindex(b"\n", 0, -1) + 1, "and one without its footer")):
        with open(f"{copy}/record.jsonl", "wb") as file:
            file.write(text[:cut])
        refused(copy, "cut off", name)
    with open(f"{copy}/record.jsonl", "wb") as file:
        rows = text.split(b"\n")
        file.write(b"\n".join(rows[:2] + rows[3:]))
    refused(copy, "some were added, removed or moved", "and one that lacks a line")


def hostile(work, folder):
    lines = lines_of(folder)
    answer = next(i for i, line in enumerate(lines) if "outputs" in line)
    copy = f"{work}/hostile"

    def told(change, said, name):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        rows = json.loads(json.dumps(lines))
        change(rows)
        write(copy, rows)
        refused(copy, said, name)

    def output(rows):
        return rows[answer]["outputs"]["output"]

    told(lambda r: output(r).update(at=1 << 60), "beyond the end", "a place beyond the data")
    told(lambda r: output(r).update(at=-1), "at", "a place before it")
    told(lambda r: output(r).update(shape=[1 << 40, 1 << 40]), "beyond the end",
         "a shape of more than 2^64 elements")
    told(lambda r: output(r).update(dtype="f33"), "there is no type 'f33'", "an unknown type")
    told(lambda r: r[answer]["conditions"].update(weather=1), "no condition 'weather'",
         "an unknown condition")
    told(lambda r: r[answer]["conditions"].update(guard=9), "guard", "a guard that is none")
    told(lambda r: r[answer].update(outcome="lost"), "no outcome 'lost'", "the harness's failures")
    told(lambda r: r[answer].pop("outputs"), "that is ok has outputs", "an answer without values")
    told(lambda r: r[answer].update(request="00"), "which is a digest", "a digest that is none")
    told(lambda r: r[answer].update(more=1), "unknown key 'more'", "an unknown key")
    told(lambda r: r[0].update(recorded="today"), "is a time like", "a time that is none")
    told(lambda r: r[0]["target"].update(kind="human"), "plugin or process", "a kind of target")
    told(lambda r: r[0]["target"].update(feeds=[]), "1 to 8 feeds", "no feeds")
    told(lambda r: r[0]["machine"].clear(), "architecture", "a machine without a name")

    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    rows = json.loads(json.dumps(lines))
    output(rows).update(shape=[2, 2])
    write(copy, rows)
    done = assay("certify", "--recorded", copy, *SOME)
    check(done.returncode == 1 and "the recorded output 'output' is u32[2,2]" in done.stdout,
          "an output of another shape than was asked for fails as what is no answer", done)


def newer(work):
    suite, folder = f"{work}/small.yaml", f"{work}/small"
    with open(suite, "w", encoding="utf-8") as file:
        file.write(small_suite("R1") + blocks(1, 2, 3))
    assay("record", "--target", "random123", "--suite", suite, "--to", folder)
    text = small_suite("R1", "1.1.0") + blocks(1, 2, 3, 4)
    with open(suite, "w", encoding="utf-8") as file:
        file.write(text.replace("data: [1, 2, 3, $n]", "data: [1, 2, 3, $n.v]")
                   .replace("[1, 2, 3, 4]", "[{n: 1, v: 1}, {n: 2, v: 9}, {n: 3, v: 3}, "
                            "{n: 4, v: 4}]").replace("block-{n}", "block-{n.n}"))
    out = f"{work}/newer.jsonl"
    done = assay("certify", "--recorded", folder, "--suite", suite, "--out", out)
    got = {case: (line["verdict"], line.get("reason", ""))
           for (_, case), line in cases(out).items()}
    check(got["block-1"][0] == got["block-3"][0] == "pass",
          "a newer suite: cases whose request is the same are judged", got)
    check(got["block-2"] == ("unsupported",
                             "the case asks for something else than when it was recorded"),
          "one whose request was changed is unsupported, and says why", got)
    check(got["block-4"] == ("unsupported", "the case is not in the record"),
          "and so is a new one", got)
    check("conforms in part: 2 of 4 cases" in done.stdout, "neither is counted as passed", done)
    part = assay("certify", "--recorded", folder, "--suite", "threefry")
    check(part.returncode == 4, "where the record has none of the cases, nothing was compared",
          part)


def signed(work):
    private, public = keys(work)
    _, other = keys(work, "other")
    folder, out = f"{work}/signed", f"{work}/signed.jsonl"
    done = assay("record", "--target", "random123", *SOME[:2], "--to", folder, "--sign", private)
    check(done.returncode == 0 and os.path.exists(f"{folder}/record.signature"),
          "a record is signed", done)
    done = assay("certify", "--recorded", folder, "--recorded-by", public, "--suite", "philox",
                 "--out", out, "--html", f"{work}/page.html", "--sign", private)
    certificate = f"{work}/signed.certificate.jsonl"
    check(done.returncode == 0 and os.path.exists(certificate),
          "a certificate is made of it", done)
    with open(out, encoding="utf-8") as file:
        target = json.loads(file.readline())["targets"][0]
    check(re.fullmatch("[0-9a-f]{64}", target["recorded"].get("signer", "")) and
          target["recorded"]["suites"].startswith("philox "),
          "the results say that answers were recorded, for which suites and by whose key", target)
    with open(f"{work}/page.html", encoding="utf-8") as file:
        check("its answers were recorded at" in file.read(), "and so does the page")
    done = assay("verify", "--key", public, "--recorded", folder, "--rerun", "2", certificate)
    check(done.returncode == 0 and "unchanged record/record.jsonl" in done.stdout and
          "signed by the key" in done.stdout and "is the word of whoever recorded" in done.stdout,
          "verify checks the record, and says what it cannot", done)
    refused(folder, "signature", "another key is refused", "--recorded-by", other)
    check(assay("verify", "--key", public, "--rerun", "2", certificate).returncode == 2,
          "a sample cannot be run again without the record")
    check(assay("report", "--certificate", private, "--out", f"{work}/c.jsonl",
                out).returncode != 0, "nor is a certificate made of kept results")
    lines = lines_of(folder)
    lines[0]["by"] = "somebody"
    write(folder, lines)
    refused(folder, "signature is of another record", "an edited record is not the signed one",
            "--recorded-by", public)
    os.remove(f"{folder}/record.signature")
    refused(folder, "is not signed", "and one without a signature is told so", "--recorded-by",
            public)


def once(work):
    """A record with one call for each case, as a simple runner makes it."""
    folder, out = f"{work}/once", f"{work}/once.jsonl"
    assay("record", "--target", "random123", *SOME, "--to", folder)
    lines, seen = [], set()
    for line in lines_of(folder):
        if line["record"] == "answer" and (line.get("ask") or line["case"] in seen):
            continue
        seen.add(line.get("case"))
        lines.append(line)
    write(folder, lines)
    done = assay("certify", "--recorded", folder, *SOME, "--out", out)
    check("3 not run whole; requirements: 0 met, 5 in part" in done.stdout and
          {line["verdict"] for line in cases(out).values()} == {"pass"},
          "where each case was called once, requirements are met in part at most", done)


def usage(folder):
    for words, said in (
            (("certify", "--recorded", folder, "--target", "random123"), "a record is the target"),
            (("certify", "--recorded", folder, "--quick"), "nothing is run again"),
            (("certify", "--target", "random123", "--recorded-by", "k"), "goes with --recorded"),
            (("record", "--target", "random123"), "--to is missing"),
            (("record", "--target", "random123", "--suite", "philox", "--to", folder),
             "is there already"),
            (("certify", "--recorded", folder + "-none"), "cannot open")):
        done = assay(*words)
        check(done.returncode == 2 and said in done.stderr, " ".join(words[:1]) + ": " + said, done)
    done = assay("record", "--target", "random123", "--suite", "onednn.rnn", "--to", folder + "-0")
    check(done.returncode == 4 and not os.path.exists(folder + "-0"),
          "a target that supports nothing leaves no record", done)


with tempfile.TemporaryDirectory() as work_folder:
    equal(work_folder)
    changed(work_folder, f"{work_folder}/nine_rounds")
    hostile(work_folder, f"{work_folder}/nine_rounds")
    newer(work_folder)
    signed(work_folder)
    once(work_folder)
    usage(f"{work_folder}/nine_rounds")
finish()
