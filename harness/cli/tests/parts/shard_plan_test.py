# SPDX-License-Identifier: Apache-2.0
"""A folder of parts belongs to one plan: what computes them, with its digest, is part of it, the
number of threads is not. A part of another plan is refused before any work, and what only the
machine lacks becomes no part. TAP on standard output.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from process_target import write  # noqa: E402
from tap import check, finish, skip  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
NINE = f"{BUILD}/zoo/nine_rounds.so"
EMIT = ["emit", "--suite", "openvino.range"]
AUDIT = ["audit", "--source", "philox4x32", "--bytes", "12000000"]
CERTIFY = ["certify", "--plugin", NINE, "--suite", "philox", "--case", "published*"]

NO_WORDS = 'def run(request):\n    return {"failed": "no words"}'


def assay(*arguments, program=ASSAY, **more):
    more = {"stdout": subprocess.PIPE, "timeout": 600, **more}
    try:
        return subprocess.run([*([program] if isinstance(program, str) else program), *arguments],
                              stderr=subprocess.PIPE, text=True, **more)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(arguments, -1, "", "it did not end in time")


def expect(done, code, words, name, more=True):
    right = done.returncode == code and all(word in done.stderr for word in words) and more
    check(right, name, [] if right else [done.returncode, done.stdout, done.stderr])


def put(folder, job, part, **more):
    return assay(*job, "--shard", part, "--to", folder, **more)


def what_computes_is_in_the_plan(work):
    library, folder = f"{work}/library.so", f"{work}/exchanged"
    job = ["audit", "--source", f"{library}:philox", "--bytes", "12000000"]
    shutil.copy(f"{BUILD}/targets/reference.so", library)
    put(folder, job, "1/2")
    # Who is killed between making the plan and tidying up leaves this, here a day and more ago.
    left = f"{folder}/plan.json.0123456789abcdef.part"
    with open(left, "w"):
        os.utime(left, (0, 0))
    put(folder, job, "1/2")
    check(not os.path.exists(left), "what making a plan left behind is swept by the next part")
    shutil.copy(NINE, library)
    expect(put(folder, job, "2/2"), 2, ["another plan", "sha256"],
           "a part of an audit of an exchanged library is refused")
    put(f"{work}/exchanged-2", job, "2/2")
    shutil.copy(f"{work}/exchanged-2/shard-2-of-2", folder)
    expect(assay("merge", folder), 2, ["another plan", "sha256"],
           "and does not join with one of the library before")

    # A program is known by its file and by the files that it names itself.
    program, beside, folder = f"{work}/target.py", f"{work}/beside.py", f"{work}/program"
    write(program, ["curand.philox_bits"], NO_WORDS, files=[beside])
    with open(beside, "w") as file:
        file.write("1")
    job = ["audit", "--source", f"{program}:curand.philox_bits", "--bytes", "12000000"]
    for name in ("of a program", "that begins again"):
        expect(put(folder, job, "1/2"), 3, ["no words"],
               f"a part {name}, which fails, is not written",
               os.listdir(folder) == ["plan.json"])
    expect(put(folder, [*job, "--plan"], "1/2"), 0, [], "its plan may be asked for")
    with open(beside, "w") as file:
        file.write("2")
    expect(put(folder, job, "1/2"), 2, ["another plan", "beside.py.sha256", "no part yet"],
           "when a file that it names is another, so is the plan")

    # The same program built again: its bytes differ, and nothing else is known of it.
    other = f"{work}/assay"
    shutil.copy(ASSAY, other)
    with open(other, "ab") as file:
        file.write(b"another build")
    home = dict(os.environ, ASSAY_HOME=os.getcwd())
    for name, job in (("emit", EMIT), ("an audit", AUDIT), ("a certification", CERTIFY)):
        folder = f"{work}/built-{job[0]}"
        first = put(folder, job, "1/2", program=other, env=home)
        expect(put(folder, job, "2/2"), 2, ["another plan", "program"],
               f"a part of {name} by another build is refused", first.returncode == 0)
        expect(put(folder, job, "1/2"), 2, ["another plan", "program"],
               "and a part of that build is not complete for this one")
        put(folder, job, "2/2", program=other, env=home)
        os.makedirs(f"{folder}.out", exist_ok=True)
        expect(
            assay("merge", folder, "--out",
                  f"{folder}.out" if job[0] == "emit" else f"{folder}.out/joined"), 2,
            ["another program", "program is"], "nor does this one join what that build made",
            os.listdir(f"{folder}.out") == [])


def threads_are_not_in_the_plan(work):
    folder, out = f"{work}/threads", f"{work}/threads.jsonl"
    first = put(folder, CERTIFY, "1/2")
    assay(*CERTIFY, "--out", out)
    with open(out) as file:
        processors = json.loads(file.readline())["machine"]["processors"]
    os.remove(out)
    if not shutil.which("taskset") or processors < 2:
        skip("parts with other numbers of threads", "needs taskset and two processors")
        return
    one = str(min(os.sched_getaffinity(0)))
    second = put(folder, CERTIFY, "2/2", program=["taskset", "-c", one, ASSAY])
    merged = assay("merge", folder, "--out", out)
    head = json.loads(
        open(out).readline()) if os.path.exists(out) else {"machine": {"processors": 0}}
    check([first.returncode, second.returncode, merged.returncode] == [0, 0, 1]
          and "processors" not in head["machine"],
          "parts with two numbers of processors are joined, and the whole names none",
          [merged.stderr, head["machine"]])


def another_plan_is_refused_at_once(work):
    scalar = dict(os.environ, ASSAY_ISA="scalar")
    folder = f"{work}/machines"
    put(folder, CERTIFY, "1/2")
    with open(f"{folder}/shard-1-of-2", "rb") as file:
        plan = json.loads(json.loads(file.readline())["plan"])
    here = plan.get("machine", plan)["instructions"]
    expect(put(folder, CERTIFY, "2/2",
               env=scalar), 2, ["another plan", "instructions", f"'{here}'", "'scalar'"],
           "a part from another kind of processor is refused, with both", "shard-2-of-2"
           not in os.listdir(folder))
    expect(assay(*CERTIFY, "--shard", "2/2", "--to", folder, "--plan", env=scalar), 0, [],
           "but its plan may be asked for anywhere")
    for job, more in ((EMIT, ["--portable"]), (AUDIT, ["--seed", "2"]), (CERTIFY, ["--quick"])):
        folder = f"{work}/other-{job[0]}"
        put(folder, job, "1/2")
        key = more[0][2:]
        expect(put(folder, [*job, *more], "2/2"), 2, ["another plan", key],
               f"{job[0]}: a part of another plan is refused, with the key", "shard-2-of-2"
               not in os.listdir(folder))
        expect(put(folder, job, "2/3"), 2, ["another plan", "2 there, 3 here"],
               f"{job[0]}: and of another split")
        expect(assay(*job, *more, "--shard", "2/2", "--to", folder, "--plan"), 2,
               ["another plan", key], f"{job[0]}: --plan says so beforehand")
        expect(assay(*job, "--shard", "2/2", "--to", folder, "--plan"), 0, [],
               f"{job[0]}: and that the right one may",
               len(os.listdir(folder)) == 2)
        expect(put(folder, [*job, *more], "2/2"), 2, ["Use another folder", "parts that it holds"],
               f"{job[0]}: and what to do while parts are there")
        os.remove(f"{folder}/shard-1-of-2")
        expect(put(folder, [*job, *more], "2/2"), 2, ["holds no part yet", "remove its plan.json"],
               f"{job[0]}: while none is, it says how to go on")
        os.remove(f"{folder}/plan.json")
        expect(put(folder, [*job, *more], "2/2"), 0, [], f"{job[0]}: and so it goes on")
        shutil.rmtree(folder)
        put(folder, job, "1/2")
    expect(assay(*EMIT, "--shard", "1/2", "--to", f"{work}/none", "--plan"), 0, [],
           "--plan makes no folder", not os.path.exists(f"{work}/none"))
    # A folder put together from copies has no plan.json; its parts have.
    folder = f"{work}/other-emit"
    os.remove(f"{folder}/plan.json") if os.path.exists(f"{folder}/plan.json") else None
    expect(put(folder, [*EMIT, "--portable"], "2/2"), 2, ["another plan", "portable"],
           "parts without plan.json refuse another plan as well")
    with open(f"{folder}/plan.json", "w") as file:
        file.write('{"assay_plan": 1')
    check(
        put(folder, EMIT, "2/2").returncode == 0
        and open(f"{folder}/plan.json").read().endswith("}\n"), "a damaged plan.json is made again")


def missing_looks_into_the_parts(work):
    folder, out = f"{work}/missing", f"{work}/missing.out"
    os.makedirs(out)
    for i in (1, 2, 3):
        put(folder, EMIT, f"{i}/3")

    def missing(count="3"):
        done = assay("merge", folder, "--missing", count)
        return done.returncode, done.stdout.strip()
    check(missing() == (0, ""), "nothing is missing of three")
    shutil.copy(f"{folder}/shard-2-of-3", f"{work}/kept")
    shutil.copy(f"{folder}/shard-1-of-3", f"{folder}/shard-2-of-3")
    check(missing() == (1, "2"), "a part under another's name is missing", missing())
    put(f"{work}/portable", [*EMIT, "--portable"], "2/3")
    shutil.copy(f"{work}/portable/shard-2-of-3", folder)
    check(missing() == (1, "2"), "so is one of another plan", missing())
    check(
        put(folder, EMIT, "2/3").returncode == 0 and missing() == (0, "")
        and assay("merge", folder, "--out", out).returncode == 0,
        "which is made again, and then all are joined")
    check(missing("4")[0] == 2, "of another number of parts nothing can be missing")
    os.remove(f"{folder}/shard-2-of-3")
    with open("/dev/full", "w") as full:
        for name, words in (("what is missing", ["merge", folder, "--missing", "3"]),
                            ("--help", ["--help"]), ("--version", ["--version"])):
            expect(assay(*words, stdout=full), 3, ["could not be written"],
                   f"{name} on a full device is not told")
    os.mkfifo(f"{folder}/shard-2-of-3")
    expect(assay("merge", folder, "--out", out), 2, ["no regular file"],
           "a pipe with the name of a part is refused")
    check(missing() == (1, "2"), "and is missing")


def every_part_is_read(work):
    folder = f"{work}/flawed"
    for i in (1, 2):
        put(folder, ["audit", "--source", "philox4x32-2", "--bytes", "12000000"], f"{i}/2")
    expect(assay("merge", folder), 1, [], "an audit is flawed in its first part")
    with open(f"{folder}/shard-2-of-2", "r+b") as file:
        file.seek(-1000, 2)
        byte = file.read(1)
        file.seek(-1000, 2)
        file.write(bytes([byte[0] ^ 1]))
    expect(assay("merge", folder), 2, ["shard-2-of-2"],
           "and is not joined while its second is damaged")


def large_parts_are_read(work):
    folder = f"{work}/large"
    put(folder, EMIT, "1/1")
    path, size = f"{folder}/shard-1-of-1", 257 << 20
    with open(path, "rb") as file:
        head = json.loads(file.readline())
    head["bytes"] = size
    digest = hashlib.sha256()
    with open(path, "wb") as file:
        line = json.dumps(head).encode() + b"\n"
        file.write(line)
        digest.update(line)
        for _ in range(size >> 20):
            digest.update(bytes(1 << 20))
        file.seek(size, 1)
        file.write(b'\n{"sha256": "%s"}\n' % digest.hexdigest().encode())
    done = assay("merge", folder, "--missing", "1")
    check(done.returncode == 0 and done.stdout == "", "a part of 257 MiB is read and whole",
          [done.stdout, done.stderr])
    os.remove(path)


def the_machine_is_not_the_result(work):
    folder = f"{work}/environment"
    expect(put(folder, ["certify", "--exec", "/bin/false"], "1/1"), 3, ["not available", "No part"],
           "a target that was asked for and is not available is no part",
           not os.path.exists(f"{folder}/shard-1-of-1"))
    expect(put(f"{work}/nowhere", ["certify", "--plugin", f"{work}/nowhere.so"],
               "1/1"), 2, ["nowhere.so"], "a plugin that is not there has no plan",
           not os.path.exists(f"{work}/nowhere"))
    for name, job in (("emit", EMIT),
                      ("audit", ["audit", "--source", "philox4x32", "--bytes",
                                 "1000000000000000"]), ("certify", CERTIFY)):
        expect(put("/proc/sys", job, "1/1"), 3, ["cannot write"],
               f"{name}: a folder that cannot be written is told before the work")
    room = f"{work}/room"
    os.mkdir(room)
    job = ["certify", "--target", "numpy", "--suite", "cousins", "--case", "numpy-random-f32-5*"]
    if assay(*job, "--quiet").returncode:
        skip("no room for tensors", "needs NumPy")
    elif os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", room],
                                        capture_output=True).returncode:
        skip("no room for tensors", "needs root and mount")
    else:
        try:
            with open(f"{room}/fill", "wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(4096))
                except OSError:
                    pass
            full = dict(os.environ, TMPDIR=room)
            done = assay(*job, "--quiet", "--out", f"{work}/room.jsonl", env=full)
            verdicts = {json.loads(line).get("verdict") for line in open(f"{work}/room.jsonl")}
            check(done.returncode == 3 and "harness" in verdicts and "crash" not in verdicts,
                  "no room for a target's tensors is not the target's failure",
                  [done.returncode, done.stdout, verdicts])
            expect(put(f"{work}/roomless", job, "1/1", env=full), 3, ["no room"], "and no part",
                   not os.path.exists(f"{work}/roomless/shard-1-of-1"))
        finally:
            subprocess.run(["umount", room], check=False)


def main():
    with tempfile.TemporaryDirectory() as work:
        what_computes_is_in_the_plan(work)
        threads_are_not_in_the_plan(work)
        another_plan_is_refused_at_once(work)
        missing_looks_into_the_parts(work)
        every_part_is_read(work)
        large_parts_are_read(work)
        the_machine_is_not_the_result(work)
    finish()


if __name__ == "__main__":
    main()
