# SPDX-License-Identifier: Apache-2.0
"""Results files for tests: a small one that shows every kind of record and verdict, and large ones.
Invented results, real form.
"""

import hashlib
import json
import math
import struct
import sys

DIGEST = hashlib.sha256


def digest(text):
    return DIGEST(text.encode()).hexdigest()


def bits32(value):
    return struct.pack(">f", value).hex()


def lines(header, records):
    """The whole file as bytes: header, records, and the footer that they need."""
    body = [json.dumps(header)] + [json.dumps(record) for record in records]
    text = "".join(line + "\n" for line in body)
    verdicts = {}
    for record in records:
        if record["record"] == "case":
            verdicts[record["verdict"]] = verdicts.get(record["verdict"], 0) + 1
    footer = {"record": "footer", "records": len(records), "verdicts": verdicts,
              "sha256": digest(text)}
    return (text + json.dumps(footer) + "\n").encode()


def header(**changes):
    h = {
        "record": "header", "format": "assay.results/1", "command": "certify",
        "plan": digest("plan"), "started": "2026-11-21T02:00:00Z",
        "tool": {"name": "assay", "version": "0.1.0", "sha256": digest("tool")},
        "seed": "1", "known": {"name": "known.yaml", "sha256": digest("known")},
        "suites": [
            {"name": "uniform", "version": "1.2.0", "title": "A uniform generator",
             "sha256": digest("uniform"), "vectors": digest("uniform vectors"),
             "manifest": digest("uniform list")},
            {"name": "cells", "version": "2.0.0", "title": "Recurrent cells",
             "sha256": digest("cells")},
            {"name": "elsewhere", "version": "1.0.0", "title": "A system of another machine",
             "sha256": digest("elsewhere"),
             "reference_only": "the system runs on another operating system"},
        ],
        "requirements": [
            {"suite": "uniform", "id": "U-KEY",
             "text": "the key is the global seed, low word first",
             "clause": "detailed description"},
            {"suite": "uniform", "id": "U-ROUNDS", "text": "each block takes ten rounds"},
            {"suite": "uniform", "id": "U-REFUSE", "text": "an empty interval is refused"},
            {"suite": "cells", "id": "C-GATES", "text": "gates stand in the order i, f, c, o"},
            {"suite": "cells", "id": "C-LONG",
             "text": "a sequence of a thousand steps stays inside its radius"},
        ],
        "errata": [
            {"suite": "uniform", "id": "U-E1", "clause": "example 2",
             "says": "7 < 5 & nothing of bounds", "decided": "5 < 7"},
        ],
        "targets": [
            {"name": "reference", "kind": "plugin", "version": "0.1.0", "file": "reference.so",
             "sha256": digest("reference")},
            {"name": "acme", "kind": "plugin", "version": "3.4.1", "file": "acme.so",
             "sha256": digest("acme"),
             "libraries": [{"file": "libacme.so.3", "sha256": digest("libacme")},
                           {"file": "plugins/", "sha256": digest("plugins")}]},
            {"name": "script", "kind": "process", "version": "1.0", "file": "script.py",
             "sha256": digest("script")},
            {"name": "absent", "kind": "plugin",
             "unavailable": "libabsent.so: cannot open shared object file"},
        ],
        "machine": {"architecture": "x86_64", "processor": "a processor", "processors": 2,
                    "instructions": "avx2", "system": "Linux 6.1"},
    }
    h.update(changes)
    return h


def case(target, suite, name, verdict="pass", covers=("U-KEY",), required="bits", **more):
    record = {"record": "case", "target": target, "suite": suite, "case": name,
              "op": "acme.uniform" if suite == "uniform" else "onednn.rnn", "covers": list(covers),
              "verdict": verdict, "required": required}
    if verdict in ("pass", "vacuous") and "reached" not in more:
        record["reached"] = required
    if verdict in ("rejected", "accepted"):
        record["negative"] = True
    record.update(more)
    return record


def wrong_output():
    expected = [0.7011236, 0.30539632, 0.93931055, 0.9456035, 0.11694777, 0.50770056, 0.5197197,
                0.22727466, 0.991374]
    got = [0.7011236, 0.30539635, 0.93931055, 0.25, 0.11694777, -0.0, float("inf"), 0.22727466,
           0.9913739]
    elements = [{"at": i, "expected": bits32(e), "got": bits32(g)} for i,
                (e, g) in enumerate(zip(expected, got)) if bits32(e) != bits32(g)]
    return {"name": "output", "dtype": "f32", "shape": [3, 3], "wrong": len(elements),
            "first": [0, 1], "elements": elements,
            "ulp": {"edges": [0, 0.5, 1, 2, 4, 8, 16777216], "counts": [4, 0, 1, 0, 1, 0, 3],
                    "largest": "inf"}}


def cell_output(wrong):
    rows, columns = 12, 16
    cells = [(1 if wrong and r > 4 and c in (3, 4, 11) else 0) * (r - 3) for r in range(rows)
             for c in range(columns)]
    used = [3900, 2100, 900, 310, 120, 41, 12, 4, 1, 0, sum(cells)]
    output = {"name": "dst_layer", "dtype": "f32", "shape": [1000, 2, 128],
              "radius": {"edges": [i / 10 for i in range(11)], "counts": used, "largest": 1.73
                         if wrong else 0.81}}
    if wrong:
        output.update({"wrong": sum(cells), "first": [417, 0, 24],
                       "elements": [{"at": 417 * 256 + 24, "expected": "3e99999a",
                                     "got": "3e9a0000", "lower": "3e999990", "upper": "3e9999a4",
                                     "ulp": 102}],
                       "map": {"rows": rows, "columns": columns, "row_name": "time",
                               "column_name": "channel", "row_count": 1000,
                               "column_count": 128, "cells": cells}})
    return output


def records():
    out = []
    for target in ("reference", "acme", "script"):
        for n in range(1, 9):
            out.append(case(target, "uniform", f"tail-f32-{n}", covers=("U-KEY", "U-ROUNDS")))
        out.append(case(target, "uniform", "empty-interval", "rejected", ("U-REFUSE",),
                        reason="minval must be less than maxval"))
        out.append(case(target, "cells", "lstm-gates", covers=("C-GATES",), required="bound",
                        reached="bits" if target == "reference" else "bound",
                        **({} if target == "reference" else {"outputs": [cell_output(False)]})))
    out += [
        case("acme", "uniform", "example-1", "fail", ("U-KEY", "U-ROUNDS"),
             outputs=[wrong_output()], conditions=12,
             condition={"threads": 4, "repeat": 2, "after": "tail-f32-8", "buffer": "end"},
             explained={"profile": {"rounds": "9"},
                        "text": "equals the reference bit for bit with rounds=9", "searched": 31},
             about="the example that the text prints", request='{"id": "example-1"}',
             reproduce="assay run uniform/example-1 --target acme"),
        case("acme", "uniform", "subnormal-span", "fail", ("U-KEY",),
             outputs=[{**wrong_output(), "run": 1}], explained={"searched": 496},
             known={"why": "flushes subnormal spans, reported as bug 17", "state": "expected"},
             reproduce="assay run uniform/subnormal-span --target acme"),
        case("acme", "uniform", "fused", "pass", ("U-KEY",), profile={"rounding": "fused"}),
        case("acme", "cells", "lstm-long", "fail", ("C-LONG",), "bound",
             outputs=[cell_output(True)], reproduce="assay run cells/lstm-long --target acme"),
        case("acme", "cells", "lstm-wide", "vacuous", ("C-LONG",), "bound",
             reason="the radius of 12 elements is infinite"),
        case("script", "uniform", "crash", "crash", ("U-KEY",),
             reason="signal 11 (segmentation fault)", stderr="first\nlast <line> & more\n",
             reproduce="assay run uniform/crash --target script"),
        case("script", "uniform", "hang", "timeout", ("U-KEY",), reason="nothing within 10 s"),
        case("script", "uniform", "loose", "accepted", ("U-REFUSE",),
             reason="gave [0.1, 0.2] for an empty interval"),
        case("script", "uniform", "healed", "pass", ("U-KEY",),
             known={"why": "was wrong before 1.0", "state": "cured"}),
        case("script", "cells", "lstm-long", "unsupported", ("C-LONG",), "bound",
             reason="no recurrent cells"),
        {"record": "mutant", "suite": "uniform", "op": "acme.uniform", "profile": {"rounds": "9"},
         "killed": True, "killers": ["example-1", "tail-f32-1"],
         "kills": 9, "requirements": ["U-KEY", "U-ROUNDS"]},
        {"record": "mutant", "suite": "uniform", "op": "acme.uniform",
         "profile": {"halves": "swapped"}, "killed": True, "killers": ["example-1"], "kills": 1,
         "requirements": ["U-KEY"]},
        {"record": "mutant", "suite": "cells", "op": "onednn.rnn", "profile": {"gates": "ifoc"},
         "killed": False, "killers": [], "kills": 0},
        {"record": "mutant", "suite": "cells", "op": "onednn.rnn",
         "profile": {"nan_payload": "kept"}, "killed": False, "waived": "payloads do not travel"},
        {"record": "score", "source": "the tests of acme", "suite": "cells", "tests": 3, "held": 2,
         "refused": 0,
         "mistakes": [{"profile": {"gates": "ifoc"}, "ours": "lstm-long"},
                      {"profile": {"gates": "icfo"}, "theirs": "lstm_2", "ours": "lstm-long"}],
         "flaws": [{"test": "lstm_3", "verdict": "wrong", "profile": {"rounding": "fused"},
                    "output": "Y", "dtype": "f32", "at": 2, "wrong": 1, "compared": 4,
                    "expected": bits32(1.0), "right": bits32(0.5), "lower": bits32(0.25),
                    "upper": bits32(0.75)},
                   {"test": "lstm_4", "verdict": "refused", "reason": "no such gate"}]},
    ]
    e = 0.0
    for night in range(1, 22):
        p = 0.5 + 0.49 * math.sin(night * 2.4)
        e += 0.3 * math.cos(night)
        out.append({"record": "evidence", "source": "acme", "test": "frequency",
                    "night": f"2026-11-{night:02d}", "bits": 2**33, "p": p,
                    "e": math.exp(e), "verdict": "clean"})
    out += [
        {"record": "timing", "what": "philox4x32 fill", "ours": True, "seconds": 0.021,
         "bytes": 2**26, "threads": 1},
        {"record": "timing", "what": "philox4x32 fill", "ours": False, "peer": "acme",
         "seconds": 0.063, "bytes": 2**26, "threads": 1, "ratio": 3.0},
        {"record": "timing", "what": "uniform f32", "ours": True, "seconds": 0.031, "bytes": 2**26,
         "threads": 1},
        {"record": "timing", "what": "uniform f32", "ours": False, "peer": "acme", "seconds": 0.025,
         "bytes": 2**26, "threads": 1, "ratio": 0.81},
    ]
    return out


def hostile():
    """Text that would harm a careless reader: markup, terminal escapes, marks of direction,
    entities, Markdown, quotes.
    """
    nasty = ("</script><script>alert(1)</script>\x1b[2J\u202e]]>&amp;\"'`|*_<!-- "
             "\u0085 \ufffe \U0001f600 \x01")
    h = header(targets=[{"name": nasty, "kind": "plugin", "version": nasty}],
               suites=[{"name": nasty, "version": nasty, "title": nasty, "sha256": digest("x")}],
               requirements=[{"suite": nasty, "id": nasty, "text": nasty, "clause": nasty}],
               errata=[{"suite": nasty, "id": nasty, "clause": nasty, "says": nasty,
                        "decided": nasty}])
    output = {**wrong_output(), "name": nasty}
    cases = [{"record": "case", "target": nasty, "suite": nasty, "case": nasty + str(i),
              "op": nasty, "covers": [nasty], "verdict": verdict,
              "required": "bits", "reason": nasty, "stderr": nasty, "reproduce": nasty,
              "outputs": [output],
              "explained": {"profile": {nasty: nasty}, "text": nasty, "searched": 1}} for i,
             verdict in enumerate(("fail", "crash", "unsupported"))]
    return lines(h, cases)


def small():
    return lines(header(), records())


def many(count, wrong_every=100):
    """`count` cases, one in `wrong_every` of them a failure with 16 elements shown."""
    out = []
    for i in range(count):
        name = f"case-{i:06d}-f32"
        if i % wrong_every == wrong_every - 1:
            output = wrong_output()
            output["elements"] = [{"at": k, "expected": "3f337cd6", "got": f"3f33{k:02x}d7"}
                                  for k in range(16)]
            out.append(case("acme", "uniform", name, "fail", ("U-KEY",), outputs=[output],
                            conditions=12, explained={"searched": 31},
                            reproduce=f"assay run uniform/{name} --target acme"))
        else:
            out.append(case("acme" if i % 2 else "reference", "uniform" if i % 3 else "cells", name,
                            covers=("U-KEY", "U-ROUNDS") if i % 3 else ("C-GATES",), conditions=12))
    return lines(header(), out)


if __name__ == "__main__":
    sys.stdout.buffer.write(many(int(sys.argv[1])) if len(sys.argv) > 1 else small())
