# SPDX-License-Identifier: Apache-2.0
"""`assay emit` from outside: its files as Python's safetensors, numpy and sha256sum read them, and
what it does about cases that change, files that are damaged and runs that are killed."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

import numpy
import safetensors
import safetensors.numpy

sys.path.insert(0, "harness/tests")
from given import small_suite  # noqa: E402
from kills import Kills  # noqa: E402
from tap import checked, finish  # noqa: E402

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
NUMPY = {"bool": "?", "f16": "<f2", "f32": "<f4", "f64": "<f8", "i32": "<i4", "i64": "<i8",
         "u8": "u1", "u32": "<u4",
         "u64": "<u8", "i8": "i1", "i16": "<i2", "u16": "<u2"}
SUITE = small_suite("P", "1.4.2") + """\
  - id: one
    covers: [P]
    op: philox
    attributes: {width: 32, rounds: ROUNDS}
    inputs: {counter: [[1, 2, 3, 4], [5, 6, 7, 8]], key: [5, 6]}
  - id: two
    covers: [P]
    op: philox
    inputs: {counter: {fill: bits, dtype: u32, shape: [20000, 4]}, key: {dtype: u32, data: [1, 2]}}
  - id: no
    covers: [P]
    reject: words in its last dimension
    op: philox
    attributes: {width: 32}
    inputs: {counter: [1], key: [1]}
"""


def emit(home, *arguments):
    environment = dict(os.environ, ASSAY_HOME=home, SOURCE_DATE_EPOCH="1767225600")
    run = subprocess.run([ASSAY, "emit", *arguments], env=environment, capture_output=True,
                         text=True)
    return run.returncode, run.stdout + run.stderr


class Home:
    """A tree of its own with the small suite."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="assay-emit-")
        os.makedirs(self.path + "/yaml/suites")
        os.makedirs(self.path + "/vectors/golden")
        self.write(SUITE.replace("ROUNDS", "10"))
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)

    def write(self, text):
        with open(self.path + "/yaml/suites/small.yaml", "w") as file:
            file.write(text)

    def golden(self, name):
        return f"{self.path}/vectors/golden/{name}"

    def snapshot(self):
        folder = self.path + "/vectors/golden"
        return {name: open(f"{folder}/{name}", "rb").read() for name in sorted(os.listdir(folder))}


def manifest(path):
    lines = [json.loads(line) for line in open(path)]
    assert lines[0]["cases"] == len(lines) - 1
    return lines[1:]


def tensors_of(case):
    for role, key in (("in", "inputs"), ("out", "outputs")):
        for name, value in case.get(key, {}).items():
            if isinstance(value, list):
                for run, one in enumerate(value):
                    yield f"{case['id']}/{role}/{name}/run={run}", one
            else:
                yield f"{case['id']}/{role}/{name}", value


def element_bytes(line):
    return b"".join(bytes.fromhex(bits)[::-1] for bits in line["bits"])


@checked("safetensors and numpy read the kept vectors, and the manifest's digests and bits are "
         "theirs")
def _():
    folder = "vectors/golden"
    seen = 0
    listed = subprocess.run([ASSAY, "list", "cases", "--json"], capture_output=True, text=True,
                            check=True).stdout.splitlines()
    digests = {(case["suite"], case["case"]) for case in map(json.loads, listed)
               if case["digests"]}
    assert digests
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jsonl"):
            continue
        path = f"{folder}/{name[:-6]}.safetensors"
        data = open(path, "rb").read()
        raw = dict(safetensors.deserialize(data))
        # numpy has neither bf16 nor floats of 8 bits, so a file that holds some is read through the
        # raw form alone.
        arrays = {} if any(t["dtype"] == "BF16" or t["dtype"][:3] == "F8_"
                           for t in raw.values()) else safetensors.numpy.load(data)
        for case in manifest(f"{folder}/{name}"):
            for tensor, line in tensors_of(case):
                alone = (name[:-6], case["id"]) in digests
                assert alone or "agrees" not in case, tensor
                if alone or tensor not in raw:
                    assert tensor not in raw, tensor
                    assert (alone or "chunks" in line
                            or numpy.prod(line["shape"]) > 2048), tensor
                    continue
                content = bytes(raw[tensor]["data"])
                assert hashlib.sha256(content).hexdigest() == line["sha256"], tensor
                if "window" not in line:
                    assert list(raw[tensor]["shape"]) == line["shape"], tensor
                if "bits" in line:
                    assert element_bytes(line) == content, tensor
                if tensor in arrays:
                    assert arrays[tensor].astype(NUMPY[line["dtype"]]).tobytes() == content, tensor
                seen += 1
    assert seen > 2000, seen


@checked("chunk digests are those of the chunks: all of RANDOM_GENERATOR's large output, made "
         "anew from Philox in Python")
def _():
    sys.path.insert(0, "yaml/tests")
    from fill import philox
    raw = dict(safetensors.deserialize(open("vectors/golden/directml.random_generator.safetensors",
                                            "rb").read()))
    chunk, index = 65536, 3
    blocks = range(index * chunk // 4, index * chunk // 4 + chunk // 4)
    start = 10 + (20 << 32) + (30 << 64) + (40 << 96)
    words = [w for j in blocks
             for w in philox([(start + j) >> (32 * k) & 0xFFFFFFFF for k in range(4)], (50, 60))]
    digest = hashlib.sha256(numpy.array(words, "<u4").tobytes()).digest()
    assert bytes(raw["large/out/output/chunks"]["data"])[index * 32: index * 32 + 32] == digest


@checked("sha256sum -c accepts SHA256SUMS")
def _():
    subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd="vectors/golden", check=True,
                   capture_output=True)


@checked("a second sum of a file is found, whatever it says")
def _():
    with Home() as home:
        emit(home.path, "--write")
        sums = home.snapshot()["SHA256SUMS"].decode().splitlines(keepends=True)
        for second in (sums[0], "0" * 64 + sums[0][64:]):
            with open(home.golden("SHA256SUMS"), "w") as file:
                file.writelines([*sums, second])
            code, text = emit(home.path, "--check")
            assert code == 1 and "two sums of small.jsonl, the second in line 3" in text, text


@checked("emitting twice gives the same bytes, with any number of threads, and --check agrees")
def _():
    with Home() as home:
        assert emit(home.path, "--write")[0] == 0
        first = home.snapshot()
        for threads in "1", "2", "7":
            os.environ["ASSAY_THREADS"] = threads
            assert emit(home.path, "--write")[0] == 0
            assert home.snapshot() == first
        del os.environ["ASSAY_THREADS"]
        code, text = emit(home.path, "--check")
        assert code == 0 and "3 cases of 1 suites: nothing differs" in text, text


@checked("without a word nothing is written: what is new is named, and which word keeps it")
def _():
    with Home() as home:
        code, text = emit(home.path)
        assert code == 1 and "small: no case of 3 is kept yet" in text, text
        assert "nothing was written. --write keeps what is new" in text, text
        assert home.snapshot() == {}
        assert emit(home.path, "--write")[0] == 0 and len(home.snapshot()) == 3
        kept = home.snapshot()
        home.write(SUITE.replace("ROUNDS", "9"))
        code, text = emit(home.path)
        assert code == 1 and "case one: changed: tensor output" in text, text
        assert "--reason TEXT" in text and home.snapshot() == kept, text
        home.write(SUITE.replace("ROUNDS", "10"))
        code, text = emit(home.path)
        assert code == 0 and text.endswith("nothing differs\n"), text


@checked("an existing case changes only with a reason, which is kept and raises the version")
def _():
    with Home() as home:
        emit(home.path, "--write")
        before = home.snapshot()
        home.write(SUITE.replace("ROUNDS", "9"))
        code, text = emit(home.path, "--write")
        assert code == 1, text
        assert "case one: changed: tensor output, element 0 [0,0]: kept " in text, text
        assert "Say why with --reason" in text and home.snapshot() == before
        code, text = emit(home.path, "--check")
        assert code == 1, text
        assert "case one: changed: tensor output, element 0 [0,0]: kept " in text, text
        code, text = emit(home.path, "--reason", "nine rounds are enough here")
        assert code == 0 and "version 2.0.0" in text, text
        assert open(home.path + "/vectors/CHANGES").read() == \
            "2026-01-01 small 2.0.0 changed one: nine rounds are enough here\n"
        assert "version: 2.0.0\n" in open(home.path + "/yaml/suites/small.yaml").read()
        assert emit(home.path, "--check")[0] == 0


@checked("a removed case needs a reason, and its id is not used again")
def _():
    with Home() as home:
        whole = SUITE.replace("ROUNDS", "10")
        start, end = whole.index("  - id: two"), whole.index("  - id: no")
        emit(home.path, "--write")
        home.write(whole[:start] + whole[end:])
        assert emit(home.path, "--write")[0] == 1
        assert emit(home.path, "--reason", "said twice")[0] == 0
        assert "removed two: said twice" in open(home.path + "/vectors/CHANGES").read()
        home.write(whole.replace("1.4.2", "2.0.0"))
        code, text = emit(home.path, "--write")
        assert code == 2, text
        assert "case two of small was removed once: its id is not used again" in text, text


@checked("other requirements for a case need no reason, but are kept")
def _():
    with Home() as home:
        emit(home.path, "--write")
        text = SUITE.replace("ROUNDS", "10").replace("  P: {text: a block}",
                                                     "  P: {text: a block}\n  Q: {text: more}")
        home.write(text.replace("covers: [P]", "covers: [P, Q]", 1))
        assert emit(home.path, "--check")[0] == 1
        assert emit(home.path, "--write")[0] == 0
        assert emit(home.path, "--check")[0] == 0


@checked("any flipped bit of any kept file is found, and in the data it is named with case, "
         "tensor and element")
def _():
    with Home() as home:
        emit(home.path, "--write")
        keep = home.snapshot()
        data = keep["small.safetensors"]
        header = 8 + int.from_bytes(data[:8], "little")
        places = json.loads(data[8:header])
        chance = random.Random(7)
        for name, content in keep.items():
            for at in sorted(chance.sample(range(len(content)), 40)):
                damaged = bytearray(content)
                damaged[at] ^= 1 << chance.randrange(8)
                open(home.golden(name), "wb").write(damaged)
                code, text = emit(home.path, "--check")
                assert code == 1, (name, at, code, text)
                if name == "small.safetensors" and at >= header:
                    tensor = next(k for k, v in places.items() if v["data_offsets"][0] <= at
                                  - header < v["data_offsets"][1])
                    case, role, of = tensor.replace("#pad", "").split("/")[:3]
                    if "#pad" not in tensor:
                        assert f"case {case}: changed: tensor {of}" in text, (tensor, text)
                    if "#pad" not in tensor and "chunks" not in tensor and "at=" not in tensor:
                        element = (at - header - places[tensor]["data_offsets"][0]) // 4
                        assert f"element {element}" in text, (tensor, at, text)
            open(home.golden(name), "wb").write(content)
        assert emit(home.path, "--check")[0] == 0


@checked("a comment that swallows what a case says of a choice is seen by emit --check and by "
         "certify, though no vector changes")
def _():
    with Home() as home:
        whole = SUITE.replace("ROUNDS", "10").replace("    op: philox\n",
                                                      "    op: philox\n    choices: {word_order: "
                                                      "{allowed: [descending]}}\n", 1)
        home.write(whole)
        emit(home.path, "--write")
        kept = home.snapshot()
        certify = [ASSAY, "certify", "--plugin", os.path.join(os.path.dirname(ASSAY), "zoo",
                                                              "good.so"), "--quiet"]
        environment = dict(os.environ, ASSAY_HOME=home.path)
        assert subprocess.run(certify, env=environment, capture_output=True).returncode == 0
        home.write(whole.replace("    choices: {word", "   #choices: {word"))
        code, text = emit(home.path, "--check")
        assert code == 1, text
        assert "small: the vectors were made from another suite" in text, text
        assert "1 differences" in text, text
        run = subprocess.run(certify, env=environment, capture_output=True, text=True)
        assert run.returncode == 2, run.stderr
        assert "is not the suite that the golden vectors were made from" in run.stderr, run.stderr
        code, text = emit(home.path, "--write")
        assert code == 0 and "0 new, 0 changed" in text and emit(home.path, "--check")[0] == 0, text
        assert {n for n, b in home.snapshot().items() if b != kept[n]} == {"small.jsonl",
                                                                           "SHA256SUMS"}
        assert subprocess.run(certify, env=environment, capture_output=True).returncode == 0


@checked("damaged vectors are replaced only with a reason")
def _():
    with Home() as home:
        emit(home.path, "--write")
        keep = home.snapshot()
        open(home.golden("small.jsonl"), "wb").write(keep["small.jsonl"][:-30])
        code, text = emit(home.path, "--write")
        assert code == 1 and "give --reason" in text, text
        assert emit(home.path, "--reason", "the disk was full")[0] == 0
        assert emit(home.path, "--check")[0] == 0


@checked("a run that is killed leaves old files or new ones")
def _():
    with Home() as home:
        emit(home.path, "--write")
        old = home.snapshot()
        home.write(SUITE.replace("ROUNDS", "9").replace("1.4.2", "2.0.0"))
        environment = dict(os.environ, ASSAY_HOME=home.path)
        command = [ASSAY, "emit", "--to", home.path + "/vectors/golden"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        new = home.snapshot()
        def restore():
            for name, content in old.items():
                with open(home.golden(name), "wb") as file:
                    file.write(content)
        restore()
        start = time.monotonic()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        length = time.monotonic() - start
        assert home.snapshot() == new
        kills = Kills(random.Random(3), length)
        while kills.more(30, 10):
            restore()
            kills.kill(command, env=environment)
            for name in old:
                assert open(home.golden(name), "rb").read() in (old[name], new[name]), name
            subprocess.run(command, env=environment, check=True, capture_output=True)
            assert home.snapshot() == new, "what the next run leaves"
        assert kills.hits >= 10, f"{kills.hits} of {kills.tries} kills hit a running process"


@checked("wrong uses and wrong suites give exit code 2 and say what is wrong")
def _():
    with Home() as home:
        for arguments, message in ((["--check", "--reason", "x"], "cannot be combined"),
                                   (["--portable"], "--portable goes with"),
                                   (["--suite", "none"], "there is no suite 'none'"),
                                   (["--reason", ""], "one line of text"),
                                   (["x"], "unexpected argument"), (["--sweet"], "unknown option")):
            code, text = emit(home.path, *arguments)
            assert code == 2 and message in text, (arguments, code, text)
        home.write(SUITE.replace("ROUNDS", "10").replace("covers: [P]", "covers: [R]", 1))
        code, text = emit(home.path, "--write")
        assert code == 2, text
        assert (":13:14: there is no requirement 'R'\n        covers: [R]\n "
                "                ^") in text, text
        home.write(SUITE.replace("ROUNDS", "10").replace("words in its last",
                                                         "sentences in its last"))
        code, text = emit(home.path, "--write")
        assert code == 2, text
        assert "case no: refused, but not for the reason that the suite states" in text, text
        home.write(SUITE.replace("ROUNDS", "10").replace("    op: philox\n",
                                                         "    op: philox\n    reject: no\n", 1))
        code, text = emit(home.path, "--write")
        assert code == 2 and "case one: the reference answers what must be refused" in text, text


@checked("what the specification prints is not kept otherwise, and a check names both differences")
def _():
    with Home() as home:
        printed = "    printed: {output: [[0, 0, 0, 0], [0, 0, 0, 0]]}\n"
        text = SUITE.replace("ROUNDS", "10").replace("    inputs: {counter: [[1",
                                                     printed + "    inputs: {counter: [[1")
        emit(home.path, "--write")
        home.write(text)
        code, out = emit(home.path, "--write")
        assert code == 2, out
        assert ("case one: the specification prints 0 for element 0 of "
                "output, the reference gives") in out, out
        home.write(text.replace("rounds: 10", "rounds: 9"))
        code, out = emit(home.path, "--check")
        assert code == 1, out
        assert "case one: changed: tensor output, element 0 [0,0]" in out, out
        assert "specification prints 0" in out, out


@checked("the portable slice is a part of the whole")
def _():
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([ASSAY, "emit", "--portable", "--to", folder], capture_output=True,
                             text=True)
        assert run.returncode == 0, run.stderr
        cases = {c["id"]: c for c in manifest(folder + "/openvino.random_uniform.jsonl")}
        whole = {c["id"]: c for c in manifest("vectors/golden/openvino.random_uniform.jsonl")}
        assert 20 < len(cases) < len(whole)
        assert all(whole[k] == v for k, v in cases.items())


finish()
