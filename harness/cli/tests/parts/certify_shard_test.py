# SPDX-License-Identifier: Apache-2.0
"""Certifications in parts: joined they are byte for byte what one process writes and prints, also
where the profile under which a target is judged shows only when all parts are seen; what is
missing, mixed, damaged or no longer what was planned is refused.

TAP on standard output.
"""
import filecmp
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from processes import children, stop  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
FULL = os.environ.get("ASSAY_FULL") == "1"

# A library that rounds once where the default rounds twice, which the suite allows. Half of the
# cases cannot tell.
FUSED = """
def supports(asked):
    kind = asked["attributes"].get("output_type")
    return {"supported": True} if kind == "f32" else {"unsupported": "f32 alone"}


def run(request):
    return evaluate(dict(request, profile={"rounding": "fused"}))
"""


def assay(*arguments, **more):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, **more)


def make_parts(folder, job, total):
    done = [
        assay("certify", *job, "--shard", f"{i + 1}/{total}", "--to", folder) for i in range(total)
    ]
    for one in done:
        if one.returncode:
            print("#", one.stderr)
    return all(one.returncode == 0 for one in done)


def words(done):
    """What a certification said, but for where its results lie."""
    return [line for line in done.stdout.splitlines() if not line.startswith("results ")]


def joined_equals_whole(work, name, job, totals):
    whole = assay("certify", *job, "--out", f"{work}/{name}.jsonl")
    for total in totals:
        folder, out = f"{work}/{name}-{total}", f"{work}/{name}-{total}.jsonl"
        made = make_parts(folder, job, total)
        merged = assay("merge", folder, "--out", out)
        same = made and os.path.exists(out)
        same = same and filecmp.cmp(out, f"{work}/{name}.jsonl", shallow=False)
        check(
            same and words(merged) == words(whole) and merged.returncode == whole.returncode,
            f"{name} in {total} parts gives the results, the words and the exit code "
            f"({whole.returncode}) of one process"
        )
    out = f"{work}/{name}-jobs.jsonl"
    done = assay("certify", *job, "--jobs", "3", "--out", out)
    check((done.returncode, words(done)) == (whole.returncode, words(whole))
          and filecmp.cmp(out, f"{work}/{name}.jsonl", shallow=False),
          f"{name} by 3 processes gives the same")
    return whole.stdout


def profile_needs_all_parts(work):
    program = write(f"{work}/fused.py", ["openvino.random_uniform"], FUSED)
    job = ["--exec", program, "--suite", "openvino.random_uniform", "--case", "[nru][ain][rni]*"]
    joined_equals_whole(work, "fused", job, (1, 4))
    records = [json.loads(line) for line in open(f"{work}/fused.jsonl")]
    passed = [r for r in records if r.get("verdict") == "pass"]
    check(
        len(passed) > 5
        and all(r["profile"] == {"rounding": "fused"} for r in passed),
        f"{len(passed)} cases pass under the one profile that explains most of all parts together")


def refused(folder, words, out):
    done = assay("merge", folder, "--out", out)
    right = done.returncode == 2 and all(word in done.stderr
                                         for word in words) and not os.path.exists(out)
    if not right:
        print("#", done.returncode, done.stderr[:300])
        if os.path.exists(out):
            os.remove(out)
    return right


def wrong_sets_are_refused(work):
    suite, out, bad = f"{work}/own.yaml", f"{work}/refused.jsonl", f"{work}/bad"
    with open("yaml/suites/philox.yaml") as source:
        own = source.read().replace("suite: philox\n", "suite: own\n")
    with open(suite, "w") as file:
        file.write(own)
    job = ["--plugin", f"{BUILD}/zoo/nine_rounds.so", "--suite", suite, "--case", "published*"]
    folder = f"{work}/sound"
    check(make_parts(folder, job, 3), "three parts")

    def again():
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(folder, bad)
    again()
    os.remove(f"{bad}/shard-2-of-3")
    check(refused(bad, ["1 of 3", "2/3"], out), "a missing part is refused")
    again()
    shutil.copy(f"{bad}/shard-1-of-3", f"{bad}/shard-copy")
    check(refused(bad, ["twice"], out), "a part that is there twice is refused")
    again()
    make_parts(f"{work}/other", [*job[:-1], "published-[a-m]*"], 3)
    shutil.copy(f"{work}/other/shard-3-of-3", bad)
    check(refused(bad, ["another plan"], out), "parts of two selections are refused")
    again()
    os.environ["ASSAY_ISA"] = "scalar"
    make_parts(f"{work}/scalar", job, 3)
    del os.environ["ASSAY_ISA"]
    shutil.copy(f"{work}/scalar/shard-2-of-3", bad)
    check(refused(bad, ["another plan"], out), "parts from two kinds of processor are refused")
    done = assay("merge", f"{work}/scalar", "--out", f"{work}/scalar.jsonl")
    head = json.loads(
        open(f"{work}/scalar.jsonl").readline()) if done.returncode == 1 else {"machine": {}}
    check(head["machine"].get("instructions") == "scalar",
          "the results name the processor of the parts, not that of the merge")
    with open(suite, "a") as file:
        file.write("# later\n")
    check(refused(folder, ["suites"], out), "parts of a suite that has changed since are refused")
    with open(suite, "w") as file:
        file.write(own)
    flips(folder, out)
    check(
        assay("merge", folder, "--out", out).returncode == 1 and os.path.exists(out),
        "and the sound parts are joined")


def flips(folder, out):
    path = f"{folder}/shard-2-of-3"
    whole = open(path, "rb").read()
    rng = random.Random(12)
    places = range(0, len(whole), 1 if FULL else max(1, len(whole) // 150))
    lost = sum(not damaged(path, folder, whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) +
                           whole[at + 1:], out) for at in places)
    cuts = range(0, len(whole), max(1, len(whole) // (400 if FULL else 20)))
    lost += sum(not damaged(path, folder, whole[:at], out) for at in cuts)
    with open(path, "wb") as file:
        file.write(whole)
    check(lost == 0,
          f"{len(places)} turned bits and {len(cuts)} cuts of a part: {lost} passed unnoticed")


def damaged(path, folder, content, out):
    with open(path, "wb") as file:
        file.write(content)
    return refused(folder, [], out)


def kill_one_job(out, seconds):
    """What a certification says of which one process is killed after so long, and its exit code;
    None where that process had ended."""
    with subprocess.Popen(
        [ASSAY, "certify", "--target", "reference", "--quiet", "--jobs", "3", "--out", out],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as done:
        jobs = []
        while len(jobs) < 3 and done.poll() is None:
            jobs = children(done.pid)
        time.sleep(seconds)
        reached = bool(jobs) and stop(jobs[0])
        if reached:
            os.kill(jobs[0], signal.SIGKILL)
        try:
            said = done.communicate(timeout=600)[1]
        except subprocess.TimeoutExpired:
            done.kill()
            return "it did not end", None
    return (said, done.returncode) if reached else None


def a_killed_job_ends_all(work):
    """The others do not wait for what the killed one had taken."""
    wrong, out = [], f"{work}/killed.jsonl"
    for seconds in (0.05, 0.2, 0.5):
        for sooner in range(10):
            said = kill_one_job(out, seconds / 2**sooner)
            if said:
                break
            if os.path.exists(out):
                os.remove(out)
        if not said or said[1] != 3 or "was killed by signal 9" not in said[0] or os.path.exists(
                out):
            wrong.append(f"after {seconds} s: {said}")
    check(not wrong, "when a job is killed, all end and nothing is written", wrong)


def main():
    with tempfile.TemporaryDirectory() as work:
        joined_equals_whole(work, "random123",
                            ["--target", "random123", "--suite", "philox,openvino.range"],
                            (1, 2, 7))
        # The search for what a target does instead looks at all parts.
        text = joined_equals_whole(work, "nine",
                                   ["--plugin", f"{BUILD}/zoo/nine_rounds.so", "--suite", "philox"],
                                   (1, 5, 170 if FULL else 3))
        check("rounds=9" in text, "and the explanation is found")
        profile_needs_all_parts(work)
        # Steps of one case stay together: its first wrong one, and the gate, are found in the part
        # that has it.
        text = joined_equals_whole(work, "steps", [
            "--plugin", f"{BUILD}/zoo/ignores_bias.so", "--suite", "onednn.rnn", "--case",
            "deep-[lv]*-[cr]*", "--mode", "stepwise"
        ], (1, 3))
        records = [json.loads(line) for line in open(f"{work}/steps.jsonl")]
        gates = {r["step"].get("gate_name") for r in records if r.get("verdict") == "fail"}
        placed = any("first wrong at layer 0" in r.get("reason", "") for r in records)
        check(placed and "bias=ignored" in text and len(gates) > 1,
              f"steps in parts: gates {sorted(map(str, gates))} are named and explained")
        wrong_sets_are_refused(work)
        a_killed_job_ends_all(work)
    finish()


if __name__ == "__main__":
    main()
