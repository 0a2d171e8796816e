# SPDX-License-Identifier: Apache-2.0
"""assay audit --streams from outside: the tool itself never makes two equal streams, and says so
where a source does. Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, "harness/tests")
import process_target  # noqa: E402
from tap import check, finish  # noqa: E402

ASSAY = os.environ.get("ASSAY", "build/assay")
MEBIBYTE = "1048576"


def audit(*arguments):
    done = subprocess.run([ASSAY, "audit", "--threads", "1", *arguments], capture_output=True,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def words_of(source, size, *more):
    done = subprocess.run(
        [ASSAY, "audit", "--source", source, "--write", "--bytes",
         str(size), *more], capture_output=True, check=False)
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "words.bin")
    with open(path, "wb") as file:
        file.write(bytes(1 << 20))
    code, out, err = audit("--source", "file:" + path, "--streams", "2", "--bytes", MEBIBYTE)
    check(code == 2 and "no seed" in err, "a file is one stream", (code, out, err))

# Sources that take 32 bits of a seed have 1 + 32 + 496 seeds that are at most two bits from one of
# them.
for source in "mt19937", "reference:jax.bits", "reference:cpp.philox_engine":
    code, out, err = audit("--source", source, "--streams", "1024", "--kin", "bit", "--bytes",
                           MEBIBYTE)
    check(code == 2 and "529" in err, f"{source} has 529 seeds a bit or two apart, not 1024",
          (code, out, err))
    code, out, err = audit("--source", source, "--kin", "tree", "--streams", "2", "--bytes",
                           MEBIBYTE)
    check(code == 2 and "32 bits" in err, f"a key of a tree does not go into a seed of {source}",
          (code, out, err))
    code, out, err = audit("--source", source, "--seed", str(1 << 32), "--bytes", MEBIBYTE)
    check(code == 2 and "32 bits" in err, f"{source} takes no wider seed", (code, out, err))
for source, streams, bytes_ in (("mt19937", "64", "262144"),
                                ("reference:cpp.philox_engine", "64", MEBIBYTE),
                                ("reference:jax.bits", "64", MEBIBYTE)):
    code, out, err = audit("--source", source, "--streams", streams, "--kin", "bit", "--bytes",
                           bytes_)
    check(code == 0, f"{streams} streams of {source}, seeds a bit apart, are clean",
          (code, out, err))
code, out, err = audit("--source", "mt19937", "--streams", "512", "--kin", "bit", "--bytes",
                       "262144")
check("equal" not in out and code in (0, 1),
      "512 seeds of 32 bits, most two bits apart, give 512 different streams", (code, out, err))

one, two = (words_of("reference:torch.mt19937_rand", 1 << 20, "--seed", seed) for seed in "12")
check(
    len(one) == 1 << 20 and len(two) == 1 << 20
    and not set(one[i:i + 64] for i in range(0, 1 << 20, 64))
    & set(two[i:i + 64] for i in range(0, 1 << 20, 64)), "PyTorch's generator has a seed",
    (one[:8], two[:8]))
code, out, err = audit("--source", "reference:torch.mt19937_rand", "--streams", "2", "--bytes",
                       MEBIBYTE)
check(code == 0, "two streams of it are clean", (code, out, err))

for streams in "4", "128":
    code, out, err = audit("--source", "openvino.random_uniform", "--streams", streams, "--kin",
                           "bit", "--bytes", MEBIBYTE)
    check(code == 0, f"{streams} seeds about the one that OpenVINO refuses are clean",
          (code, out, err))
code, out, err = audit("--source", "openvino.random_uniform", "--seed", "18446744073709551615",
                       "--streams", "4", "--bytes", MEBIBYTE)
check(code == 0, "so they are when counting comes by it", (code, out, err))
code, out, err = audit("--source", "openvino.random_uniform", "--seed", "0", "--bytes", MEBIBYTE)
check(code == 2 and "both 0" in err, "but it is not the first", (code, out, err))
code, out, err = audit("--source", "reference:openvino.random_uniform", "--streams", "64", "--kin",
                       "bit", "--bytes", "262144")
check(code == 0, "all 64 bits of a target's seed can be turned", (code, out, err))

# A generator that takes 16 bits of its seed: stream 17 has bit 16 turned over.
code, out, err = audit("--source", "panel:beside_16_bits", "--streams", "32", "--kin", "bit",
                       "--bytes", MEBIBYTE)
check(code == 1 and "streams 0 and 17 are equal" in out and "after 0 B" in out,
      "equal streams are called equal", (code, out, err))
code, out, err = audit("--source", "panel:beside_16_bits", "--streams", "32", "--kin", "bit",
                       "--bytes", MEBIBYTE, "--json")
check(
    json.loads(out)["strongest"]["test"] == "streams" and json.loads(out)["bytes"] == 0,
    "also in JSON", out)
code, out, err = audit("--source", "panel:beside_16_bits", "--streams", "16", "--kin", "bit",
                       "--bytes", MEBIBYTE)
check(code == 0, "no two of the first 16 are", (code, out, err))

# One stream, of which each seed is a place: the next word, or 1,024 words on.
for name, place in ("beside_offset", 1), ("beside_offset_far_10", 1024):
    code, out, err = audit("--source", f"panel:{name}", "--streams", "16", "--bytes", MEBIBYTE)
    said = (f"streams 0 and 1 overlap: stream 1 begins at word {place} of stream 0, "
            f"and the {4096 - place} words from there on are the same")
    check(code == 1 and said in out and "after 0 B" in out,
          f"streams {place} words apart are said to overlap", (code, out, err))
for streams in "2", "16", "1024":
    code, out, err = audit("--source", "philox4x32", "--streams", streams, "--bytes", "262144")
    check(code == 0, f"{streams} different streams are neither equal nor overlap", (code, out, err))

# A night says it too, and no later night forgets it.
with tempfile.TemporaryDirectory() as folder:
    night = [
        "--streams", "16", "--bytes", "262144", "--night", "--db",
        os.path.join(folder, "nights.sqlite")
    ]
    for name, said in (("beside_odd", "streams 1 and 2 are equal"),
                       ("beside_offset", "streams 0 and 1 overlap")):
        code, out, err = audit("--source", f"panel:{name}", *night)
        check(code == 1 and said in out and "night 1: 0 B" in out and "ALARM" in out,
              f"a night of {name} says so in words", (code, out, err))
        code, out, err = audit("--source", f"panel:{name}", *night, "--json")
        got = json.loads(out)
        check(
            code == 1 and said in got["strongest"]["what"] and got["night"]["number"] == 2
            and got["night"]["alarm"], "the next one as well", out)
    code, out, err = audit("--source", "philox4x32", *night)
    check(code == 0 and "night 1: 256 KiB" in out and "no alarm" in out,
          "a night of different streams is clean", (code, out, err))

# Block functions of 64-bit words, through the requests of two targets.
found = {}
for target in "reference", "random123":
    for name in "philox.u64-5", "threefry.u64-5":
        code, out, err = audit("--source", f"{target}:{name}", "--bytes", "262144", "--json")
        found[target, name] = code == 1 and json.loads(out)["strongest"]
        check(
            code == 1 and json.loads(out)["bytes"] == 0
            and found[target, name]["test"] == "avalanche",
            f"{target}:{name} is flawed before its stream is read", (code, out, err))
check(
    all(found["reference", name] == found["random123", name]
        for name in ("philox.u64-5", "threefry.u64-5")), "by the same bits, whichever target",
    found)
code, out, err = audit("--source", "reference:philox.u64-0")
check(code == 2, "no rounds of them are refused too", err)

# Trees: a target's jax.split, a right one and one that makes keys of 32 bits, and a tree whose keys
# are the seeds.
with tempfile.TemporaryDirectory() as folder:
    program = process_target.write(
        os.path.join(folder, "splitter"), ["jax.split"], """
import hashlib

def run(request):
    count = request["attributes"]["shape"][0]
    inputs = json.dumps(request["inputs"], sort_keys=True).encode()
    data = hashlib.shake_128(inputs).digest(8 * count)
    if "--narrow" in sys.argv:
        data = b"".join(bytes(4) + data[i:i + 4] for i in range(0, len(data), 8))
    return "keys", "u32", [count, 2], data
""")
    code, out, err = audit("--source", program + ":jax.split", "--bytes", "262144")
    check(code == 0, "a program's tree of different keys is clean", (code, out, err))
    code, out, err = audit("--source", program + " --narrow:jax.split", "--bytes", "262144")
    check(code == 1 and "keys of a tree are equal" in out and "after 0 B" in out,
          "keys of 32 bits come again in it", (code, out, err))
code, out, err = audit("--source", "reference:jax.split", "--bytes", "262144", "--json")
check(code == 0, "a target's right split is clean", (code, out, err))

finish()
sys.exit(0)
