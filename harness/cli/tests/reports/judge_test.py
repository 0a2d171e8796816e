# SPDX-License-Identifier: Apache-2.0
"""diff, known failures and process targets: what each says of results and of programs that are
right, wrong, or rude."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

sys.path.insert(0, os.path.join("reports", "tests"))
import sample  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
NINE = os.path.join(BUILD, "zoo", "nine_rounds.so")
CASES = ["--suite", "philox", "--case", "published-old-4x32-*", "--quiet", "--no-explain"]


def assay(*arguments):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, check=False)


def write(path, text):
    with open(path, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text)
    return path


def diffs(folder):
    def output(largest):
        return {
            "outputs": [{
                "name": "h", "dtype": "f32", "shape": [2],
                "radius": {"edges": [0, 0.1], "counts": [1, 1], "largest": largest}
            }]
        }

    def night(name, cases):
        return write(os.path.join(folder, name), sample.lines(sample.header(), cases))

    def case(name, verdict="pass", **more):
        return sample.case("acme", "uniform", name, verdict, **more)

    old = night("old.jsonl", [
        case("a"),
        case("b", "fail"),
        case("c"),
        case("d", required="bound", **output(0.25)),
        case("e", required="bound", **output(0.25)),
        case("f", profile={}),
        case("g", "fail", outputs=[{"name": "o", "dtype": "u8", "shape": [1], "wrong": 1}]),
        case("gone"),
        case("same")
    ])
    new = night("new.jsonl", [
        case("a", "crash"),
        case("b"),
        case("c", "unsupported", reason="no"),
        case("d", required="bound", **output(0.625)),
        case("e", required="bound", **output(0.3)),
        case("f", profile={"rounding": "fused"}),
        case("g", "timeout"),
        case("new"),
        case("same")
    ])
    done = assay("diff", old, new)
    wanted = [
        "1 newly failing", "  acme uniform a: pass -> crash", "1 newly passing",
        "  acme uniform b: fail -> pass", "1 fails otherwise", "  acme uniform g: fail -> timeout",
        "2 passes with other bits", "  acme uniform e: pass -> pass",
        "  acme uniform f: pass -> pass", "1 uses more of the radius",
        "  acme uniform d: 0.25 of the radius -> 0.62 of the radius", "1 support changed",
        "  acme uniform c: pass -> unsupported", "1 added", "  acme uniform new: pass", "1 removed",
        "  acme uniform gone: pass", "9 cases changed, 1 the same"
    ]
    check(done.returncode == 1 and done.stdout.splitlines() == wanted,
          "diff names every kind of change", done.stdout + done.stderr)
    done = assay("diff", "--show", "1", old, new)
    check(done.stdout.splitlines() == [line for line in wanted if "uniform f" not in line],
          "--show 1 names one case of each kind", done.stdout)
    done = assay("diff", old, old)
    check(done.returncode == 0 and done.stdout == "0 cases changed, 9 the same\n",
          "a file does not differ from itself", done.stdout)
    done = assay("diff", new, old)
    check("0.62 of the radius" not in done.stdout,
          "a smaller use of the radius is no news of its own", done.stdout)
    cut = write(os.path.join(folder, "cut.jsonl"),
                open(old, "rb").read().rsplit(b"\n", 2)[0] + b"\n")
    done = assay("diff", old, cut)
    check(done.returncode == 2 and "footer" in done.stderr, "a file without its end is refused",
          done.stderr)


def known(folder):
    path = os.path.join(folder, "known.yaml")

    def entry(*options, **changes):
        fields = {
            "target": "nine_rounds", "suite": "philox", "case": "published-old-4x32-r10",
            "equals": {"rounds": "9"}, "why": "nine rounds"
        }
        fields.update(changes)
        fields = {key: value for key, value in fields.items() if value is not None}
        write(path, "known:\n  - " + json.dumps(fields) + "\n")
        return assay("certify", "--plugin", NINE, *CASES, "--verbose", "--known", path, *options)

    done = entry()
    check(
        done.returncode == 0 and "0 unexpected, 1 expected failures" in done.stdout
        and "expected: nine rounds" in done.stdout, "a known failure is expected, and printed",
        done.stdout + done.stderr)
    done = entry(equals={"rounds": "8"})
    check(done.returncode == 1 and " 0 expected" in done.stdout
          and "not what the known failures say of it" in done.stdout,
          "one that differs from its explanation is new", done.stdout + done.stderr)
    done = entry(equals=[{"rounds": "8"}, {"rounds": "9"}])
    check(done.returncode == 0, "a list of alternatives explains by any of them", done.stdout)
    for words in ({"in_words": "nine"}, {"unexplained": "every number of rounds"}):
        done = entry(equals=None, verdict="fail", **words)
        check(done.returncode == 0, f"{list(words)[0]} takes any such failure", done.stdout)
        done = entry(equals=None, **words)
        check(done.returncode == 2 and "verdict" in done.stderr, "but not without a verdict",
              done.stderr)
    for other in ({"signal": 8}, {"refused": "*"}, {"accepted": True}, {"unwritten": "counter"}):
        done = entry(equals=None, **other)
        check(done.returncode == 1 and " 0 expected" in done.stdout,
              f"wrong values are not {list(other)[0]}", done.stdout + done.stderr)
    done = entry(case="published-old-*")
    check(done.returncode == 1 and "listed as a known failure" in done.stdout,
          "a covered case that passes is an error", done.stdout + done.stderr)
    chance = {"case": "published-old-*", "equals": None, "in_words": "nine, now and then",
              "by_chance": True}
    done = entry(**chance, verdict="nondeterministic")
    check(done.returncode == 0, "but not where it fails by chance", done.stdout + done.stderr)
    done = entry(**chance, verdict="fail")
    check(done.returncode == 2 and "by_chance needs" in done.stderr,
          "which a wrong value is not", done.stderr)
    done = entry(case="published-old-4x32-r7", equals={})
    check(done.returncode == 1 and "1 unexpected, 0 expected" in done.stdout,
          "but not one of which the entry says just what it gives", done.stdout + done.stderr)
    done = entry(case=None, where={"op": "philox", "rounds": "10", "counter.shape": "*4"})
    check(done.returncode == 0 and "1 expected failures" in done.stdout,
          "cases are covered by what they ask for", done.stdout + done.stderr)
    done = entry(case=None, where={"rounds": "77"})
    check(done.returncode == 1 and " 0 expected" in done.stdout, "and only those", done.stdout)
    done = assay("certify", "--plugin", NINE, "--suite", "philox", "--quiet", "--known", path)
    check(done.returncode == 1 and "line 2 covers no case of philox" in done.stderr,
          "an entry that covers no case of a suite is told", done.stdout + done.stderr)
    for wrong, said in (({"equals": {"round": "9"}}, "has no choice 'round'"),
                        ({"equals": {"rounds": "90"}}, "has no option '90'"),
                        ({"equals": None}, "needs one of"),
                        ({"accepted": True}, "explains its failure in one way")):
        done = entry(**wrong)
        check(done.returncode == 2 and said in done.stderr and "known.yaml" in done.stderr,
              f"{wrong} is an error with its place", done.stderr)
    results = os.path.join(folder, "known.jsonl")
    done = entry("--out", results, verdict="crash")
    check(done.returncode == 1 and " 0 expected" in done.stdout,
          "another verdict than the listed one is not expected", done.stdout)
    read = assay("report", results)
    check(read.returncode == 0
          and "\nNew failures: 1, by cause\n  nine_rounds philox: 1 failure: " in read.stdout,
          "nor in the report made from the results", read.stdout + read.stderr)
    done = entry(target="somebody")
    check(done.returncode == 1 and " 0 expected" in done.stdout, "nor that of another target",
          done.stdout)
    check(entry(target=["somebody", "nine_*"]).returncode == 0, "a pattern fits this one")
    done = entry(version="2*")
    check(done.returncode == 1 and " 0 expected" in done.stdout, "nor that of another version",
          done.stdout)
    done = entry(version="1")
    check(done.returncode == 0, "this version is", done.stdout)
    done = entry(when={"isa": "nowhere"})
    check(done.returncode == 1 and " 0 expected" in done.stdout,
          "an entry for another class of processors is not consulted", done.stdout)
    done = entry(when={"mode": "stepwise"})
    check(done.returncode == 1 and " 0 expected" in done.stdout, "nor is one for another mode",
          done.stdout)
    check(
        entry("--mode", "stepwise", when={"mode": "stepwise"}).returncode == 0, "in its mode it is")
    done = entry(when={"mode": "fast"})
    check(done.returncode == 2 and "mode is 'fast'; expected" in done.stderr,
          "a mode that there is not is an error", done.stderr)
    done = entry(verdict="nondeterministic")
    check(done.returncode == 0, "nondeterministic stands for any failure", done.stdout)
    done = entry(verdict="odd")
    check(done.returncode == 2 and "odd" in done.stderr and "known.yaml" in done.stderr,
          "an unknown verdict is an error with its place", done.stderr)


def write_known(folder):
    cases = ["--suite", "philox", "--case", "published-*4x32-r*"]
    path, again = os.path.join(folder, "new.yaml"), os.path.join(folder, "none.yaml")
    done = assay("certify", "--plugin", NINE, *cases, "--quiet", "--write-known", path)
    text = open(path).read()
    check(done.returncode == 1 and 'equals: {rounds: "9"}' in text
          and "published-old-4x32-r10" in text and text.count("- target:") == 1,
          "what is new is written with its explanation", text + done.stdout)
    done = assay("certify", "--plugin", NINE, *cases, "--quiet", "--known", path, "--write-known",
                 again)
    check(done.returncode == 0 and open(again).read() == "known: []\n",
          "and as a list it covers it: nothing is new then", done.stdout + open(again).read())


# What a program does instead of answering the call that is asked, and what is said of it.

RUDE = [
    ("garbage", "print('{\"outputs\": ['); sys.stdout.flush()", "protocol", "not JSON"),
    ("a list", "print('[]'); sys.stdout.flush()", "protocol", "is not an object: []"),
    ("an end", "sys.exit(3)", "crash", "exited with code 3"),
    ("a signal", "import os; os.kill(os.getpid(), 11)", "crash", "signal 11"),
    ("nothing", "import time; time.sleep(3600)", "timeout", "no answer"),
    ("a line without end",
     "sys.stdout.write('x' * 3000000); sys.stdout.flush(); sys.stdin.readline()", "protocol",
     "longer than 1 MiB"),
    ("another shape",
     "say({'id': q.get('id'), 'outputs': {'output': {'dtype': 'u32', 'shape': [3], 'bits': "
     "['00000000'] * 3}}})",
     "fail", "wrong result"),
    ("another type",
     "say({'id': q.get('id'), 'outputs': {'output': {'dtype': 'i32', 'shape': [52, 4], 'bits': "
     "['00000000'] * 208}}})",
     "fail", "output 'output' is i32[52,4]; expected u32[52,4]"),
    ("more than was asked for",
     "say({'outputs': {'output': {'dtype': 'u32', 'shape': [52, 4], 'bits': ['00000000'] * 208}, "
     "'outptu': {'dtype': 'u32',\n"
     "            'shape': [1], 'bits': ['00000000']}}})", "fail",
     "output 'outptu' was not asked for"),
    ("no output", "say({'id': q.get('id'), 'outputs': {}})", "fail", ""),
    ("bits that are none",
     "say({'id': q.get('id'), 'outputs': {'output': {'dtype': 'u32', 'shape': [52, 4], 'bits': "
     "['zzzzzzzz'] * 208}}})",
     "protocol", "is not 8 lower-case hex digits: {\"id\": "),
    ("a file of another type",
     "h = json.dumps({'output': {'dtype': 'F32', 'shape': [52, 4], 'data_offsets': [0, "
     "832]}}).encode()\n"
     "        open(d + '/o.safetensors', 'wb').write(len(h).to_bytes(8, 'little') + h + "
     "bytes(832))\n"
     "        say({'outputs': {'output': {'dtype': 'u32', 'shape': [52, 4], 'file': "
     "'o.safetensors', 'tensor': 'output'}}})",
     "protocol", "'output' in the file is not of type U32"),
    ("megabytes of talk", "sys.stderr.write('talk ' * 2000000); sys.stderr.flush(); say(None)", "",
     ""),
]


def near_names():
    done = assay("certify", "--plugin", NINE, "--suite", "philox", "--case",
                 "published-old-4x32-r1O", "--quiet")
    check(done.returncode == 4 and "published-old-4x32-r10" in done.stderr,
          "a case that there is not is told with a near one", done.stderr)


EVERY = "[pr][ue][bf]*-[oc]*[dn]*"

# Plugin, case, and what a survey says on what its bits depend.
ONE = "batch-4x32-257"
SURVEYS = [
    ("thread_count", ONE, "6 of 36 conditions: exactly with threads=3; its bits depend on threads "
     "alone: own, 1, 2, 4, 8 | 3"),
    ("alignment", ONE, "4 of 6 conditions: always but with buffers flush at their end; its bits "
     "depend on which end of its buffers is flush alone: end | start, neither"),
    ("three_conditions", EVERY, "1 of 36 conditions; its bits depend on threads, which end of its "
     "buffers is flush and what its outputs held"),
    ("order", ONE, "3 of 6 conditions; equal calls gave other bits under 6 of 6 conditions, by "
     "what ran before"),
    ("clock", ONE,
     "all 6 conditions; equal calls gave other bits under 6 of 6 conditions, by chance"),
    ("last_prepared", ONE, "0 of 6 conditions; it takes more than one call: guard=start again, "
     "after another instance was made and run in its place"),
    ("after_refusal", EVERY, "0 of 6 conditions; it takes calls of other cases before it"),
    ("fused_threads", "dense-steps-lstm-l2r-f32",  # all of its answers lie within their bounds
     "0 of 36 conditions; its bits depend on threads alone: own, 2, 4, 8 | 1, 3"),
]


def surveys():
    for plugin, case, says in SURVEYS:
        done = assay("certify", "--plugin", os.path.join(BUILD, "zoo", plugin + ".so"), "--suite",
                     "philox,onednn.rnn", "--case", case, "--verbose", "--no-explain", "--survey",
                     "1")
        check(f"by itself it fails under {says}\n" in done.stdout,
              f"a survey of {plugin} says on what its bits depend", done.stdout + done.stderr)


def names():
    done = assay("certify", "--plugin", os.path.join(BUILD, "zoo", "names.so"), *CASES, "--verbose")
    check(done.returncode == 0 and "2 pass" in done.stdout,
          "a plugin's function that is named as one of the harness's is the plugin's own", done)


def many_profiles(folder):
    """A suite of one small case that allows everything but another reset has more profiles than
    anybody looks at."""
    options = {}
    for line in assay("list", "choices", "--json", "--suite", "onednn.rnn").stdout.splitlines():
        row = json.loads(line)
        options.setdefault(row["choice"], []).append(row["option"])
    for word, path in (("allowed", "many"), ("deviant", "few")):
        choices = "".join(
            f"  {choice}: {{default: {first}, {'deviant' if choice == 'reset' else word}: "
            f"[{', '.join(others)}]}}\n" for choice, (first, *others) in options.items())
        suite = (
            "suite: " + path +
            "\nversion: 1.0.0\nspecification: {title: RNN}\nrequirements: {R: {text: one}}\n"
            "choices:\n" + choices +
            "cases:\n  - {id: one, covers: [R], op: onednn.rnn, attributes: {cell: vanilla_rnn, "
            "activation: tanh}, inputs: {src_layer: [[[0.5]]], "
            "weights_layer: [[[[[0.5]]]]], weights_iter: [[[[[0.25]]]]]}}\n")
        done = assay("mutants", "--suite", write(os.path.join(folder, path + ".yaml"), suite))
        check(
            ("held to the first 1024 allowed profiles: the suite has more"
             in done.stdout) == (path == "many") and "deviant options" in done.stdout,
            f"mutants of a suite of {path} allowed profiles: what was not looked at is "
            f"{'said' if path == 'many' else 'nothing'}",
            done.stdout[-300:] + done.stderr)


def processes(folder):
    first = assay("show", "published-old-4x32-r10", "--suite", "philox")
    if first.returncode:
        check(False, "a case is shown", first.stderr)
    frame = (
        "import json, sys\n"
        "def say(x):\n    print(json.dumps(x if x is not None else {'rejected': 'no', 'message': "
        "'no'})); sys.stdout.flush()\n"
        "for line in sys.stdin:\n    q = json.loads(line)\n    if 'hello' in q:\n        d = "
        "q['directory']\n        say({'name': 'rude', 'version': '1', 'assay': 1})\n"
        "    elif 'supports' in q:\n        say({'supported': True})\n    elif 'close' in q:\n    "
        "    break\n    else:\n        "
    )
    for name, does, verdict, says in RUDE:
        path = write(os.path.join(folder, "rude.py"), frame + does + "\n")
        done = assay("certify", "--exec", f"{sys.executable} {path}", "--suite", "philox", "--case",
                     "published-old-4x32-r10", "--verbose", "--no-explain", "--time",
                     "1000" if verdict == "timeout" else "600000")
        wanted = f"    {verdict} published" if verdict else "published"
        check(done.returncode == 1 and wanted in done.stdout and says in done.stdout,
              f"a program that answers {name}: {verdict or 'is heard out'}",
              done.stdout + done.stderr)


with tempfile.TemporaryDirectory() as folder:
    diffs(folder)
    known(folder)
    write_known(folder)
    near_names()
    surveys()
    names()
    many_profiles(folder)
    processes(folder)
finish()
