# SPDX-License-Identifier: Apache-2.0
"""randomgen's Philox and Threefry, in two or four words of 32 or 64 bits, as a process target."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]

import numpy  # noqa: E402
import randomgen  # noqa: E402
from assay.target import Rejected, Target, Unsupported  # noqa: E402

FAMILIES = {"philox": (randomgen.Philox, 10), "threefry": (randomgen.ThreeFry, 20)}


def decrement(words, width):
    """The counter before `words` (lowest word first), as one integer: what randomgen takes."""
    value = sum(int(word) << (width * i) for i, word in enumerate(words))
    return (value - 1) % (1 << (width * len(words)))


# So many consecutive counters, or more, are one generator's work: one for each would take seconds.
LONG = 4096


def consecutive(counters):
    """Whether each counter is its predecessor plus one, without a carry out of the lowest word."""
    low = counters[:, 0].astype(numpy.uint64)
    return bool((numpy.diff(low) == 1).all() and (counters[:, 1:] == counters[0, 1:]).all())


class RandomGen(Target):
    name = "randomgen"
    version = randomgen.__version__
    operations = ["philox", "threefry"]

    def supports(self, request):
        if request.op not in FAMILIES:
            raise Unsupported(f"randomgen has no {request.op}")
        rounds = FAMILIES[request.op][1]
        if request.attributes.get("rounds", rounds) != rounds:
            raise Unsupported(f"randomgen has {rounds} rounds only")
        if request.window:
            raise Unsupported("no windows")
        if (
            any(dtype not in ("u32", "u64") for dtype in request.dtypes.values())
            or len(set(request.dtypes.values())) != 1
        ):
            raise Unsupported(
                "counter and key go over as Python integers of one width: "
                "other types cannot be handed over"
            )
        counter, key = request.shapes["counter"], request.shapes["key"]
        if not counter or not key or counter[-1] == 0:
            raise Unsupported("without words there is nothing to hand over")
        key_words = counter[-1] // 2 if request.op == "philox" else counter[-1]
        if counter[-1] in (2, 4) and key not in ((key_words,), counter[:-1] + (key_words,)):
            raise Unsupported(
                "one generator takes one counter and one key: "
                "keys that do not fit cannot be handed over"
            )

    def run(self, request):
        family = FAMILIES[request.op][0]
        counter, key = request.inputs["counter"], request.inputs["key"]
        words, width = counter.shape[-1], 8 * counter.dtype.itemsize
        key_words = words // 2 if request.op == "philox" else words
        if words not in (2, 4):
            try:
                family(counter=0, key=0, number=words, width=width)
            except ValueError as error:
                raise Rejected(str(error)) from error
        keys = numpy.broadcast_to(key, counter.shape[:-1] + (key_words,)).reshape(-1, key_words)
        output = numpy.empty(counter.shape, dtype=counter.dtype)
        rows, at_rows = output.reshape(-1, words), counter.reshape(-1, words)
        if len(rows) >= LONG and (keys == keys[0]).all() and consecutive(at_rows):
            whole = sum(int(word) << (width * i) for i, word in enumerate(keys[0]))
            generator = family(
                counter=decrement(at_rows[0], width), key=whole, number=words, width=width
            )
            rows[:] = (
                numpy.asarray(generator.random_raw(rows.size))
                .reshape(rows.shape)
                .astype(counter.dtype)
            )
            return {"output": output}
        for row, at, key_row in zip(rows, at_rows, keys):
            whole = sum(int(word) << (width * i) for i, word in enumerate(key_row))
            # The generator counts before it encrypts.
            generator = family(counter=decrement(at, width), key=whole, number=words, width=width)
            row[:] = numpy.asarray(generator.random_raw(words)).astype(counter.dtype)
        return {"output": output}


RandomGen().serve()
