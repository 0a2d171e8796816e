# SPDX-License-Identifier: Apache-2.0
"""assay audit from outside: sources, verdicts, exit codes, the pipe that is closed early, nights. Prints TAP."""

import json
import os
import random
import struct
import subprocess
import sys
import tempfile

ASSAY = os.environ.get("ASSAY", "build/assay")
count = 0


def check(name, good, detail=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print(f"# {detail}")


def audit(*arguments, data=None):
    done = subprocess.run([ASSAY, "audit", *arguments], input=data, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def verdict(*arguments, data=None):
    code, out, err = audit("--json", *arguments, data=data)
    return (code, json.loads(out)) if out else (code, err)


# MT19937 is Python's own generator; its linear complexity is known to be 19,937.
random.seed(5)
twister = b"".join(struct.pack("<I", random.getrandbits(32)) for _ in range(1 << 18))
good = os.urandom(1 << 22)
flawed = bytearray(os.urandom(1 << 20))
for i in range(0, len(flawed), 4):
    flawed[i] |= 8

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "words.bin")
    with open(path, "wb") as file:
        file.write(twister)
    code, result = verdict("--source", "file:" + path)
    check("Python's Mersenne Twister is flawed by linear complexity", code == 1 and result["strongest"]["test"] == "linear", result)

    code, result = verdict("--source", "stdin", data=bytes(flawed))
    check("a stuck bit on standard input is flawed", code == 1 and result["verdict"] == "flawed", result)

    code, result = verdict("--source", "stdin", "--width", "64", data=good)
    check("the system's random bytes are clean, and the early end is told", code == 0 and result["ended_early"], result)

    code, out, err = audit("--source", "stdin", data=b"short")
    check("a source below one block is an input error", code == 2 and "262144 bytes" in err, err)
    code, out, err = audit("--source", "file:" + os.path.join(folder, "none"))
    check("a missing file is an input error", code == 2 and "none" in err, err)
    code, out, err = audit("--source", "nobody")
    check("an unknown source is an input error", code == 2, err)
    code, out, err = audit("--source", "stdin", "--width", "48")
    check("an unknown width is a usage error", code == 2, err)

    writer = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    reader = subprocess.run([ASSAY, "audit", "--source", "stdin"], stdin=writer.stdout, capture_output=True, check=False)
    writer.stdout.close()
    check("an endless flawed writer is cut off", reader.returncode == 1 and writer.wait(10) != 0)

    done = subprocess.run([ASSAY, "audit", "--source", "philox4x32", "--seed", "0", "--write", "--bytes", "16"], capture_output=True, check=False)
    check("--write gives Philox's published words for the zero key",
          done.stdout == struct.pack("<4I", 0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8), done.stdout.hex())

    a = verdict("--source", "philox4x32", "--bytes", "4194304", "--threads", "1")[1]
    b = verdict("--source", "philox4x32", "--bytes", "4194304", "--threads", "3")[1]
    check("the result does not depend on the number of threads", a["strongest"] == b["strongest"] and a["looks"] == b["looks"], (a, b))

    database = os.path.join(folder, "nights.sqlite")
    codes = [audit("--source", "chacha20", "--night", "--db", database, "--bytes", "1048576")[0] for _ in range(2)]
    code, out, err = audit("--history", "--db", database)
    check("two nights take two ranges", codes == [0, 0] and code == 0 and len(out.splitlines()) == 3 and "1 MiB" in out.splitlines()[2], out)
    code, out, err = audit("--source", "chacha20", "--night", "--db", database, "--alpha", "0.5")
    check("alpha cannot change in the middle of a history", code == 2 and "alpha" in err, err)
    code, out, err = audit("--source", "mt19937", "--night", "--db", database, "--bytes", "1048576")
    check("a flawed night raises the alarm", code == 1 and "ALARM" in out, out)

TARGET = os.path.join(os.path.dirname(ASSAY), "targets", "random123.so")
SOURCES = ["openvino.random_uniform", "directml.random_generator", "jax.bits"] + (["random123"] if os.path.exists(TARGET) else [])
ours = subprocess.run([ASSAY, "audit", "--source", "philox4x32", "--write", "--bytes", "1000000"], capture_output=True, check=False).stdout
theirs = subprocess.run([ASSAY, "audit", "--source", "random123", "--write", "--bytes", "1000000"], capture_output=True, check=False).stdout
if os.path.exists(TARGET):
    check("Random123 gives the reference's words", len(ours) == 1000000 and ours == theirs, (len(ours), len(theirs)))
else:
    count += 1
    print(f"ok {count} - Random123 gives the reference's words # SKIP the target is not built")

for name in SOURCES:
    code, result = verdict("--source", name, "--bytes", "1048576")
    check(f"{name} is clean", code == 0, result)

print(f"1..{count}")
sys.exit(0)
