# SPDX-License-Identifier: Apache-2.0
"""Parts of jobs: joined they are byte for byte what one process writes, for any number of parts;
what is missing, doubled, mixed or damaged is refused; processes killed at random moments, full
disks and unwritable folders leave nothing that looks whole.

ASSAY_FULL=1 makes the random tests as large as they are meant to be. TAP on standard output.
"""
import filecmp
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "harness/tests")
from kills import Kills  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.environ.get("BUILD", "build")
ASSAY = os.path.join(BUILD, "assay")
FULL = os.environ.get("ASSAY_FULL") == "1"
EMIT = ["emit", "--suite", "philox"]
AUDIT = ["audit", "--source", "philox4x32", "--bytes", "12000000"]


def assay(*arguments, **more):
    return subprocess.run([ASSAY, *arguments], capture_output=True, text=True, **more)


def same_folders(a, b):
    names = sorted(os.listdir(a))
    return names == sorted(os.listdir(b)) and all(
        filecmp.cmp(f"{a}/{n}", f"{b}/{n}", shallow=False) for n in names)


def parts(work, name, job, total):
    folder = f"{work}/{name}-{total}"
    codes = [
        assay(*job, "--shard", f"{i + 1}/{total}", "--to", folder).returncode for i in range(total)
    ]
    return folder, codes == [0] * total


def joined_equals_whole(work):
    os.mkdir(f"{work}/whole")
    assay(*EMIT, "--to", f"{work}/whole")
    assay(*AUDIT, "--out", f"{work}/whole.json")
    for total in (1, 2, 5, 170 if FULL else 9):
        folder, made = parts(work, "emit", EMIT, total)
        out = f"{work}/emit-{total}.out"
        os.mkdir(out)
        merged = assay("merge", folder, "--out", out)
        check(made and merged.returncode == 0 and same_folders(out, f"{work}/whole"),
              f"emit in {total} parts equals emit")
    for total in (1, 3):
        folder, made = parts(work, "audit", AUDIT, total)
        merged = assay("merge", folder, "--out", f"{folder}.json")
        check(
            made and merged.returncode == 0
            and filecmp.cmp(f"{folder}.json", f"{work}/whole.json", shallow=False),
            f"audit in {total} parts equals audit")


def refused(folder, words, out):
    done = assay("merge", folder, "--out", out)
    return done.returncode == 2 and all(word in done.stderr
                                        for word in words) and os.listdir(out) == []


def wrong_sets_are_refused(work):
    folder, out, bad = f"{work}/emit-5", f"{work}/refused", f"{work}/bad"
    os.mkdir(out)

    def again():
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(folder, bad)
    again()
    os.remove(f"{bad}/shard-4-of-5")
    os.remove(f"{bad}/shard-2-of-5")
    check(refused(bad, ["2 of 5", "2/5"], out), "missing parts are refused and counted")
    check(assay("merge", bad, "--missing", "5").stdout == "2,4\n", "missing parts are listed")
    again()
    shutil.copy(f"{bad}/shard-1-of-5", f"{bad}/shard-copy")
    check(refused(bad, ["twice"], out), "a part that is there twice is refused")
    again()
    assay("emit", "--suite", "openvino.range", "--portable", "--shard", "3/5", "--to",
          f"{work}/other")
    shutil.copy(f"{work}/other/shard-3-of-5", f"{bad}/shard-3-of-5")
    check(refused(bad, ["another plan"], out), "parts of two plans are refused")
    again()
    shutil.copy(f"{work}/emit-2/shard-1-of-2", bad)
    check(refused(bad, ["another plan"], out), "parts of two splits are refused")
    done = assay("emit", "--suite", "openvino.range", "--portable", "--shard", "3/5", "--to",
                 folder)
    check(done.returncode == 2 and "another plan" in done.stderr,
          "a folder takes the parts of one plan only")
    before = os.stat(f"{folder}/shard-3-of-5").st_mtime_ns
    done = assay(*EMIT, "--shard", "3/5", "--to", folder)
    check("was complete" in done.stdout and os.stat(f"{folder}/shard-3-of-5").st_mtime_ns == before,
          "a complete part is not computed again")


def flips(work):
    """Each byte of head and foot, and places all over the payload, with one bit turned; and every
    kind of cut."""
    folder, out = f"{work}/emit-2", f"{work}/refused"
    path = f"{folder}/shard-2-of-2"
    whole = open(path, "rb").read()
    rng = random.Random(7)
    head = whole.index(b"\n") + 1
    places = list(range(0, head, 1 if FULL else 9)) + list(
        range(len(whole) - 80, len(whole), 1 if FULL else 7))
    places += [rng.randrange(head, len(whole)) for _ in range(1000 if FULL else 60)]
    lost = 0
    for at in places:
        with open(path, "wb") as file:
            file.write(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1:])
        lost += not refused(folder, [], out)
    cuts = [0, 1, head - 1, head, len(whole) // 2, len(whole) - 1]
    for at in cuts:
        with open(path, "wb") as file:
            file.write(whole[:at])
        lost += not refused(folder, [], out)
    with open(path, "wb") as file:
        file.write(whole + b"\n")
    lost += not refused(folder, [], out)
    check(lost == 0,
          f"{len(places)} turned bits, {len(cuts)} cuts and an addition: {lost} passed unnoticed")
    done = assay(*EMIT, "--shard", "2/2", "--to", folder)
    check(done.returncode == 0 and open(path, "rb").read() == whole, "a damaged part is made again")


def kills(work):
    total = 200 if FULL else 25
    whole = open(f"{work}/emit-2/shard-1-of-2", "rb").read()
    folder = f"{work}/killed"
    job = [ASSAY, *EMIT, "--shard", "1/2", "--to", folder]
    start = time.monotonic()
    subprocess.run(job, capture_output=True)
    moments = Kills(random.Random(11), time.monotonic() - start)
    whole_files = wrong = 0
    while moments.more(total, total // 4):
        shutil.rmtree(folder)
        moments.kill(job)
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(f"{folder}/shard-1-of-2"):
            whole_files += 1
            wrong += open(f"{folder}/shard-1-of-2", "rb").read() != whole
        done = subprocess.run(job, capture_output=True)
        wrong += done.returncode != 0 or open(f"{folder}/shard-1-of-2", "rb").read() != whole
    check(
        wrong == 0 and moments.hits >= total // 4,
        f"{moments.tries} kills at random moments, {moments.hits} while it ran, {whole_files} "
        f"left a part: {wrong} wrong states"
    )


def no_room(work):
    folder = f"{work}/full"
    done = assay(*EMIT, "--shard", "1/2", "--to", folder,
                 preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                                     resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))))
    check(
        done.returncode == 3 and "cannot write" in done.stderr
        and os.listdir(folder) == ["plan.json"],
        "where a file cannot grow, the part is given up with the reason and nothing but the plan "
        "is left"
    )
    done = assay(*EMIT, "--shard", "1/2", "--to", "/proc/assay-parts")
    check(done.returncode == 3 and "cannot make" in done.stderr,
          "a folder that cannot be made is an error")
    done = assay("merge", f"{work}/nowhere", "--out", work)
    check(done.returncode == 2, "a folder that is not there is an error")


def main():
    with tempfile.TemporaryDirectory() as work:
        joined_equals_whole(work)
        wrong_sets_are_refused(work)
        flips(work)
        kills(work)
        no_room(work)
    finish()


if __name__ == "__main__":
    main()
