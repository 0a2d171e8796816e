# SPDX-License-Identifier: Apache-2.0
"""One bit turned in every region of every file that the program reads back, and files cut short:
nothing is silently wrong.

For each format a sound file is made, damaged, and put before the command that reads it. Right is a
refusal that says so, a difference that is reported, or, where the byte means nothing (a page that
SQLite does not use, the hint which key it was that signed), the answer that the sound file gives.
What certificates say of other files is turned in reports/verify_test.py.

ASSAY_FULL=1 turns ten times as many. TAP on standard output.
"""
import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import given  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
FULL = os.environ.get("ASSAY_FULL") == "1"
SMALL = "harness/cli/tests/fuzz/seeds/suite/small.yaml"
NINE, GOOD = f"{BUILD}/zoo/nine_rounds.so", f"{BUILD}/zoo/good.so"
REQUEST = ("op: openvino.range\nattributes: {output_type: f32}\n"
           "inputs: {start: 0.0, stop: 400000.0, step: 0.5}\n")
all_damages = {}  # by what became of them


def assay(*arguments, home=None):
    environment = dict(os.environ, ASSAY_HOME=home) if home else None
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, errors="replace",
                          env=environment)


def damages(content, regions, per_region):
    """(region, place, damaged bytes): single bits all over each region, then cuts."""
    chance = random.Random(len(content))
    for name, start, end in regions:
        length = end - start
        places = sorted(
            chance.sample(range(start, end), min(length, per_region * (10 if FULL else 1))))
        for at in places:
            turned = bytes([content[at] ^ 1 << chance.randrange(8)])
            yield name, at, content[:at] + turned + content[at + 1:]
    cuts = sorted({0, 1, len(content) //
                   3, len(content) //
                   2, len(content) - 1} | {start for _, start, _ in regions})
    for at in cuts:
        if at < len(content):
            yield "cut", at, content[:at]


def go_through(title, path, regions, judge, per_region):
    """Damages the file at `path` in every way; judge() names what became of it, None for silently
    wrong."""
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
    for outcome, number in seen.items():
        all_damages[outcome] = all_damages.get(outcome, 0) + number
    words = ", ".join(f"{number} {outcome}" for outcome, number in sorted(seen.items(), key=str)
                      if outcome)
    check(
        not wrong,
        f"{title}: {total} damages in {len(outcomes)} regions: {words}, {len(wrong)} silently "
        "wrong",
        wrong[:10])


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
    head, foot = content.index(b"\n") + 1, content.rindex(b"\n", 0, len(content) - 1)
    plan, end = content.index(b'"plan"'), content.index(b'"digest"')
    return [("head", 0, plan), ("plan", plan, end),
            ("the plan's digest and the part's number", end, head), ("payload", head, foot),
            ("foot", foot, len(content))]


def certificate(content):
    """Of each envelope: what is signed, the signature, the rest."""
    found, at = [], 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        envelope = json.loads(line)
        places = [("payload", envelope["payload"]), ("signature", envelope["signatures"][0]["sig"]),
                  ("key id", envelope["signatures"][0]["keyid"])]
        spans = sorted((at + line.index(text.encode()), len(text), name) for name, text in places)
        rest = at
        for start, length, name in spans:
            found += [(f"{number}: before {name}", rest, start),
                      (f"{number}: {name}", start, start + length)]
            rest = start + length
        at += len(line)
        found.append((f"{number}: end", rest, at))
    return found


def pages(content):
    size = int.from_bytes(content[16:18], "big")
    size = 65536 if size == 1 else size
    found = [("database header", 0, 100)]
    return found + [(f"page {at // size + 1}", max(at, 100), at + size)
                    for at in range(0, len(content), size)][:64]


def refused_by(*arguments, words=(), home=None):
    def judge(_):
        done = assay(*arguments, home=home)
        told = done.stderr and all(w in done.stderr for w in words)
        return "refused" if done.returncode == 2 and told else None
    return judge


def golden(work):
    home = f"{work}/home"
    os.makedirs(f"{home}/yaml/suites")
    os.makedirs(f"{home}/vectors/golden")
    shutil.copy(SMALL, f"{home}/yaml/suites/small.yaml")
    assay("emit", "--write", home=home)

    def reported(_):
        done = assay("emit", "--check", home=home)
        return {1: "reported", 2: "refused"}.get(done.returncode)

    for name, regions, most in (("small.safetensors", tensors, 25), ("small.jsonl", lines, 12),
                                ("SHA256SUMS", lines, 12)):
        go_through(f"golden {name}", f"{home}/vectors/golden/{name}", regions, reported, most)
    return home


def changes(work):
    """The list of removed cases, on which it hangs that no id is used again: not by emit --check
    alone, also by emit."""
    home = f"{work}/removed"
    os.makedirs(f"{home}/yaml/suites")
    os.makedirs(f"{home}/vectors/golden")
    suite, path = f"{home}/yaml/suites/small.yaml", f"{home}/vectors/CHANGES"
    with open(SMALL) as file:
        small = file.read()
    for text, words in ((small, ["--write"]), (small.replace("n: [7, 10]", "n: [8, 10]"),
                                      ["--reason", "seven were too few"])):
        with open(suite, "w") as file:
            file.write(text)
        done = assay("emit", *words, home=home)
    check(
        done.returncode == 0 and " removed n-7: " in open(path).read()
        and assay("emit", "--check", home=home).returncode == 0, "a case is removed",
        [done.stdout, done.stderr])
    with open(suite, "r+") as file:
        raised = file.read()
        file.seek(0)
        file.write(raised.replace("n: [8, 10]", "n: [7, 10]"))
    done = assay("emit", "--write", home=home)
    check(done.returncode == 2 and "not used again" in done.stderr, "its id is not used again",
          [done.stdout, done.stderr])

    def judge(_):
        checked, written = assay("emit", "--check", home=home), assay("emit", "--write", home=home)
        again = assay("emit", "--reason", "x", home=home)
        refused = checked.returncode in (1, 2) and {written.returncode, again.returncode} == {2}
        told = ("CHANGES" in written.stderr + again.stderr
                and "CHANGES" in checked.stdout + checked.stderr)
        return "refused" if refused and told else None
    go_through("list of changes", path, lines, judge, 12)


def suites(home):
    """Each of them, in two ways: against the vectors that were made from it, and by a
    certification."""
    path = f"{home}/yaml/suites/small.yaml"

    def judge(_):
        checked = assay("emit", "--check", home=home)
        certified = assay("certify", "--plugin", GOOD, "--suite", "small", "--quiet", home=home)
        if checked.returncode not in (1, 2) or certified.returncode != 2 or not certified.stderr:
            return None
        return {1: "reported", 2: "refused"}[checked.returncode]
    go_through("suite", path, lines, judge, 4)


def results(work, home):
    path = f"{work}/results.jsonl"
    assay("certify", "--plugin", NINE, "--suite", "small", "--quiet", "--out", path, home=home)
    go_through("results", path, lines, refused_by("report", path), 12)


def known(work, home):
    path, suite = f"{work}/known.yaml", f"{home}/yaml/suites/small.yaml"
    with open(path, "w") as file:
        file.write(
            'known:\n  - target: nine_rounds\n    suite: small\n    case: "n-1?"\n    verdict: '
            'fail\n    in_words: nine\n'
            '    why: "one round is missing"\n'
            '  - target: nine_rounds\n    suite: small\n    case: "wind*"\n    verdict: fail\n    '
            'in_words: nine\n    why: "likewise"\n'
        )
    command = ["certify", "--plugin", NINE, "--suite", suite, "--quiet", "--known", path]
    sound = assay(*command)
    check(sound.returncode == 0 and "2 expected failures" in sound.stdout,
          "a list of known failures covers what fails", [sound.stdout[-300:], sound.stderr])

    def judge(_):
        done = assay(*command)
        if done.returncode in (1, 2):
            return {1: "reported", 2: "refused"}[done.returncode]
        same = "2 expected failures" in done.stdout and "0 unexpected" in done.stdout
        return "with the same failures expected" if done.returncode == 0 and same else None
    go_through("known failures", path, lines, judge, 3)


def histories(work, home):
    audits, cases = f"{work}/audits.db", f"{work}/cases.db"
    night = ["audit", "--source", "philox4x32", "--bytes", "2000000", "--night", "--db"]
    for _ in range(2):
        assay(*night, audits)
    assay("history", "--db", cases, f"{work}/results.jsonl")

    def tidy(path):
        for more in ("-wal", "-shm", "-journal"):
            if os.path.exists(path + more):
                os.remove(path + more)

    def answers(path, sound, command):
        def judge(_):
            done = assay(*command)
            tidy(path)
            if done.returncode in (2, 3):
                return "refused" if done.stderr else None
            return "without a meaning" if (done.returncode, done.stdout) == sound else None
        return judge

    def goes_on(path, before, command, question):
        """A command that writes refuses the damaged file, and what it left is refused or as it was;
        or nothing is lost by the damage."""
        sound = assay(*command)
        after = assay(*question).stdout
        check(sound.returncode in (0, 1) and after != before,
              f"{' '.join(command[:1])} writes to the sound file", sound)

        def judge(content):
            done = assay(*command)
            answer = assay(*question)
            tidy(path)
            if len(content) < 512 and (done.returncode != 2 or path not in done.stderr
                                       or os.path.getsize(path) != len(content)):
                return None  # a file that holds no page is no beginning
            if done.returncode in (2, 3) and done.stderr:
                return "refused" if answer.returncode in (2, 3) or answer.stdout == before else None
            # The last line is what the history says; an audit's others tell how long it took.
            same = done.returncode == sound.returncode and done.stdout.splitlines(
            )[-1:] == sound.stdout.splitlines()[-1:] and answer.stdout == after
            return "without a meaning" if same else None
        return judge

    audit_history, history = ["audit", "--history", "--db", audits], ["history", "--db", cases]
    for title, path, command, most in (("history of audits", audits, audit_history, 2),
                                       ("history of results", cases, history, 8)):
        done = assay(*command)
        check(done.returncode == 0 and done.stdout != "", f"the {title} answers",
              [done.stdout, done.stderr])
        go_through(title, path, pages, answers(path, (done.returncode, done.stdout), command), most)
    more = f"{work}/better.jsonl"
    assay("certify", "--plugin", GOOD, "--suite", "small", "--quiet", "--out", more, home=home)
    for title, path, command, question, most in (
        ("history of audits before a night", audits, [*night, audits], audit_history, 1),
        ("history of results before an addition", cases, [*history, more], history, 3)):
        before = assay(*question).stdout
        with open(path, "rb") as file:
            kept = file.read()
        judge = goes_on(path, before, command, question)
        with open(path, "wb") as file:
            file.write(kept)
        go_through(title, path, pages if FULL else lambda content: pages(content)[::6], judge, most)


def parts(work, home):
    jobs = {
        "an audit": ["audit", "--source", "philox4x32", "--bytes", "12000000"], "vectors": ["emit"],
        "a certification": ["certify", "--plugin", NINE, "--quiet"]
    }
    for name, command in jobs.items():
        folder = f"{work}/parts of {name}"
        for i in (1, 2):
            assay(*command, "--shard", f"{i}/2", "--to", folder, home=home)
        out = f"{work}/joined {name}"
        if name == "vectors":
            os.makedirs(out)
        done = assay("merge", folder, "--out", out, home=home)
        check(done.returncode in (0, 1), f"the parts of {name} are joined", done)
        if name == "an audit":
            with open(out, "rb") as file:
                sound = file.read()

            def joined(_):
                done = assay("merge", folder, "--out", out, home=home)
                if done.returncode == 2:
                    return "refused"
                with open(out, "rb") as file:
                    return "without a meaning" if file.read(
                    ) == sound and done.returncode == 0 else None
            go_through("plan of a folder", f"{folder}/plan.json", lines, joined, 8)
        go_through(f"part of {name}", f"{folder}/shard-2-of-2", part,
                   refused_by("merge", folder, "--out", out, home=home),
                   2 if name == "an audit" else 8)


def digests(work):
    request, kept = f"{work}/request.yaml", f"{work}/kept"
    with open(request, "w") as file:
        file.write(REQUEST)
    assay("stream", request, "--chunks", kept)
    check(
        assay("stream", request, "--against", kept).returncode == 0,
        "a stream is as its kept digests say")

    def regions(content):
        head, foot = content.index(b"\n") + 1, content.rindex(b"\n{") + 1
        return [("head", 0, head), ("digests", head, foot), ("foot", foot, len(content))]

    refused = refused_by("stream", request, "--against", kept)
    go_through("digests of a stream", kept, regions, refused, 15)


def certificates(work, home):
    (key, public), other = given.keys(work), f"{work}/other"
    results, cert = f"{work}/good.jsonl", f"{work}/cert"
    assay("certify", "--plugin", GOOD, "--suite", "small", "--quiet", "--out", results, home=home)
    make = ["report", "--certificate", cert, "--sign", key, "--plugin", GOOD, results]
    assay(*make, home=home)
    verify = ["verify", "--key", public, "--plugin", GOOD, cert]
    sound = assay(*verify, home=home)
    check(sound.returncode == 0, "a certificate holds", sound)
    signed = [(json.loads(line)["payload"], json.loads(line)["signatures"][0]["sig"])
              for line in open(cert)]

    def says_the_same(content):
        try:
            now = [json.loads(line) for line in content.splitlines()]
            now = [(e["payload"], e["signatures"][0]["sig"]) for e in now]
            return [tuple(map(base64.b64decode, e)) for e in now] == \
                [tuple(map(base64.b64decode, e)) for e in signed]
        except (ValueError, KeyError, IndexError, TypeError):
            return False

    def held(content):
        done = assay(*verify, home=home)
        if done.returncode in (1, 2) and (done.stderr or "this is no certificate" in done.stdout):
            return "refused"
        return "without a meaning" if done.returncode == 0 and says_the_same(content) else None
    go_through("certificate and signatures", cert, certificate, held, 6)

    def signs(_):
        done = assay("report", "--certificate", other, "--sign", key, results, home=home)
        if done.returncode == 2 and done.stderr:
            return "refused"
        if done.returncode == 0 and open(other, "rb").read() == open(cert, "rb").read():
            return "without a meaning"
        done = assay(*verify[:-1], other, home=home)
        unverified = done.returncode == 1 and "another key" in done.stderr
        return "another key, which does not verify" if unverified else None
    go_through("private key", key, lines, signs, 8)

    def verifies(_):
        done = assay(*verify, home=home)
        if done.returncode in (1, 2) and done.stderr:
            return "refused"
        # What the signature is good for is the key, however it is spelt.
        return "without a meaning" if done.returncode == 0 and done.stdout == sound.stdout else None
    go_through("public key", public, lines, verifies, 8)


def main():
    with tempfile.TemporaryDirectory() as work:
        home = golden(work)
        changes(work)
        suites(home)
        results(work, home)
        known(work, home)
        histories(work, home)
        parts(work, home)
        digests(work)
        certificates(work, home)
    total = ", ".join(f"{number} {outcome or 'silently wrong'}"
                      for outcome, number in sorted(all_damages.items(), key=str))
    check(None not in all_damages, f"{sum(all_damages.values())} damages in all: {total}")
    finish()


if __name__ == "__main__":
    main()
