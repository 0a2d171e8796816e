# SPDX-License-Identifier: Apache-2.0
"""Outputs larger than memory: any range of an output of 2^34 elements, by the reference and by targets that give windows; digests
recomputed here from the elements that `assay eval` prints; one wrong element beyond 2^33 is found and named.

ASSAY_FULL=1 goes through 2^28 elements. TAP on standard output.
"""
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
from tap import check, finish  # noqa: E402

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
ASSAY = os.path.join(BUILD, "assay")
COUNT = 1 << (28 if os.environ.get("ASSAY_FULL") == "1" else 22)
CHUNK = 65536
TOTAL = 1 << 34
FIRST = 1 << 33


def assay(*arguments, text=None, threads=None):
    environment = dict(os.environ, ASSAY_THREADS=str(threads)) if threads else None
    return subprocess.run([ASSAY, *map(str, arguments)], capture_output=True, text=True, input=text, env=environment)


def request(kind="f32", **more):
    high = 1 if kind == "f32" else 2147483647
    return {"op": "openvino.random_uniform", "attributes": {"output_type": kind, "global_seed": 7, "op_seed": 8},
            "inputs": {"shape": [TOTAL], "minval": 0, "maxval": high}, **more}


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
        check(done.returncode == 0 and done.stdout.split()[0] == digest_from_eval("f32", FIRST - CHUNK, 3 * CHUNK + 100),
              "the digest over 2^33 and beyond is that of what eval prints", done)
        at_once = assay("stream", path, "--first", FIRST, "--count", COUNT, "--chunks", kept, threads=1)
        two = assay("stream", path, "--first", FIRST, "--count", COUNT, "--chunks", kept + "2", threads=3)
        check(at_once.stdout == two.stdout and open(kept, "rb").read() == open(kept + "2", "rb").read(), "any number of threads gives the same digests", two)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        check(used < 256 * 1024, f"memory stays at {used // 1024} MiB, of an output of {TOTAL * 4 >> 30} GiB")
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--against", kept)
        check(done.returncode == 0 and "as kept" in done.stdout, f"{COUNT} elements are as kept", done)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--target", "reference", "--against", kept)
        check(done.returncode == 0 and done.stdout.split()[0] == at_once.stdout.split()[0], "a target that gives windows is held against what was kept", done)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--target", "random123")
        check(done.returncode == 2 and "window" in done.stderr, "a target without windows is told so", done)
        wrong = FIRST + COUNT // 2 + 12345
        built = subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I.", f"-DAT=UINT64_C({wrong})", f'-DREFERENCE="{BUILD}/targets/reference.so"',
                                "-o", f"{work}/late.so", "harness/cli/tests/late_element.c", "-ldl"], capture_output=True, text=True)
        for way, words in (("the reference", ()), ("kept digests", ("--against", kept))):
            done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--plugin", f"{work}/late.so", *words)
            one = assay("eval", "-", text=json.dumps(request(window=[wrong, 1])))
            bits = json.loads(one.stdout)["outputs"]["output"]["bits"][0]
            check(done.returncode == 1 and f"first wrong element {wrong}: expected {bits}" in done.stdout and "1 of" in done.stdout,
                  f"one wrong element, number {wrong}, is found against {way}", done if not built.returncode else built)
        content = bytearray(open(kept, "rb").read())
        content[len(content) // 2] ^= 4
        with open(kept, "wb") as file:
            file.write(content)
        done = assay("stream", path, "--first", FIRST, "--count", COUNT, "--against", kept)
        check(done.returncode == 2 and "damaged" in done.stderr, "damaged digests are refused", done)
        done = assay("stream", path, "--first", 0, "--count", COUNT, "--against", kept + "2")
        check(done.returncode == 2 and "something else" in done.stderr, "digests of another range are refused", done)
        for words in (("--first", 5), ("--first", TOTAL), ("--first", FIRST, "--count", FIRST + 1)):
            done = assay("stream", path, *words)
            check(done.returncode == 2 and "elements" in done.stderr, f"{' '.join(map(str, words))} is refused", done)
    finish()


if __name__ == "__main__":
    main()
