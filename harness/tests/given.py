# SPDX-License-Identifier: Apache-2.0
"""What tests give to assay: a folder's files, a pair of keys, a flawed plugin, the head of a small
suite of philox, a quantised LSTM; and one case certified through a process target."""
import json
import os
import struct
import subprocess

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
# Philox as its authors wrote it down, for the one function of a new target, in C and in Python.
PHILOX_C = """
    uint32_t c[4], k[2] = {key[0], key[1]};
    memcpy(c, counter, sizeof c);
    for (int round = 0; round < 10; round++) {
        const uint64_t a = 0xD2511F53u * (uint64_t)c[0], b = 0xCD9E8D57u * (uint64_t)c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof c);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    memcpy(output, c, sizeof c);
"""
PHILOX_PYTHON = """
    c, k, mask = counter, key, 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & mask, a >> 32 ^ c[3] ^ k[1], a & mask]
        k = [k[0] + 0x9E3779B9 & mask, k[1] + 0xBB67AE85 & mask]
    return c
"""


def files(folder, mode=0o644):
    """A function that names a file of the folder and, given a text, writes it."""
    def at(name, text=None):
        path = os.path.join(folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, mode)
        return path
    return at


def keys(folder, name="key"):
    """A pair of Ed25519 keys, NAME.pem and NAME.pub; their paths."""
    secret, public = (os.path.join(folder, name + ending) for ending in (".pem", ".pub"))
    for words in (["genpkey", "-algorithm", "ed25519", "-out", secret],
                  ["pkey", "-in", secret, "-pubout", "-out", public]):
        subprocess.run(["openssl", *words], capture_output=True, check=True)
    return secret, public


def late_element(path, *words):
    """The finished compiler: at `path` the reference's plugin with another lowest bit in some
    elements, as the macros in `words` say (harness/cli/tests/late_element.c)."""
    build = os.path.abspath(os.path.dirname(ASSAY))
    return subprocess.run(
        [os.environ.get("CC", "cc"), "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-I.",
         f'-DREFERENCE="{build}/targets/reference.so"', *words, "-o", path,
         "harness/cli/tests/late_element.c", "-ldl", "-lm"],
        capture_output=True, text=True, check=False)


def safetensors(**tensors):
    """The bytes of a file of vectors, each given as ("f", values) for f32 or ("I", values) for
    u32."""
    header, data = {}, b""
    for name, (kind, values) in tensors.items():
        end = len(data) + 4 * len(values)
        header[name] = {"dtype": {"f": "F32", "I": "U32"}[kind], "shape": [len(values)],
                        "data_offsets": [len(data), end]}
        data += struct.pack(f"<{len(values)}{kind}", *values)
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def small_suite(requirement, version="1.0.0", descending="deviant"):
    """The suite `small` up to its cases, which cover the requirement with philox."""
    return f"""suite: small
version: {version}
specification: {{title: Philox}}
requirements:
  {requirement}: {{text: a block}}
choices:
  key_schedule: {{default: weyl, deviant: [constant, swapped_constants]}}
  multipliers: {{default: published, deviant: [swapped]}}
  word_order: {{default: ascending, {descending}: [descending]}}
  rounds: {{default: asked, deviant: ["7", "8", "9", "10", "11"]}}
cases:
"""


def blocks(*numbers):
    """Cases of such a suite, block-N for each number, which cover its requirement R1."""
    return f"""  - id: block-{{n}}
    matrix: {{n: {list(numbers)}}}
    op: philox
    covers: [R1]
    attributes: {{words: 4, width: 32, rounds: 10}}
    inputs:
      counter: {{data: [1, 2, 3, $n], dtype: u32}}
      key: {{data: [5, 6], dtype: u32}}
"""


def quantised_lstm(times, direction="left2right"):
    """The request of a case: an LSTM of u8 over 4 rows and 4 channels, one layer."""
    stacks = 2 if direction.startswith("bidirectional") else 1
    weights = f"{{fill: cycle, dtype: i8, shape: [1, {stacks}, 4, 4, 4], values:"
    return f"""    op: onednn.rnn
    attributes: {{cell: lstm, direction: {direction}, data_scale: 60.5, data_shift: 100.0,
      weights_scales: [96.5], weights_scales_mask: 0}}
    inputs:
      src_layer: {{fill: cycle, dtype: u8, shape: [{times}, 4, 4],
        values: [3, 90, 250, 17, 128, 64, 201]}}
      weights_layer: {weights} [17, -90, 33, 120, -61]}}
      weights_iter: {weights} [-33, 71, 5, -127, 99, 12]}}
      bias: {{fill: grid, dtype: f32, shape: [1, {stacks}, 4, 4], bits: 8}}
"""


def certify_case(program, suite, case, answer, *options):
    """The finished process, and the record of the case; the program finds `answer` as ANSWER."""
    out = program + ".jsonl"
    done = subprocess.run(
        [ASSAY, "certify", "--exec", program, "--suite", suite, "--case", case, "--out", out,
         *options], capture_output=True, text=True, check=False,
        env=dict(os.environ, ANSWER=answer))
    with open(out, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return done, next((r for r in records if r["record"] == "case"), {})
