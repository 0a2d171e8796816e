# SPDX-License-Identifier: Apache-2.0
"""What PyTorch's generators draw: beside numbers that people printed on NVIDIA's devices, and a
second model, in NumPy, that goes thread by thread as the kernels do."""

import json
import math
import os
import subprocess

import numpy

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
WORD = numpy.uint64(0xFFFFFFFF)
KINDS = {"f16": numpy.uint16, "bf16": numpy.uint16, "f32": numpy.float32, "f64": numpy.float64,
         "u32": numpy.uint32, "i32": numpy.int32, "i64": numpy.int64, "u8": numpy.uint8}


def evaluate(requests, *more):
    done = subprocess.run([ASSAY, "eval", *more, "-"], input=json.dumps({"cases": requests}),
                          capture_output=True, text=True)
    return [json.loads(line)["outputs"] for line in done.stdout.splitlines()]


def array(tensor, name="bits"):
    kind = numpy.dtype(KINDS[tensor["dtype"]])
    words = numpy.array([int(word, 16) for word in tensor[name]], f"u{kind.itemsize}").view(kind)
    if tensor["dtype"] == "f16":
        return words.view(numpy.float16)
    return (words.astype(numpy.uint32) << 16).view(numpy.float32) \
        if tensor["dtype"] == "bf16" else words


def ask(op, shape, seed=0, window=None, multiprocessors=132, threads=2048, offset=0, dtype=None,
        **inputs):
    attributes = {"shape": shape}
    if "cuda" in op:
        attributes |= {"multiprocessors": multiprocessors, "threads_per_multiprocessor": threads}
        inputs["offset"] = offset
    if dtype:
        attributes["dtype"] = dtype
    request = {"op": op, "attributes": attributes, "inputs": {"seed": seed, **inputs}}
    return request | ({"window": window} if window else {})


def drawn(*requests):
    return [array(outputs["output"]) for outputs in evaluate(list(requests))]


# ---- printed on devices ------------------------------------------------------

# torch.manual_seed(seed); torch.rand(n, device="cuda"): the first is of a test of TensorRT-LLM
# (ReDrafter, test_unpack_gen_data). randn with seed 42 begins like an example of FlashInfer.
RAND = {0: [0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096, 0.1183,
            0.0752, 0.4092, 0.9601, 0.2093, 0.1940, 0.8909, 0.4387, 0.3570, 0.5454, 0.8299, 0.2099,
            0.7684, 0.4290, 0.2117, 0.6606, 0.1654, 0.4250, 0.9927, 0.6964, 0.2472, 0.7028, 0.7494,
            0.9303, 0.0494, 0.0750],
        42: [0.6130, 0.0101, 0.3984, 0.0403, 0.1563, 0.4825, 0.7362, 0.4060, 0.5189, 0.2867, 0.2416,
             0.9228]}
RANDN = {0: [-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284, -1.0745,
             -0.3631, -1.6711, 2.2655, 0.3117, -0.1842, 1.2866, 1.1820],
         42: [0.1940, 2.1614, -0.1721, 0.8491, -1.9244, 0.6530, -0.6494, -0.8175, 0.5280, -1.2753,
              -1.6621, -0.3033, -0.0926, 0.1992, -1.1204, 1.8577, -0.7145, 0.6881, 0.7968]}
# The first tutorial of Triton: the sum of two calls of torch.rand(98432), seed 0, its first three
# and last three elements, as its documents and three other people print them. None names a device:
# the grids are those of devices that there are, and one in ten thousand would fit by chance.
HEAD = [1.3713, 1.3076, 0.4940]
TAILS = [(108, 2048, [0.6724, 1.2141, 0.9733]),  # any device of 98,432 threads, an A100 say
         (40, 1024, [0.4024, 1.7918, 1.0686]),   # a T4 has this grid
         (58, 1536, [0.9360, 1.3598, 0.3215]),   # an L4
         (68, 1024, [1.1495, 0.9265, 1.1323])]   # an RTX 2080 Ti


def near(got, printed):
    return numpy.abs(got.astype(float) - printed).max() <= 0.00005001


def rand_is_printed():
    return all(near(got, printed) for got, printed in zip(
        drawn(*(ask("torch.cuda_rand", [len(RAND[seed])], seed) for seed in RAND)), RAND.values()))


def randn_is_printed():
    return all(near(got, printed) for got, printed in zip(
        drawn(*(ask("torch.cuda_randn", [len(RANDN[seed])], seed) for seed in RANDN)),
        RANDN.values()))


def tails_are_printed():
    count, requests = 98432, []
    for multiprocessors, threads, _ in TAILS:
        grid = 256 * min(-(-count // 256), multiprocessors * (threads // 256))
        for offset in (0, 4 * -(-count // (4 * grid))):
            for window in ([0, 3], [count - 3, 3]):
                requests.append(ask("torch.cuda_rand", [count], 0, window, multiprocessors, threads,
                                    offset))
    got = drawn(*requests)
    return all(near(got[i] + got[i + 2], HEAD) and near(got[i + 1] + got[i + 3], tail)
               for i, (*_, tail) in zip(range(0, len(got), 4), TAILS))


# ---- thread by thread --------------------------------------------------------


def philox(block, thread, seed):
    block, thread = numpy.uint64(block), thread.astype(numpy.uint64)
    c = [block & WORD + thread * 0, (block >> numpy.uint64(32)) + thread * 0, thread & WORD,
         thread >> numpy.uint64(32)]
    key = [numpy.uint64(seed & 0xFFFFFFFF), numpy.uint64(seed >> 32)]
    for _ in range(10):
        low, high = numpy.uint64(0xD2511F53) * c[0], numpy.uint64(0xCD9E8D57) * c[2]
        c = [(high >> numpy.uint64(32)) ^ c[1] ^ key[0], high & WORD,
             (low >> numpy.uint64(32)) ^ c[3] ^ key[1], low & WORD]
        key = [key[0] + numpy.uint64(0x9E3779B9) & WORD, key[1] + numpy.uint64(0xBB67AE85) & WORD]
    return c


def kernel(count, seed, offset, multiprocessors, threads, each, transform):
    """Every thread walks over its elements, as in ATen's kernel."""
    grid = 256 * min(-(-count // 256), multiprocessors * (threads // 256))
    thread, out = numpy.arange(grid), numpy.zeros(count)
    for turn in range(-(-count // (grid * each))):
        values = transform(philox(offset // 4 + turn, thread, seed))
        for place in range(each):
            at = turn * grid * each + place * grid + thread
            out[at[at < count]] = values[place][at < count]
    return out


def uniform_f32(words):
    return [word.astype(numpy.float32) * numpy.float32(2**-32) + numpy.float32(2**-33)
            for word in words]


def mixed(low, high):
    return (low ^ high << numpy.uint64(21)).astype(float)


def uniform_f64(words):
    return [mixed(*words[:2]) * 2.0**-53 + 2.0**-54, mixed(*words[2:]) * 2.0**-53 + 2.0**-54]


def normal_f32(words):
    u, out = uniform_f32(words), []
    for x, word in ((u[0], words[1]), (u[2], words[3])):
        angle = (word.astype(float) + 0.5) * (2 * numpy.pi * 2.0**-32)
        length = numpy.sqrt(-2 * numpy.log(x.astype(float)))
        out += [length * numpy.sin(angle), length * numpy.cos(angle)]
    return out


def normal_f64(words):
    angle = numpy.pi * (mixed(*words[2:]) * 2.0**-52 + 2.0**-53)
    length = numpy.sqrt(-2 * numpy.log(uniform_f64(words)[0]))
    return [length * numpy.sin(angle), length * numpy.cos(angle)]


DEVICES = [(1, 256), (3, 1024), (2, 1536)]
SEED, OFFSET = 0x123456789ABCDEF0, 4 * (2**32 + 5)


def both(op, dtype, each, transform, count, **inputs):
    for multiprocessors, threads in DEVICES:
        [got] = drawn(ask(op, [count], SEED, None, multiprocessors, threads, OFFSET, dtype,
                          **inputs))
        yield got, kernel(count, SEED, OFFSET, multiprocessors, threads, each, transform)


def rand_goes_thread_by_thread():
    return all((got == expected).all()
               for dtype, each, transform in (("f32", 4, uniform_f32), ("f64", 2, uniform_f64))
               for got, expected in both("torch.cuda_rand", dtype, each, transform, 5000))


def half_becomes_zero():
    """Of f16 and bf16 the f32 is rounded, and what becomes 1 becomes 0."""
    requests = [ask("torch.cuda_rand", [20000], 7, dtype=dtype)
                for dtype in ("f32", "f16", "bf16")]
    single, half, brain = drawn(*requests)
    bits = single.view(numpy.uint32)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).view(numpy.float32)
    halves = single.astype(numpy.float16)
    return (halves == 1).any() and (rounded == 1).any() and \
        (half == numpy.where(halves == 1, 0, halves)).all() and \
        (brain == numpy.where(rounded == 1, 0, rounded)).all()


def randn_goes_thread_by_thread():
    return all(numpy.abs(got - expected).max() < bound
               for dtype, each, transform, bound in (("f32", 4, normal_f32, 1e-5),
                                                     ("f64", 2, normal_f64, 1e-13))
               for got, expected in both("torch.cuda_randn", dtype, each, transform, 5000))


def integers_go_thread_by_thread():
    def narrow(words):
        return [word % numpy.uint64(1000) - 7.0 for word in words]

    def wide(words):
        return [((words[i] << numpy.uint64(32) | words[i + 1]) % numpy.uint64(2**28)).astype(float)
                for i in (0, 2)]

    def hit(words):
        return [(value < numpy.float32(0.3)).astype(float) for value in uniform_f32(words)]

    return all((got == expected).all() for pairs in (
        both("torch.cuda_randint", "i32", 4, narrow, 3000, low=-7, high=993),
        both("torch.cuda_randint", "i64", 2, wide, 3000, low=0, high=2**28),
        both("torch.cuda_bernoulli", "f32", 4, hit, 3000, p=0.3)) for got, expected in pairs)


# Of a permutation: sizes and seeds whose keys have islands, the last of three places.
ISLANDS = [(2, 89), (600, 15), (4, 2962)]


def key_bits(count):
    return math.ceil(math.log2(count - (6 * count**2 + 1) / (12 * math.log(0.9))))


def fisher_yates(island, words):
    for last in range(len(island) - 1, 0, -1):
        other = int(words[len(island) - 1 - last]) % (last + 1)
        island[last], island[other] = island[other], island[last]


def permutation(count, seed, offset, multiprocessors, threads):
    """Keys element by element, NumPy's stable sort, then each island by its own subsequence."""
    bits = key_bits(count)
    grid = 256 * min(-(-count // 256), multiprocessors * (threads // 256))
    element = numpy.arange(count)
    words = [philox(offset // 4 + turn, numpy.arange(grid), seed)
             for turn in range(-(-count // (2 * grid)))]
    halves = [numpy.concatenate([numpy.concatenate([turn[i], turn[i + 2]]) for turn in words])
              for i in (0, 1)]
    keys = (halves[0] << numpy.uint64(32) | halves[1])[element]
    keys = keys % numpy.uint64(2**(32 if bits <= 32 else 64) - 1) & numpy.uint64(2**bits - 1)
    order = numpy.argsort(keys, kind="stable")
    ranks, out, islands = keys[order].tolist(), order.tolist(), []
    for first in range(count):
        if first + 1 < count and ranks[first] == ranks[first + 1] and \
                (first == 0 or ranks[first - 1] != ranks[first]):
            size = ranks.count(ranks[first])
            blocks = [philox(offset // 4 + len(words) + i, numpy.array([first]), seed)
                      for i in range(size // 4 + 1)]
            island = out[first:first + size]
            fisher_yates(island, [word[0] for block in blocks for word in block])
            out[first:first + size] = island
            islands.append(size)
    return out, islands


def permutations_go_thread_by_thread():
    asked = [(count, seed, offset, *device) for count, seed, offset in (
        (1, 1, 0), (257, SEED, OFFSET), (5000, 7, 4), (21273, 3, 0), (30083, 3, 0),
        (30084, 3, 0)) for device in DEVICES]
    asked += [(count, seed, 0, 132, 2048) for count, seed in ISLANDS]
    got = drawn(*({"op": "torch.cuda_randperm", "inputs": {"seed": seed, "offset": offset},
                   "attributes": {"n": count, "multiprocessors": multiprocessors,
                                  "threads_per_multiprocessor": threads}}
                  for count, seed, offset, multiprocessors, threads in asked))
    expected = [permutation(*which) for which in asked]
    return all(values.tolist() == out for values, (out, _) in zip(got, expected)) and \
        all(islands for _, islands in expected[-len(ISLANDS):]) and expected[-1][1] == [3]


# ---- on a CPU ----------------------------------------------------------------


def twister(seed, count):
    generator = numpy.random.MT19937()
    generator._legacy_seeding(seed)
    return generator.random_raw(count).astype(numpy.uint64)


def randn_on_a_cpu(seed, count, dtype):
    words = twister(seed, 4 * count + 64)
    pairs = ((words[::2] << numpy.uint64(32) | words[1::2]) & numpy.uint64(2**53 - 1)) * 2.0**-53
    if count < 16:
        angle, length = 2 * numpy.pi * pairs[::2], numpy.sqrt(-2 * numpy.log1p(-pairs[1::2]))
        return numpy.stack([length * numpy.cos(angle), length * numpy.sin(angle)],
                           1).reshape(-1)[:count]
    draws = pairs if dtype == "f64" else (words & numpy.uint64(2**24 - 1)) * 2.0**-24

    def block(at):
        length = numpy.sqrt(-2 * numpy.log(1 - draws[at:at + 8]))
        angle = 2 * numpy.pi * draws[at + 8:at + 16]
        return numpy.concatenate([length * numpy.cos(angle), length * numpy.sin(angle)])

    whole = count // 16 * 16
    out = numpy.concatenate([block(at) for at in range(0, whole, 16)] + [numpy.zeros(count % 16)])
    if count % 16:
        out[-16:] = block(whole if "16" in dtype else count)
    return out


def cpu_agrees():
    bounds = {"f64": 1e-13, "f32": 2e-6, "f16": 3e-3, "bf16": 2e-2}
    asked = [(seed, count, dtype) for seed in (0, 42, 4294967295) for dtype in bounds
             for count in (1, 15, 16, 17, 31, 32, 47, 100)]
    got = drawn(*(ask("torch.mt19937_randn", [count], seed, dtype=dtype)
                  for seed, count, dtype in asked))
    return all(numpy.abs(values - randn_on_a_cpu(*which)).max() < bounds[which[2]]
               for values, which in zip(got, asked))


def cpu_permutes():
    asked = [(seed, count) for seed in (0, 42, 4294967295) for count in (0, 1, 2, 10, 700)]
    got = drawn(*({"op": "torch.mt19937_randperm", "attributes": {"n": count},
                   "inputs": {"seed": seed}} for seed, count in asked))
    for values, (seed, count) in zip(got, asked):
        left, words = list(range(count)), twister(seed, count + 1)
        for i in range(count - 1):
            other = i + int(words[i]) % (count - i)
            left[i], left[other] = left[other], left[i]
        if values.tolist() != left:
            return False
    return True


def bounds_hold():
    """What is computed lies within its bounds, and a bound is a thousandth of a value at most."""
    requests = [ask(op, [300], 5, dtype=dtype)
                for op in ("torch.cuda_randn", "torch.mt19937_randn") for dtype in ("f32", "f64")]
    for values, bounds in zip(evaluate(requests), evaluate(requests, "--bounds")):
        value, lower, upper = (array(values["output"]), array(bounds["output"], "lower"),
                               array(bounds["output"], "upper"))
        if not ((lower <= value) & (value <= upper) & (upper - lower < 1e-4)).all():
            return False
    return True


TESTS = [
    ("rand is what devices printed", rand_is_printed),
    ("randn is what devices printed", randn_is_printed),
    ("four grids end otherwise, as printed", tails_are_printed),
    ("rand goes thread by thread", rand_goes_thread_by_thread),
    ("a 1 of 16 bits becomes a 0", half_becomes_zero),
    ("randn goes thread by thread", randn_goes_thread_by_thread),
    ("randint and bernoulli go thread by thread", integers_go_thread_by_thread),
    ("permutations go key by key, and islands by their first places",
     permutations_go_thread_by_thread),
    ("randn on a CPU: few, blocks and a tail", cpu_agrees),
    ("randperm on a CPU changes place after place", cpu_permutes),
    ("values lie within their bounds", bounds_hold),
]

print(f"1..{len(TESTS)}")
failed = 0
for number, (name, test) in enumerate(TESTS, 1):
    good = test()
    failed += not good
    print(f"{'ok' if good else 'not ok'} {number} - {name}")
raise SystemExit(bool(failed))
