# SPDX-License-Identifier: Apache-2.0
"""What the rows of one bench come to: those below their goals with the limit that stops them, those
of which others have published figures, and those that are slower than in every earlier run.

A history holds a line of JSON for each row of each run: date, commit, processor, instruction set,
and what was measured. Rows are compared with earlier ones on the same processor with the same
instruction set, by their ratio to the peer where there is one (what else the machine does strikes
both sides), else by their seconds. A row is named when it is worse than in all those runs: of n
equal runs before, that happens to one row in n + 1 by chance.

usage: summary.py ROWS [HISTORY]   lines of JSON that the bench has written; the run is added to
HISTORY. Exit code 1 when a row is below its goal.
"""
import datetime
import json
import math
import os
import statistics
import subprocess
import sys

from lines import each

HERE = os.path.dirname(os.path.abspath(__file__))
LINE_MAX = 1 << 16
NUMBERS = "seconds", "ratio", "cycles", "share", "peak", "cases", "elements"
WORDS = "row", "peer", "unit", "limit", "machine", "isa", "date", "commit", "processor"


def clean(line):
    """The members of a line that are what they are meant to be; None for what is no such line."""
    if len(line) > LINE_MAX:
        return None
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    kept = {name: read[name] for name in WORDS if isinstance(read.get(name), str)
            and read[name].isprintable()}
    kept |= {name: float(read[name]) for name in NUMBERS
             if type(read.get(name)) in (int, float) and abs(read[name]) < 1e300
             and math.isfinite(read[name]) and read[name] >= 0}
    return kept


def read_lines(path):
    """(lines, how many were left out): a file that is not there has none."""
    if not os.path.exists(path):
        return [], 0
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [clean(line) for line in file if line.strip()]
    good = [line for line in lines if line and ("row" in line or "machine" in line)]
    return good, len(lines) - len(good)


def read_table(name):
    """Rows of cells of a table of this folder."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [[cell.strip() for cell in line.split("|")] for line in file
                if line.strip() and not line.startswith("#")]


def number(cell):
    """A goal as the table spells it: 2, 1/3; None for none."""
    above, _, below = cell.partition("/")
    return None if cell == "-" else float(above) / float(below or 1)


def named(pattern, row):
    return row.startswith(pattern[:-1]) if pattern.endswith("*") else row == pattern


def of_case(row):
    """The row's seconds, of a certification those of a case; None where there are none."""
    seconds = row.get("seconds")
    return seconds / row["cases"] if seconds and row.get("cases") else seconds


def missed(row, isa):
    """(what the row was to reach and did not, in words; what of it, its goal), one for each."""
    for pattern, what, avx2, avx512, _ in read_table("goals.txt"):
        goal = number({"avx2": avx2, "avx512": avx512}.get(isa, "-"))
        if goal is None or not named(pattern, row["row"]):
            continue
        if what == "ratio" and "ratio" in row and row["ratio"] < goal:
            peer = row.get("peer", "its peer").partition(";")[0]
            yield f"{row['ratio']:.3g} times as fast as {peer}, goal {goal:.3g}", what, goal
        elif what == "seconds" and "seconds" in row and row["seconds"] > goal:
            yield f"{row['seconds']:.4g} s, goal {goal:g} s", what, goal
        elif what == "ms/case" and row.get("cases") and of_case(row) > goal / 1e3:
            yield f"{1e3 * of_case(row):.3g} ms a case, goal {goal:g} ms", what, goal
        elif what == "MB" and "peak" in row and row["peak"] > goal * 1e6:
            yield f"{row['peak'] / 1e6:.0f} MB at its peak, goal {goal:g} MB", what, goal


def stops(row, what, goal):
    """What the row would reach at its limit: the limit stops it only where that is not the goal."""
    if what == "MB" or not row.get("limit") or not row.get("share"):
        return "no limit of the machine is counted for it"
    if what == "ratio":
        best = row["ratio"] / row["share"]
        stopped, spelled = best < goal, f"{best:.3g} times"
    elif what == "ms/case":
        best = 1e3 * of_case(row) * row["share"]
        stopped, spelled = best > goal, f"{best:.3g} ms a case"
    else:
        best = row["seconds"] * row["share"]
        stopped, spelled = best > goal, f"{best:.4g} s"
    share, limit = f"{100 * row['share']:.0f} %", row["limit"]
    if limit == "vector instructions":  # other code may need fewer
        limit += " of the code as it stands"
    return (f"stopped by {limit}: {share} of that limit, which allows {spelled} at most" if stopped
            else f"{share} of its limit, {limit}, which alone does not stop it: "
                 f"it allows {spelled}")


def print_missed(rows, isa):
    """Whether any was."""
    below = [(row, miss) for row in rows for miss in missed(row, isa)]
    if isa not in ("avx2", "avx512"):
        print(f"\nno goals are set for {isa}")
    print(f"\n{len(rows)} rows measured, {len(below)} goals not reached")
    spent = dict(read_table("spent.txt"))
    for row, (words, what, goal) in below:
        print(f"  {row['row']:<28} not reached: {words}\n{'':<31}{stops(row, what, goal)}")
        if what == "ms/case" and row.get("elements"):
            print(f"{'':<31}of {each(row['seconds'], row['cases'], row['elements'])}")
        if what != "MB" and row["row"] in spent:
            print(f"{'':<31}{spent[row['row']]}")
    return bool(below)


def print_published(rows):
    by_name = {row["row"]: row for row in rows}
    first = True
    for name, figure, of, whose, where in read_table("published.txt"):
        row = by_name.get(name, {})
        ours = None
        if of == "times" and row.get("ratio"):
            ours = 1 / row["ratio"]
        elif "cycles" in row and of == f"cycles/{row['unit']}":
            ours = row["cycles"]
        if ours is None:
            continue
        if first:
            print("\nbeside what others have published (their processors, not this one)")
        first = False
        theirs = (f" ({ours * row['ratio']:.3g} by the row's peer here)"
                  if of != "times" and "ratio" in row else "")
        print(f"  {name:<28} ours {ours:.3g} {of}{theirs}; {figure}: {whose} ({where})")


# ---- history -----------------------------------------------------------------


def worth(row):
    """Seconds as multiples of the peer's, where there is one, else those of a case, whose number
    grows; None where nothing was measured."""
    return 1 / row["ratio"] if row.get("ratio") else of_case(row)


def slower(rows, history, processor, isa):
    """(row, times the median of earlier runs, how many runs) of rows that are slower than ever."""
    for row in rows:
        before = [worth(old) for old in history
                  if (old.get("row"), old.get("processor"), old.get("isa"))
                  == (row["row"], processor, isa)
                  and all((name in old) == (name in row) for name in ("ratio", "cases"))]
        before = [value for value in before if value]
        now = worth(row)
        if now and len(before) >= 3 and now > max(before):
            yield row, now / statistics.median(before), len(before)


def print_slower(rows, history, processor, isa):
    found = list(slower(rows, history, processor, isa))
    runs = len({old.get("date") for old in history
                if (old.get("processor"), old.get("isa")) == (processor, isa)})
    print(f"\nearlier runs on this processor: {runs}; rows slower than in all of three or more: "
          f"{len(found)}")
    for row, times, count in found:
        print(f"  {row['row']:<28} {times:.2f} times its median of {count} runs (one row in "
              f"{count + 1} by chance)")


def add_run(path, rows, processor, isa):
    commit = subprocess.run(["git", "-C", HERE, "describe", "--always", "--dirty"],
                            capture_output=True, text=True, check=False).stdout.strip()
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "ab+") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        if file.read() not in (b"", b"\n"):  # a run that was killed left half a line
            file.write(b"\n")
        for row in rows:
            file.write((json.dumps({"date": date, "commit": commit or "unknown",
                                   "processor": processor, "isa": isa, **row}) + "\n").encode())


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    lines, _ = read_lines(sys.argv[1])
    rows = [line for line in lines if "row" in line]
    if not rows:
        return 0
    machine = next((line for line in lines if "machine" in line), {"machine": "unknown"})
    processor, isa = machine["machine"], machine.get("isa", "unknown")
    print_published(rows)
    if len(sys.argv) == 3:
        history, left_out = read_lines(sys.argv[2])
        if left_out:
            print(f"\n{sys.argv[2]}: {left_out} lines are no rows and were left out")
        print_slower(rows, history, processor, isa)
        add_run(sys.argv[2], rows, processor, isa)
    return 1 if print_missed(rows, isa) else 0


if __name__ == "__main__":
    sys.exit(main())
