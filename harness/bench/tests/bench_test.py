# SPDX-License-Identifier: Apache-2.0
"""The bench's tables name rows that there are; a goal that is not reached is named with its limit;
a history that is no history is read as far as it is one; the fit finds exponents that are known."""

import contextlib
import glob
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path[:0] = ["harness/tests", "harness/bench"]
import audit  # noqa: E402
import command  # noqa: E402
import growth  # noqa: E402
import summary  # noqa: E402
from tap import check, finish  # noqa: E402

SCALING = {"scaling/" + name for name in ("reference", "emit", "certify", "audit")}


def same(got, wanted, name):
    check(got == wanted, name, (got, wanted))


def rows_there():
    """Rows of the C files by their tables, and those of the programs in Python."""
    names = set(command.ROWS) | SCALING | {f"audit/dieharder-{g}" for g in audit.GENERATORS}
    for path in glob.glob("harness/bench/*.c"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names |= set(re.findall(r'^    (?:\{|GROWING\()"([a-z_0-9]+/[^"]+)"', text, flags=re.M))
    return names


def test_tables():
    rows = rows_there()
    check(len(rows) > 80, "rows are found", len(rows))
    for pattern, what, *goals, beside in summary.read_table("goals.txt"):
        check(any(summary.named(pattern, row) for row in rows), f"there is a row {pattern}", rows)
        check(what in ("ratio", "seconds", "ms/case", "MB") and len(goals) == 2 and beside,
              f"the goal of {pattern} has its cells", goals)
        check(all(summary.number(goal) is None or summary.number(goal) > 0 for goal in goals),
              f"the goal of {pattern} is a number", goals)
    for row, figure, of, whose, where in summary.read_table("published.txt"):
        check(row in rows and float(figure) > 0 and of and whose and where,
              f"what is published beside {row} has a row and a source", (figure, of, whose, where))
    for row, made_of in summary.read_table("spent.txt"):
        check(row in rows and made_of, f"what the time of {row} is made of has a row", made_of)
    same({name.rpartition("/")[0] for name in rows if name.startswith("growth/")}
         - {"growth"} | {"growth/product-side"}, set(growth.KERNELS),
         "what grows inside the bench has rows there")


def test_goals():
    row = {"row": "range/f32-2^26", "ratio": 0.5, "peer": "memset", "limit": "memory, written",
           "share": 0.25}
    for share, says in (
            (0.25, "25 % of its limit, memory, written, which alone does not stop it: "
                   "it allows 2 times"),
            (0.8, "stopped by memory, written: 80 % of that limit, which allows 0.625 times at"),
            (None, "no limit of the machine is counted for it")):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            below = summary.print_missed([{**row, "share": share}], "avx2")
        check(below and "not reached: 0.5 times as fast as memset, goal 0.8" in said.getvalue()
              and says in said.getvalue(), "a row below its goal is named with its limit",
              said.getvalue())
    check("of the code as it stands" in summary.stops(
        {**row, "limit": "vector instructions"}, "ratio", 0.8),
        "instructions that are counted are those of the code", row)
    slow = {"row": "command/help", "seconds": 0.004, "limit": "the clock"}
    same([summary.stops({**slow, "share": share}, "seconds", 0.002).partition(" ")[0]
          for share in (0.75, 0.25)], ["stopped", "25"], "seconds are held against it too")
    same(list(summary.missed({**row, "ratio": 0.81}, "avx2")), [], "one that reaches it is not")
    same(list(summary.missed(row, "scalar")), [], "nor one where there are no goals")
    same([len(list(summary.missed({"row": "command/help", "seconds": 0.001, "peak": peak},
                                  "avx512"))) for peak in (199e6, 201e6)], [0, 1],
         "the peak of memory is a goal of its own")
    grown = {"row": "command/certify", "seconds": 12, "share": 0.5, "limit": "its calls"}
    same([len(list(summary.missed({**grown, "cases": cases}, "avx2"))) for cases in (12000, 13000)],
         [1, 0], "a certification's goal is for a case")
    same(summary.stops({**grown, "cases": 1000}, "ms/case", 0.93),
         "stopped by its calls: 50 % of that limit, which allows 6 ms a case at most",
         "and so is its limit")
    same(summary.number("1/2.5"), 0.4, "a goal may be a fraction")


def test_waited():
    said = "OpenVINO says something\nassay: of {}{} s, {} s in the target's calls\n"
    same([command.waited(said.format(*of)).get("share") for of in (
        ("", "8.0", "6.0"), ("2 times ", "8.0", "6.0"), ("", "0.0", "0.0"))], [0.75, 0.375, None],
         "a certification's limit is what it says that the target took")
    same(command.waited("assay: something else"), {}, "where it says nothing there is none")


def test_counted():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"record": "header"}\n{"record": "case", "compared": 7}\n'
                       '{"record": "case"}\n{"record": "footer", "compared": 9}\n')
        same(command.counted(path), {"cases": 2, "elements": 7},
             "cases and elements of a certification are counted in its results")
        same(command.counted(path + "x"), {}, "which must be there")
    row = {"row": "command/certify", "seconds": 10.0, "cases": 2000.0, "elements": 4e6}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        summary.print_missed([row], "avx2")
    check("2,000 cases, 5 ms each; 4e+06 elements, 2.5e+03 ns each" in said.getvalue(),
          "below its goal it says what each of them took", said.getvalue())
    check(dict(summary.read_table("spent.txt"))["command/certify"] in said.getvalue(),
          "and what its time is made of", said.getvalue())
    history = [{**row, "processor": "P", "isa": "avx2"}] * 3
    same([len(list(summary.slower([{**row, "seconds": 19.0, "cases": cases}], history, "P",
                                  "avx2"))) for cases in (4000.0, 2000.0)], [0, 1],
         "suites that grew are no slowness")


def test_history():
    good = {"row": "rng/x", "processor": "P", "isa": "avx2", "ratio": 2.0}
    hostile = ["", "[", "null", "7", "[1]", '{"row": 3}', '{"row": "a\\u0007b"}', "{" * 100000,
               "[" * 5000, '{"row": "rng/x", "ratio": "2"}', '{"row": "rng/x", "ratio": NaN}',
               '{"row": "rng/x", "ratio": 1e999}', '{"row": "rng/x", "ratio": -1}',
               '{"row": "rng/x", "ratio": true}', '{"row": "' + "x" * 70000 + '"}',
               '{"row": "rng/x", "ratio": ' + "9" * 400 + "}", "\x00", "\ufffd"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "history.jsonl")
        with open(path, "wb") as file:
            file.write(b"\xff\xfe\n" + "\n".join(hostile).encode())
            for ratio in (2.0, 2.2, 1.9):
                file.write(b"\n" + json.dumps({**good, "ratio": ratio}).encode())
        history, left_out = summary.read_lines(path)
        check(left_out > 8 and all("row" in line or "machine" in line for line in history),
              "lines that are no rows are left out and counted", (left_out, history))
        check(all(type(line["ratio"]) is float and 0 <= line["ratio"] < 1e300
                  for line in history if "ratio" in line), "numbers are numbers", history)
        found = [[(row["row"], count) for row, _, count in
                  summary.slower([{"row": "rng/x", "ratio": ratio}], history, processor, "avx2")]
                 for ratio, processor in ((1.8, "P"), (1.95, "P"), (1.8, "Q"))]
        same(found, [[("rng/x", 3)], [], []],
             "a row slower than ever on this processor is named, and no other")
        rows = os.path.join(folder, "rows.jsonl")
        with open(rows, "w", encoding="utf-8") as file:
            file.write('{"machine": "P", "isa": "avx2"}\n{"row": "rng/x", "ratio": 1.5}\n')
        done = subprocess.run([sys.executable, "harness/bench/summary.py", rows, path],
                              capture_output=True, text=True)
        check(done.returncode == 0 and "rng/x" in done.stdout and not done.stderr,
              "the program says so", done.stdout + done.stderr)
        last = summary.read_lines(path)[0][-1]
        check(last.get("ratio") == 1.5 and last.get("commit") and last.get("date"),
              "and adds the run to the history", last)


def test_fit():
    for exponent in 0.5, 1, 3:
        slope, last, off = growth.fit([(n, 3e-3 * n ** exponent) for n in (8, 16, 64, 512)])
        check(max(abs(slope - exponent), abs(last - exponent), abs(off - 1)) < 1e-9,
              f"the exponent {exponent} is found", (slope, last, off))
    slope, _, off = growth.fit([(1, 1), (2, 2 * 1.1), (4, 4)])
    check(abs(slope - 1) < 1e-9 and 1.05 < off < 1.1, "a point off the line is the residual", off)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        growth.show("growth/x", [(1, 0.0), (2, 1.0)], 1)
    check("skipped" in said.getvalue(), "a time that is nothing is not fitted", said.getvalue())


test_tables()
test_goals()
test_waited()
test_counted()
test_history()
test_fit()
finish()
