# SPDX-License-Identifier: Apache-2.0
"""Outputs larger than memory: any range of an output of 2^34 elements, by the reference and by
targets that give windows; digests recomputed here from the elements that `assay eval` prints; one
wrong element beyond 2^33 is found and named.

ASSAY_FULL=1 goes through 2^28 elements. TAP on standard output.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from given import late_element  # noqa: E402
from process_target import write  # noqa: E402
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
COUNT = 1 << (28 if os.environ.get("ASSAY_FULL") == "1" else 22)
CHUNK = 65536
TOTAL = 1 << 34
FIRST = 1 << 33


def assay(*arguments, text=None, threads=None):
    environment = dict(os.environ, ASSAY_THREADS=str(threads)) if threads else None
    return subprocess.run([ASSAY, *map(str, arguments)], capture_output=True, text=True, input=text,
                          env=environment)


def request(kind="f32", low=0, high=None, **more):
    if high is None:
        high = 1 if kind == "f32" else 2147483647
    return {
        "op": "openvino.random_uniform",
        "attributes": {"output_type": kind, "global_seed": 7, "op_seed": 8},
        "inputs": {"shape": [TOTAL], "minval": low, "maxval": high}, **more
    }


def build_flawed(path, at, *words):
    """The reference's plugin with another lowest bit in element `at`."""
    built = late_element(path, f"-DAT=UINT64_C({at})", *words)
    check(built.returncode == 0, f"a plugin with a flaw at {at} is built", built)


def memory_of(path, *words):
    """The most that the process, or one of its workers, held at once, in MiB."""
    process = subprocess.Popen(
        [ASSAY, "stream", path, "--first",
         str(FIRST), "--threads", "1", *words], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss // 1024 if process.returncode == 0 else 1 << 30


def test_memory(path):
    """A range that takes 128 MiB against one of a chunk: a thread has 17 or 33 chunks of 256
    KiB."""
    for words in ((), ("--target", "reference")):
        least, used = (memory_of(path, *words, "--count", str(count))
                       for count in (CHUNK, max(COUNT, 1 << 25)))
        check(used < least + 32,
              f"memory stays at {used} MiB ({least} for one chunk) {' '.join(words)}")


def test_process(work, path):
    target = f"{work}/process"
    for words, code, text in ((["window"], 0, "the reference's"),
                              ([], 2, "does not declare that it can compute windows"),
                              (["wings"], 2, "known: states, window")):
        write(target, [], "run = evaluate", capabilities=words)  # answers are lists of bits
        done = assay("stream", path, "--first", FIRST, "--count", CHUNK, "--exec", target)
        check(done.returncode == code and text in done.stdout + done.stderr,
              f"a process target with the capabilities {words}", done)


def test_numpy(work):
    """NumPy's own generator, moved on to where the window starts."""
    if not os.path.exists(f"{BUILD}/venv/bin/python"):
        print("# NumPy is not there")
        return
    path = f"{work}/numpy.json"
    for op, more in (("numpy.philox", {}), ("numpy.philox_random", {"dtype": "f64"}),
                     ("numpy.philox_random", {"dtype": "f32"})):
        with open(path, "w") as file:
            json.dump(
                {
                    "op": op, "attributes": {"count": TOTAL, **more},
                    "inputs": {"key": [1, 2], "counter": [3, 4, 5, 6]}
                }, file)
        done = assay("stream", path, "--first", FIRST, "--count", 17 * CHUNK + 3, "--target",
                     "numpy")
        check(done.returncode == 0 and "the reference's" in done.stdout,
              f"elements of {op} {more.get('dtype', '')} beyond 2^33 by NumPy", done)
    with open(path, "w") as file:
        json.dump(
            {
                "op": "openvino.range", "attributes": {"output_type": "i64"},
                "inputs": {"start": 5, "stop": 3 * TOTAL, "step": 3}
            }, file)
    done = assay("stream", path, "--first", FIRST, "--count", CHUNK + 5, "--target", "numpy")
    check(done.returncode == 0 and "the reference's" in done.stdout,
          "elements of openvino.range beyond 2^33 by NumPy", done)


def test_time(work, path):
    build_flawed(f"{work}/late.so", FIRST, "-DREST=3600")
    done = assay("stream", path, "--first", FIRST, "--count", CHUNK, "--time", 300, "--plugin",
                 f"{work}/late.so")
    check(done.returncode != 0 and "after 300 ms" in done.stderr,
          "--time is how long the target may take", done)


def test_flaky(work, path, kept):
    """A wrong element that is right when its chunk is made again."""
    wrong = FIRST + 5 * CHUNK + 77
    build_flawed(f"{work}/flaky.so", wrong, "-DTIMES=1")
    for way, words in (("the reference", ()), ("kept digests", ("--against", kept))):
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--threads", 1, "--plugin",
                     f"{work}/flaky.so", *words)
        place = f"elements {FIRST + 5 * CHUNK} to {FIRST + 6 * CHUNK - 1}"
        check(
            done.returncode == 1 and "1 of" in done.stdout
            and f"not deterministic: {place}" in done.stdout,
            f"an element that is wrong only at first is found against {way}", done)
        if not words:
            check(f"first wrong element {wrong}:" in done.stdout,
                  "the element as it first came is named", done)
    build_flawed(f"{work}/other.so", wrong, "-DTIMES=2")
    done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--threads", 1, "--plugin",
                 f"{work}/other.so")
    check(
        done.returncode == 1 and f"first wrong element {wrong}:" in done.stdout
        and "deterministic" not in done.stdout,
        "an element that is wrong both times is no matter of chance", done)


def test_payloads(work):
    """All elements are NaN; one comes with a payload, which does not count, always or at first
    only."""
    path, kept = f"{work}/nan.json", f"{work}/nan.kept"
    with open(path, "w") as file:
        json.dump(request(low="-inf", high="inf"), file)
    done = assay("stream", path, "--count", 3 * CHUNK, "--chunks", kept)
    for times, code in (("UINT64_MAX", 0), (1, 1)):
        plugin = f"{work}/payload-{times}.so"
        build_flawed(plugin, CHUNK + 9, f"-DTIMES={times}")
        against = assay("stream", path, "--count", 3 * CHUNK, "--threads", 1, "--plugin", plugin)
        check(against.returncode == 0 and against.stdout.split()[0] != done.stdout.split()[0],
              "a payload of NaN counts for nothing", against)
        against = assay("stream", path, "--count", 3 * CHUNK, "--threads", 1, "--plugin", plugin,
                        "--against", kept)
        check(
            against.returncode == code and ("not deterministic" in against.stdout) == bool(code),
            "nor against kept digests"
            if not code else "unless what was first given cannot be known to be right", against)


SUITE = """suite: large
version: 1.0.0
specification: {{title: Large, source: "https://docs.openvino.ai/"}}
requirements:
  LARGE: {{text: "an element depends on its place alone", clause: "detailed description"}}
choices:
{choices}
cases:
  - id: large
    covers: [LARGE]
    {case}
"""


def choices_of(suite):
    lines = open(f"yaml/suites/{suite}.yaml").read().split("\n")
    first = lines.index("choices:") + 1
    return "\n".join(lines[first:next(i for i in range(first, len(lines))
                                      if lines[i] and lines[i][0] != " ")])


def test_suite(work):
    """A case of a suite holds the digests of the same chunks, up to 2^34 elements."""
    home = f"{work}/home"
    os.makedirs(f"{home}/yaml/suites")
    os.makedirs(f"{home}/vectors/golden")

    def emit(case, *words):
        with open(f"{home}/yaml/suites/large.yaml", "w") as file:
            file.write(
                SUITE.format(
                    choices=choices_of(case["op"]), case="\n    ".join(
                        f"{key}: {json.dumps(value)}" for key, value in case.items())))
        return subprocess.run([ASSAY, "emit", "--suite", "large", *words], capture_output=True,
                              text=True, env=dict(os.environ, ASSAY_HOME=home))

    more = request()
    more["inputs"]["shape"] = [TOTAL + 1]
    done = emit(more, "--write")
    check(done.returncode == 2 and "above 2^34 a case asks for a window" in done.stderr,
          "a case of a suite with more than 2^34 elements is refused", done)
    count = (1 << 30) + 5 if COUNT > 1 << 22 else (1 << 20) + 5
    case = {
        "op": "openvino.range", "attributes": {"output_type": "i32"},
        "inputs": {"start": 0, "stop": count, "step": 1}
    }
    done, again = emit(case, "--write"), emit(case, "--check")
    with open(f"{work}/range.json", "w") as file:
        json.dump(case, file)
    streamed = assay("stream", f"{work}/range.json")
    kept = [json.loads(line) for line in open(f"{home}/vectors/golden/large.jsonl")
            ][1]["outputs"]["output"] if not done.returncode else {}
    check(
        again.returncode == 0 and streamed.returncode == 0
        and streamed.stdout.split()[0] in json.dumps(kept),
        f"vectors of {count} elements hold the digest that stream prints, and are as kept",
        [done, again, kept])


def digest_from_eval(kind, first, elements):
    """The digest of digests, from bits that eval prints."""
    digests = b""
    for at in range(first, first + elements, CHUNK):
        size = min(CHUNK, first + elements - at)
        done = assay("eval", "-", text=json.dumps(request(kind, window=[at, size])))
        bits = json.loads(done.stdout)["outputs"]["output"]["bits"]
        digests += hashlib.sha256(b"".join(int(b, 16).to_bytes(4, "little") for b in bits)).digest()
    return hashlib.sha256(digests).hexdigest()


def main():
    with tempfile.TemporaryDirectory() as work:
        path, kept = f"{work}/request.json", f"{work}/kept"
        with open(path, "w") as file:
            json.dump(request(), file)
        done = assay("stream", path, "--first", FIRST - CHUNK, "--count", 3 * CHUNK + 100)
        check(
            done.returncode == 0
            and done.stdout.split()[0] == digest_from_eval("f32", FIRST - CHUNK, 3 * CHUNK + 100),
            "the digest over 2^33 and beyond is that of what eval prints", done)
        at_once = assay("stream", path, "--first", FIRST, "--count", COUNT, "--chunks", kept,
                        threads=1)
        two = assay("stream", path, "--first", FIRST, "--count", COUNT, "--chunks", kept + "2",
                    threads=3)
        check(
            at_once.stdout == two.stdout
            and open(kept, "rb").read() == open(kept + "2", "rb").read(),
            "any number of threads gives the same digests", two)
        test_memory(path)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--against", kept)
        check(done.returncode == 0 and "as kept" in done.stdout, f"{COUNT} elements are as kept",
              done)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--target", "reference",
                     "--against", kept)
        check(done.returncode == 0 and done.stdout.split()[0] == at_once.stdout.split()[0],
              "a target that gives windows is held against what was kept", done)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--target", "random123")
        check(done.returncode == 2 and "window" in done.stderr,
              "a target without windows is told so", done)
        wrong = FIRST + COUNT // 2 + 12345
        build_flawed(f"{work}/late.so", wrong)
        for way, words in (("the reference", ()), ("kept digests", ("--against", kept))):
            done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--plugin",
                         f"{work}/late.so", *words)
            one = assay("eval", "-", text=json.dumps(request(window=[wrong, 1])))
            bits = json.loads(one.stdout)["outputs"]["output"]["bits"][0]
            check(
                done.returncode == 1
                and f"first wrong element {wrong}: expected {bits}" in done.stdout
                and "1 of" in done.stdout,
                f"one wrong element, number {wrong}, is found against {way}", done)
        test_process(work, path)
        test_numpy(work)
        test_time(work, path)
        test_flaky(work, path, kept)
        test_payloads(work)
        test_suite(work)
        content = bytearray(open(kept, "rb").read())
        content[len(content) // 2] ^= 4
        with open(kept, "wb") as file:
            file.write(content)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--against", kept)
        check(done.returncode == 2 and "damaged" in done.stderr, "damaged digests are refused",
              done)
        done = assay("stream", path, "--first", 0, "--count", COUNT, "--against", kept + "2")
        check(done.returncode == 2 and "something else" in done.stderr,
              "digests of another range are refused", done)
        for words in (("--first", 5), ("--first", TOTAL), ("--first", FIRST, "--count", FIRST + 1)):
            done = assay("stream", path, *words)
            check(done.returncode == 2 and "elements" in done.stderr,
                  f"{' '.join(map(str, words))} is refused", done)
    finish()


if __name__ == "__main__":
    main()
