# SPDX-License-Identifier: Apache-2.0
"""One bit turned in every region of every file that the program reads back, and files cut short: nothing is silently wrong.

For each format a sound file is made, damaged, and put before the command that reads it. Right is a refusal that says so, a
difference that is reported, or, where the byte means nothing (a comment, a page that SQLite does not use), the answer that the
sound file gives. Certificates are damaged in verify_test.py, parts of jobs also in shard_test.py and certify_shard_test.py.

ASSAY_FULL=1 turns ten times as many. TAP on standard output.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import yaml

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
FULL = os.environ.get("ASSAY_FULL") == "1"
SMALL = "harness/cli/tests/fuzz/seeds/suite/small.yaml"
# What a person reads and no verdict depends on.
WORDS = {"title", "text", "clause", "about", "says", "decided", "because", "source", "why"}
count = failed = 0


def check(right, name, detail=()):
    global count, failed
    count += 1
    failed += not right
    print(f"{'ok' if right else 'not ok'} {count} - {name}", flush=True)
    if not right:
        for line in detail:
            print("#", line)


def assay(*arguments, home=None):
    environment = dict(os.environ, ASSAY_HOME=home) if home else None
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, errors="replace", env=environment)


def damages(content, regions, per_region):
    """(region, place, damaged bytes): single bits all over each region, then cuts."""
    chance = random.Random(len(content))
    for name, start, end in regions:
        length = end - start
        places = sorted(chance.sample(range(start, end), min(length, per_region * (10 if FULL else 1))))
        for at in places:
            yield name, at, content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1:]
    cuts = sorted({0, 1, len(content) // 3, len(content) // 2, len(content) - 1} | {start for _, start, _ in regions})
    for at in cuts:
        if at < len(content):
            yield "cut", at, content[:at]


def go_through(title, path, regions, judge, per_region):
    """Damages the file at `path` in every way; judge() names what became of it, None for silently wrong."""
    with open(path, "rb") as file:
        sound = file.read()
    outcomes, wrong = {}, []
    for region, at, content in damages(sound, regions(sound), per_region):
        with open(path, "wb") as file:
            file.write(content)
        outcome = judge(content)
        if outcome is None:
            wrong.append(f"{region}, byte {at}: unnoticed")
        outcomes.setdefault(region, {}).setdefault(outcome, 0)
        outcomes[region][outcome] += 1
    with open(path, "wb") as file:
        file.write(sound)
    total = sum(sum(of.values()) for of in outcomes.values())
    seen = {}
    for of in outcomes.values():
        for outcome, number in of.items():
            seen[outcome] = seen.get(outcome, 0) + number
    words = ", ".join(f"{number} {outcome}" for outcome, number in sorted(seen.items(), key=str) if outcome)
    check(not wrong, f"{title}: {total} damages in {len(outcomes)} regions: {words}, {len(wrong)} silently wrong", wrong[:10])


def whole(content):
    return [("file", 0, len(content))]


def lines(content):
    """Each line is a region."""
    at, found = 0, []
    for line in content.splitlines(keepends=True):
        found.append((f"line {len(found) + 1}", at, at + len(line)))
        at += len(line)
    return found


def tensors(content):
    header = 8 + int.from_bytes(content[:8], "little")
    return [("length", 0, 8), ("header", 8, header), ("data", header, len(content))]


def part(content):
    head = content.index(b"\n") + 1
    return [("head", 0, head), ("payload", head, len(content) - 80), ("foot", len(content) - 80, len(content))]


def pages(content):
    size = int.from_bytes(content[16:18], "big")
    size = 65536 if size == 1 else size
    found = [("database header", 0, 100)]
    return found + [(f"page {at // size + 1}", max(at, 100), at + size) for at in range(0, len(content), size)][:64]


def refused_by(*arguments, words=(), home=None):
    def judge(_):
        done = assay(*arguments, home=home)
        return "refused" if done.returncode == 2 and done.stderr and all(w in done.stderr for w in words) else None
    return judge


def golden(work):
    home = f"{work}/home"
    os.makedirs(f"{home}/yaml/suites")
    os.makedirs(f"{home}/vectors/golden")
    shutil.copy(SMALL, f"{home}/yaml/suites/small.yaml")
    assay("emit", home=home)

    def reported(_):
        done = assay("emit", "--check", home=home)
        return {1: "reported", 2: "refused"}.get(done.returncode)
    for name, regions, most in (("small.safetensors", tensors, 25), ("small.jsonl", lines, 12), ("SHA256SUMS", lines, 12)):
        go_through(f"golden {name}", f"{home}/vectors/golden/{name}", regions, reported, most)
    return home


def same_but_for_words(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(k in WORDS or same_but_for_words(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_but_for_words, a, b))
    return type(a) is type(b) and a == b


def suites(home):
    path = f"{home}/yaml/suites/small.yaml"
    kept = open(path, "rb").read()
    sound = yaml.safe_load(kept)

    def judge(content):
        done = assay("emit", "--check", home=home)
        if done.returncode in (1, 2):
            return {1: "reported", 2: "refused"}[done.returncode]
        # A suite that a certification names by its digest; what it asks for must be what it asked for.
        try:
            now = yaml.safe_load(content)
        except yaml.YAMLError:
            return None
        if done.returncode != 0 or same_but_for_words(sound, now):
            return "of words alone" if done.returncode == 0 else None
        # Turned into a comment, say: what is left is a sound suite, and not the one whose digest stands in results and certificates.
        return "told by its digest alone" if content != kept else None
    go_through("suite", path, lines, judge, 4)


def results(work, home):
    path = f"{work}/results.jsonl"
    assay("certify", "--plugin", f"{BUILD}/zoo/nine_rounds.so", "--suite", "small", "--quiet", "--out", path, home=home)
    go_through("results", path, lines, refused_by("report", path), 12)


def known(work, home):
    path, suite = f"{work}/known.yaml", f"{home}/yaml/suites/small.yaml"
    with open(path, "w") as file:
        file.write('known:\n  - target: nine_rounds\n    suite: small\n    case: "n-1?"\n    verdict: fail\n'
                   '    why: "one round is missing"\n'
                   '  - target: nine_rounds\n    suite: small\n    case: "wind*"\n    verdict: fail\n    why: "likewise"\n')
    command = ["certify", "--plugin", f"{BUILD}/zoo/nine_rounds.so", "--suite", suite, "--quiet", "--known", path]
    sound = assay(*command)
    check(sound.returncode == 0 and "2 expected failures" in sound.stdout, "a list of known failures covers what fails", [sound.stdout[-300:], sound.stderr])

    def judge(_):
        done = assay(*command)
        if done.returncode in (1, 2):
            return {1: "reported", 2: "refused"}[done.returncode]
        same = "2 expected failures" in done.stdout and "0 unexpected" in done.stdout
        return "with the same failures expected" if done.returncode == 0 and same else None
    go_through("known failures", path, lines, judge, 3)


def histories(work):
    audits, cases = f"{work}/audits.db", f"{work}/cases.db"
    for _ in range(2):
        assay("audit", "--source", "philox4x32", "--bytes", "2000000", "--night", "--db", audits)
    assay("history", "--db", cases, f"{work}/results.jsonl")

    def answers(sound, command):
        def judge(_):
            done = assay(*command)
            for more in ("-wal", "-shm", "-journal"):
                if os.path.exists(command[command.index("--db") + 1] + more):
                    os.remove(command[command.index("--db") + 1] + more)
            if done.returncode in (2, 3, 4):
                return {4: "told to be empty"}.get(done.returncode, "refused") if done.stderr else None
            return "without a meaning" if (done.returncode, done.stdout) == sound else None
        return judge
    for title, path, command, most in (("history of audits", audits, ["audit", "--history", "--db", audits], 2),
                                       ("history of results", cases, ["history", "--db", cases], 8)):
        done = assay(*command)
        check(done.returncode == 0 and done.stdout != "", f"the {title} answers", [done.stdout, done.stderr])
        go_through(title, path, pages, answers((done.returncode, done.stdout), command), most)


def parts(work):
    folder = f"{work}/parts"
    for i in (1, 2):
        assay("audit", "--source", "philox4x32", "--bytes", "12000000", "--shard", f"{i}/2", "--to", folder)
    go_through("part of an audit", f"{folder}/shard-2-of-2", part, refused_by("merge", folder), 2)


def main():
    with tempfile.TemporaryDirectory() as work:
        home = golden(work)
        suites(home)
        results(work, home)
        known(work, home)
        histories(work)
        parts(work)
    print(f"1..{count}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
