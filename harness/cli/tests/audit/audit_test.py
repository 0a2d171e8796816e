# SPDX-License-Identifier: Apache-2.0
"""assay audit from outside: sources, verdicts, exit codes, the pipe that is closed early, nights.
Prints TAP."""

import hashlib
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import process_target  # noqa: E402
from tap import check, finish, skip  # noqa: E402

ASSAY = os.environ.get("ASSAY", "build/assay")


def audit(*arguments, data=None):
    done = subprocess.run([ASSAY, "audit", *arguments], input=data, capture_output=True,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def verdict(*arguments, data=None):
    code, out, err = audit("--json", *arguments, data=data)
    return (code, json.loads(out)) if out else (code, err)


def words_of(source, size, *more):
    done = subprocess.run(
        [ASSAY, "audit", "--source", source, "--write", "--bytes",
         str(size), *more], capture_output=True, check=False)
    return done.stdout


def evaluated(request):
    """The bits of an operation's output, one integer an element, from assay eval."""
    done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(request).encode(),
                          capture_output=True, check=False)
    output = next(iter(json.loads(done.stdout)["outputs"].values()))
    return [int(bits, 16) for bits in output["bits"]], output["dtype"]


def packed(values, bits, size):
    """Integers of so many bits, the first lowest, as little-endian bytes."""
    held = 0
    for place, value in enumerate(values):
        held |= value << (place * bits)
    return held.to_bytes((len(values) * bits + 7) // 8, "little")[:size]


# MT19937 is Python's own generator; its linear complexity is known to be 19,937.
random.seed(5)
twister = b"".join(struct.pack("<I", random.getrandbits(32)) for _ in range(1 << 18))
good = hashlib.shake_256(b"good").digest(1 << 22)
flawed = bytearray(hashlib.shake_256(b"flawed").digest(1 << 20))
for i in range(0, len(flawed), 4):
    flawed[i] |= 8

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "words.bin")
    with open(path, "wb") as file:
        file.write(twister)
    code, result = verdict("--source", "file:" + path)
    check(code == 1 and result["strongest"]["test"] == "linear",
          "Python's Mersenne Twister is flawed by linear complexity", result)

    code, result = verdict("--source", "stdin", data=bytes(flawed))
    check(code == 1 and result["verdict"] == "flawed", "a stuck bit on standard input is flawed",
          result)

    kept = os.path.join(folder, "window.bin")
    code, out, err = audit("--source", "stdin", "--window", kept, data=bytes(flawed))
    check(
        code == 1 and "clearest in words" in out and os.path.getsize(kept) == 262144
        and open(kept, "rb").read() in bytes(flawed), "the window that shows it is told and kept",
        out)
    check(audit("--source", "file:" + kept)[0] == 1, "the window kept is flawed by itself")
    late = bytearray(hashlib.shake_256(b"late").digest(1 << 22))
    for i in range(3 << 18, 4 << 18, 4):
        late[i] |= 8
    code, result = verdict("--source", "stdin", data=bytes(late))
    check(
        code == 1 and result["window"] == dict(result["window"], first_word=3 << 16, words=1 << 16),
        "the window lies where the flaw is", result)

    # One bit of the first mebibyte raises a suspicion that the next four do not confirm; another is
    # stuck among those four.
    eaten = bytearray(hashlib.shake_256(b"eaten").digest(5 << 20))
    even = range(0, 1 << 20, 4)
    zeros = [at for at in even if not eaten[at] & 1]
    for at in random.Random(7).sample(zeros, 131072 + 1740 - (262144 - len(zeros))):
        eaten[at] |= 1
    for at in range((3 << 20) + 1, 4 << 20, 4):
        eaten[at] |= 1
    place = os.path.join(folder, "eaten.bin")
    open(place, "wb").write(eaten)
    shown = [audit("--source", "stdin", data=bytes(eaten)), audit("--source", "file:" + place)]
    results = [
        verdict("--source", "stdin", data=bytes(eaten))[1],
        verdict("--source", "file:" + place)[1]
    ]
    check([r["verdict"] for r in results] == ["flawed"] * 2
          and all(r["suspicions_repeated"] > 0 and "repeat" not in r and r["bytes"] == 4 << 20
                  for r in results) and results[0]["strongest"] == results[1]["strongest"],
          "a flaw in what a repeat has read is found, in a pipe as in a file", results)
    check(all(code == 1 and "again on" not in out for code, out, err in shown),
          "a repeat that refuted another suspicion is not told as if it had confirmed this one",
          shown)
    code, out, err = audit("--source", "stdin", data=good[:1 << 18] + b"tail" * 10)
    check(code == 0 and "the last 40 bytes" in out, "bytes beyond the last whole block are told",
          out)

    open(kept, "wb").write(b"old")
    code, out, err = audit("--source", "philox4x32-3", "--window", kept)
    check(code == 1 and "no window" in out and not os.path.exists(kept),
          "a flaw of inputs has no window: that is said, and an old file does not stay", out)
    open(kept, "wb").write(b"old")
    code, out, err = audit("--source", "stdin", "--window", kept, "--bytes", "256KiB", data=good)
    check(code == 0 and "256 KiB" in out and not os.path.exists(kept),
          "nor does it when nothing was found", (out, err))
    code, out, err = audit("--source", "file:" + path, "--window", path)
    check(code == 2 and open(path, "rb").read() == twister, "a window never replaces its source",
          err)
    far = bytearray(hashlib.shake_256(b"far").digest(20 << 20))
    for i in range(18 << 20, 20 << 20, 4):
        far[i] |= 1
    code, out, err = audit("--source", "stdin", "--window", kept, data=bytes(far))
    check(code == 1 and os.path.exists(kept) and open(kept, "rb").read() in far[18 << 20:],
          "the window of a flaw that begins late in a pipe is kept", out)

    code, result = verdict("--source", "stdin", "--width", "64", data=good)
    check(code == 0 and result["ended_early"],
          "SHAKE256's bytes are clean, and the early end is told", result)

    code, out, err = audit("--source", "stdin", data=b"short")
    check(code == 2 and "262144 bytes" in err, "a source below one block is an input error", err)
    code, out, err = audit("--source", "file:" + os.path.join(folder, "none"))
    check(code == 2 and "none" in err, "a missing file is an input error", err)
    code, out, err = audit("--source", "nobody")
    check(code == 2, "an unknown source is an input error", err)
    code, out, err = audit("--source", "stdin", "--width", "48")
    check(code == 2, "an unknown width is a usage error", err)

    writer = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    reader = subprocess.run([ASSAY, "audit", "--source", "stdin"], stdin=writer.stdout,
                            capture_output=True, check=False)
    writer.stdout.close()
    check(reader.returncode == 1 and writer.wait(600) != 0, "an endless flawed writer is cut off")

    done = subprocess.run(
        [ASSAY, "audit", "--source", "philox4x32", "--seed", "0", "--write", "--bytes", "16"],
        capture_output=True, check=False)
    check(done.stdout == struct.pack("<4I", 0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8),
          "--write gives Philox's published words for the zero key", done.stdout.hex())

    a = verdict("--source", "philox4x32", "--bytes", "4194304", "--threads", "1")[1]
    b = verdict("--source", "philox4x32", "--bytes", "4194304", "--threads", "3")[1]
    check(a["strongest"] == b["strongest"] and a["looks"] == b["looks"],
          "the result does not depend on the number of threads", (a, b))

    database = os.path.join(folder, "nights.sqlite")
    codes = [
        audit("--source", "chacha20", "--night", "--db", database, "--bytes", "1048576")[0]
        for _ in range(2)
    ]
    code, out, err = audit("--history", "--db", database)
    check(
        codes == [0, 0] and code == 0 and len(out.splitlines()) == 3
        and "1 MiB" in out.splitlines()[2], "two nights take two ranges", out)
    code, out, err = audit("--source", "chacha20", "--night", "--db", database, "--alpha", "0.5")
    check(code == 2 and "alpha" in err, "alpha cannot change in the middle of a history", err)
    code, out, err = audit("--source", "mt19937", "--night", "--db", database, "--bytes", "1048576")
    check(code == 1 and "ALARM" in out, "a flawed night raises the alarm", out)

for kin in ("next", "bit", "tree"):
    for source in ("philox4x32", "threefry2x32", "jax.bits"):
        code, result = verdict("--source", source, "--streams", "64", "--kin", kin, "--bytes",
                               "1048576")
        check(code == 0, f"64 streams of {source}, {kin}, are clean", result)
    code, result = verdict("--source", "philox4x32-3", "--streams", "64", "--kin", kin, "--bytes",
                           "1048576")
    check(code == 1, f"64 streams of Philox with three rounds, {kin}, are flawed", result)
code, result = verdict("--source", "philox4x32", "--streams", "128", "--kin", "bit", "--bytes",
                       "1048576")
check(code == 0, "128 streams, some two bits apart, are clean", result)
code, result = verdict("--source", "panel:splitmix64", "--streams", "2", "--kin", "bit", "--bytes",
                       "1048576")
check(code == 0, "two streams a bit apart of a generator whose seed is mixed are clean", result)
words = [
    subprocess.run([
        ASSAY, "audit", "--source", "jax.bits", "--streams", "4", "--kin", "tree", "--seed", "7",
        "--write", "--bytes", "16"
    ], capture_output=True, check=False).stdout
]
keys, _ = evaluated({"op": "jax.split", "inputs": {"key": [0, 7]}})
firsts = [
    evaluated({
        "op": "jax.bits", "attributes": {"shape": [1048576, 1048576]}, "inputs": {"key": key},
        "window": [0, 1]
    })[0][0] for key in ([0, 7], keys[0:2], keys[2:4])
]
check(words[0][:12] == struct.pack("<3I", *firsts),
      "the streams of a tree are those of jax.split's keys", (words[0].hex(), firsts))

TARGET = os.path.join(os.path.dirname(ASSAY), "targets", "random123.so")
code, result = verdict("--source", "random123:philox-6", "--bytes", "1048576")
check(code == 1 and result["strongest"]["test"] == "avalanche" and result["bytes"] == 0,
      "the block function of a target is looked at before its stream", result)
ours = verdict("--source", "philox4x32-6", "--bytes", "1048576")[1]
check(all(result["strongest"][k] == ours["strongest"][k] for k in ("what", "observed", "log10_p")),
      "and is the reference's, input by input", (result, ours))
code, result = verdict("--source", "random123:threefry-6", "--bytes", "1048576")
check(code == 1 and result["bytes"] == 0, "so is one of two words with a key of two", result)
code, out, err = audit("--panel", "--shard", "3/300")
check(code == 0 and len(out.splitlines()) == 5 and out.splitlines()[1].startswith("lcg32_halves"),
      "a part of the panel is every N-th generator", out)
code, out, err = audit("--panel", "--shard", "9999/10000")
check(code == 4 and not out, "a part of the panel without a generator is told", err)
for words in ("--source chacha20 --to x", "--source chacha20 --kin bit",
              "--source chacha20 --alpha 0.1", "--source chacha20 --db x", "--history words",
              "--laws words", "--laws --json", "--panel --json", "--panel --source chacha20",
              "--panel --to x", "--panel --night",
              "--source chacha20 --shard 1/2 --to x --window w",
              "--source chacha20 --shard 1/2 --to x --json", "--source chacha20 --write --out x",
              "--source chacha20 --bytes 64MB", "--source chacha20 --bytes 16777216TiB",
              "--source chacha20 --bytes 0", "--source chacha20 --seed 1KiB"):
    code, out, err = audit(*words.split())
    check(code == 2 and not out and not os.path.exists("x"), "refused: " + words, (code, out, err))
code, result = verdict("--source", "chacha20", "--bytes", "1MiB")
check(code == 0 and result["bytes"] == 1 << 20, "sizes may have units", result)
code, out, err = audit("--panel", "--shard", "0/300")
check(code == 2, "a part of the panel that is none is refused", err)
code, out, err = audit("--source", "random123:philox-0")
check(code == 2, "no rounds are refused", err)
SOURCES = ["openvino.random_uniform", "directml.random_generator", "jax.bits"
           ] + (["random123"] if os.path.exists(TARGET) else [])
ours = subprocess.run([ASSAY, "audit", "--source", "philox4x32", "--write", "--bytes", "1000000"],
                      capture_output=True, check=False).stdout
theirs = subprocess.run([ASSAY, "audit", "--source", "random123", "--write", "--bytes", "1000000"],
                        capture_output=True, check=False).stdout
if os.path.exists(TARGET):
    check(
        len(ours) == 1000000 and ours == theirs, "Random123 gives the reference's words",
        (len(ours), len(theirs)))
else:
    skip("Random123 gives the reference's words", "the target is not built")

# The stream of a target is cut into pieces; here the heads of the first two are compared with the
# operation's own answer.
PIECE = 1 << 21
for number in (1, 2):
    bits, _ = evaluated({
        "op": "jax.bits", "attributes": {"shape": [PIECE]}, "inputs": {"key": [9, number]},
        "window": [0, 4]
    })
    got = words_of("reference:jax.bits", 4 * PIECE * number, "--seed",
                   "9")[4 * PIECE * (number - 1):]
    check(got[:16] == struct.pack("<4I", *bits),
          f"piece {number} of a target's jax.bits is the array under key {number}",
          (got[:16].hex(), bits))
fractions, _ = evaluated({
    "op": "numpy.philox_random", "attributes": {"count": 64, "dtype": "f64"},
    "inputs": {"key": [5, 0], "counter": [0, 0, 0, 0]}, "outputs": ["output"]
})
values = [int(struct.unpack("<d", struct.pack("<Q", bits))[0] * 2**53) for bits in fractions]
got = words_of("reference:numpy.philox_random", 256, "--seed", "5")
check(got == packed(values, 53, 256), "doubles of a target give the 53 bits of their grid, packed",
      got[:16].hex())
check(
    subprocess.run([
        ASSAY, "audit", "--source", "reference:philox", "--shard", "1/2", "--to",
        tempfile.mkdtemp(), "--bytes", "8388608"
    ], capture_output=True, check=False).returncode == 0,
    "a counter-based operation of a target has random access: parts of it can be counted")
code, out, err = audit("--source", "reference:nothing")
check(code == 2 and "nothing" in err, "a target's operation that gives no words is refused", err)
code, out, err = audit("--source", "nobody:jax.bits")
check(code == 2 and "nobody" in err, "a target that is not there is refused", err)

# A program of one's own, over the process protocol, whose floats are not on the grid of their law.
with tempfile.TemporaryDirectory() as folder:
    program = process_target.write(os.path.join(folder, "rounded"), ["jax.uniform"], """
def run(request):
    return "output", "f32", [1 << 21], struct.pack("<f", 1.0) * (1 << 21)
""")
    code, out, err = audit("--source", program + ":jax.uniform")
    check(code == 2 and "gave 1; expected" in err,
          "a program's 1.0 ends the audit: its law knows no such value", (code, out, err))

# Another program: draws of Python's own distributions, right ones, a normal law without tails, and
# a shuffle that favours places.
with tempfile.TemporaryDirectory() as folder:
    program = process_target.write(
        os.path.join(folder, "draws"), ["jax.normal", "jax.permutation"], """
import random, statistics
normal = statistics.NormalDist().inv_cdf

def supports(asked):
    dtype = asked.get("attributes", {}).get("dtype", "f32")
    known = asked["op"] in ("jax.normal", "jax.permutation") and dtype == "f32"
    return {"supported": True} if known else {"unsupported": "two operations, in f32"}

def run(request):
    random.seed(1)
    if request["op"] == "jax.normal":
        tail = (1 << 23) >> 11 if "--cut" in sys.argv else 0
        values = [normal((random.randrange(tail, (1 << 23) - tail) + 0.5) / (1 << 23))
                  for _ in range(1 << 18)]
        return "output", "f32", [1 << 18], struct.pack("<%df" % len(values), *values)
    values = []
    for _ in range(1 << 14):
        row = list(range(5))
        for i in range(5):
            j = random.randrange(0 if "--swap-any" in sys.argv else i, 5)
            row[i], row[j] = row[j], row[i]
        values += row
    return "output", "i32", [1 << 14, 5], struct.pack("<%di" % len(values), *values)
""")

    def broken(*arguments):
        code, out, err = audit("--laws", "--source", " ".join((program,) + arguments))
        return code, [line.split()[0]
                      for line in out.splitlines()
                      if "BROKEN" in line], out.splitlines()[-1:], err
    answer = broken()
    check(answer[:3] == (0, [], ["2 judged, 0 broken"]),
          "a program's right draws keep their laws, and what it does not offer is passed over",
          answer)
    answer = broken("--cut")
    check(answer[:2] == (1, ["jax.normal"]), "a normal law without its tails is broken", answer)
    answer = broken("--swap-any")
    check(answer[:2] == (1, ["jax.permutation"]),
          "a shuffle that favours places breaks the law of permutations", answer)

with tempfile.TemporaryDirectory() as folder:
    for kin in "bit", "tree":
        same = ("--source", "philox4x32", "--streams", "8", "--kin", kin, "--bytes", "5242880")
        for part in 1, 2:
            audit(*same, "--shard", f"{part}/2", "--to", os.path.join(folder, kin))
        whole, joined = os.path.join(folder, kin + ".whole"), os.path.join(folder, kin + ".joined")
        audit(*same, "--out", whole)
        subprocess.run([ASSAY, "merge", os.path.join(folder, kin), "--out", joined],
                       capture_output=True, check=False)
        check(os.path.exists(joined) and open(joined, "rb").read() == open(whole, "rb").read(),
              f"streams of kin {kin} are counted in parts as in one")

if os.path.exists(os.path.join(os.path.dirname(ASSAY), "targets", "openvino.so")):
    bits, _ = evaluated({
        "op": "openvino.random_uniform",
        "attributes": {"output_type": "f32", "global_seed": 3, "op_seed": 1},
        "inputs": {"shape": [PIECE], "minval": 0.0, "maxval": 1.0}, "window": [0, 64]
    })
    values = [int(struct.unpack("<f", struct.pack("<I", word))[0] * 2**23) for word in bits]
    got = words_of("openvino:openvino.random_uniform", 128, "--seed", "3")
    check(got == packed(values, 23, 128), "OpenVINO's own words are read", got[:16].hex())
    SOURCES.append("openvino:openvino.random_uniform")

for name in SOURCES:
    code, result = verdict("--source", name, "--bytes", "1048576")
    check(code == 0, f"{name} is clean", result)

finish()
