# SPDX-License-Identifier: Apache-2.0
"""Who else draws from Philox: NumPy beside numpy.*, and the values that the C++ standard states
beside cpp.philox_engine."""

import json
import os
import random
import subprocess

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
REQUESTS = 300
rng = random.Random(464)


def evaluate(requests):
    answers = subprocess.run(
        [ASSAY, "eval", "-"], input=json.dumps({"cases": requests}), capture_output=True, text=True
    )
    return [json.loads(line) for line in answers.stdout.splitlines()]


def words(values, dtype="u64"):
    digits = {"u32": 8, "u64": 16}[dtype]
    return {
        "dtype": dtype,
        "shape": [len(values)],
        "bits": [f"{value:0{digits}x}" for value in values],
    }


def cpp_values():
    """C++26 [rand.predef]: the 10,000th values of default-constructed engines."""
    expected = {"philox4x32": 1955073260, "philox4x64": 3409172418970261260}
    requests = [
        {
            "op": "cpp.philox_engine",
            "attributes": {"engine": engine, "count": count},
            "inputs": {"discard": discard},
        }
        for engine in expected
        for count, discard in ((1, 9999), (10000, 0))
    ]
    got = [int(answer["outputs"]["output"]["bits"][-1], 16) for answer in evaluate(requests)]
    return got == [value for value in expected.values() for _ in range(2)]


def far_words():
    """The last words that a 64-bit discard or offset reaches, and those after them, are blocks that
    the operation philox gives."""
    far, seed = 2**64 - 3, 0x123456789abcdef0
    requests, expected = [], []
    for engine, dtype, key in (
        ("philox4x32", "u32", [seed % 2**32, 0]),
        ("philox4x64", "u64", [seed, 0]),
    ):
        blocks = [far // 4 + i for i in range(3)]
        width = int(dtype[1:])
        counters = [block >> width * word & 2**width - 1 for block in blocks for word in range(4)]
        requests.append(
            {
                "op": "cpp.philox_engine",
                "attributes": {"engine": engine, "count": 8},
                "inputs": {
                    "seed": words([seed], "u64") | {"shape": []},
                    "discard": words([far], "u64") | {"shape": []},
                },
            }
        )
        requests.append(
            {
                "op": "philox",
                "inputs": {
                    "counter": words(counters, dtype) | {"shape": [3, 4]},
                    "key": words(key, dtype),
                },
            }
        )
    # cuRAND: 65,536 subsequences (third word) take turns of four; a round of all of them counts the
    # first two words up.
    lanes = [(at // 2**18, at % 2**18 // 4) for at in range(far - 1, far + 11, 4)]
    counters = [word for turn, lane in lanes for word in (turn % 2**32, turn >> 32, lane, 0)]
    requests.append(
        {
            "op": "curand.philox_bits",
            "attributes": {"count": 2},
            "inputs": {
                "seed": words([seed], "u64") | {"shape": []},
                "offset": words([far], "u64") | {"shape": []},
            },
        }
    )
    requests.append(
        {
            "op": "philox",
            "inputs": {
                "counter": words(counters, "u32") | {"shape": [3, 4]},
                "key": words([seed % 2**32, seed >> 32], "u32"),
            },
        }
    )
    answers = [
        answer.get("outputs", {}).get("output", {}).get("bits", []) for answer in evaluate(requests)
    ]
    return all(
        len(drawn) > 1 and drawn == blocks[far % 4 :][: len(drawn)]
        for drawn, blocks in zip(answers[::2], answers[1::2])
    )


def numpy_requests():
    for _ in range(REQUESTS):
        edge = rng.choice([0, 2**64 - 1, 2**64 - 3, rng.getrandbits(64)])
        counter = [
            edge,
            rng.choice([edge, rng.getrandbits(64)]),
            rng.choice([edge, 7]),
            rng.choice([edge, rng.getrandbits(64)]),
        ]
        inputs = {
            "key": words([rng.getrandbits(64), rng.choice([0, rng.getrandbits(64)])]),
            "counter": words(counter),
        }
        if rng.random() < 0.5:
            yield {
                "op": "numpy.philox",
                "attributes": {"count": rng.randint(1, 40)},
                "inputs": inputs,
            }
        else:
            yield {
                "op": "numpy.philox_random",
                "attributes": {"count": rng.randint(1, 40), "dtype": rng.choice(["f32", "f64"])},
                "inputs": inputs,
            }


def bits_of(array):
    size = array.dtype.itemsize
    return [f"{int(value):0{2 * size}x}" for value in array.view(f"u{size}")]


def numpy_answer(np, request):
    key, counter = (
        [int(bits, 16) for bits in request["inputs"][name]["bits"]] for name in ("key", "counter")
    )
    generator = np.random.Philox(key=np.array(key, np.uint64), counter=np.array(counter, np.uint64))
    count = request["attributes"]["count"]
    if request["op"] == "numpy.philox":
        return {
            "output": bits_of(generator.random_raw(count)),
            "counter": bits_of(generator.state["state"]["counter"]),
        }
    dtype = {"f32": np.float32, "f64": np.float64}[request["attributes"]["dtype"]]
    return {"output": bits_of(np.random.Generator(generator).random(count, dtype))}


def numpy_agrees(np):
    requests = list(numpy_requests())
    wrong = 0
    for request, answer in zip(requests, evaluate(requests), strict=True):
        got = {name: tensor["bits"] for name, tensor in answer["outputs"].items()}
        if got != numpy_answer(np, request):
            wrong += 1
            print("#", request, got)
    return wrong == 0


print("1..3")
failed = 0
good = cpp_values()
failed += not good
print(f"{'ok' if good else 'not ok'} 1 - the 10,000th values of the C++ standard")
good = far_words()
failed += not good
print(
    f"{'ok' if good else 'not ok'} 2 - a discard and an "
    f"offset near 2^64 reach the blocks that they name"
)
try:
    import numpy
    good = numpy_agrees(numpy)
    failed += not good
    print(f"{'ok' if good else 'not ok'} 3 - {REQUESTS} random requests equal NumPy")
except ImportError as missing:
    print(f"ok 3 - random requests equal NumPy # SKIP {missing}")
raise SystemExit(bool(failed))
