# SPDX-License-Identifier: Apache-2.0
"""NumPy: its Philox bit generator and floats, numpy.arange for integral outputs, and the declared
operators that it has."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]

import numpy  # noqa: E402
from assay.target import DTYPES, Rejected, Target, Unsupported, Window  # noqa: E402
from numpy_operators import NUMPY  # noqa: E402

WORDS_MASK = (1 << 64) - 1


def to_integer(words):
    """A counter of 64-bit words, lowest first, as one integer."""
    return sum(int(word) << (64 * i) for i, word in enumerate(words))


def to_words(value, count):
    return numpy.array([(value >> (64 * i)) & WORDS_MASK for i in range(count)], dtype=numpy.uint64)


class NumPy(Target):
    name = "numpy"
    version = numpy.__version__
    operations = ["numpy.philox", "numpy.philox_random", "numpy.random_state_randn",
                  "philox", "openvino.range", *NUMPY.rows]
    capabilities = ["window"]

    def supports(self, request):
        if request.op in NUMPY:
            NUMPY.supports(request)
            return
        if request.op == "philox":
            if request.dtypes["counter"] != "u64" or request.shapes["counter"][-1:] != (4,):
                raise Unsupported("NumPy has Philox in four words of 64 bits only")
            if request.dtypes["key"] != "u64" or request.shapes["key"] not in (
                (2,),
                request.shapes["counter"][:-1] + (2,),
            ):
                raise Unsupported("one generator takes one counter and one key of two words")
            if request.attributes.get("rounds", 10) != 10:
                raise Unsupported("NumPy has ten rounds only")
        elif request.op == "openvino.range":
            if set(request.dtypes) != {"start", "stop", "step"}:
                raise Unsupported("numpy.arange is called with start, stop and step here")
            if "output_type" not in request.attributes:
                raise Unsupported("numpy.arange chooses a type where none is named")
            if request.attributes["output_type"][0] not in "iu":
                raise Unsupported(
                    "numpy.arange computes floats by a rule of its own: "
                    "start + i * (second - first)"
                )
            if any(dtype[0] not in "iu" for dtype in request.dtypes.values()):
                raise Unsupported(
                    "numpy.arange counts in the type of its arguments, not in that of the output"
                )
        elif request.op not in self.operations:
            raise Unsupported(f"NumPy has no {request.op}")

    def run(self, request):
        if request.op in NUMPY:
            return NUMPY.run(request)
        return getattr(self, "run_" + request.op.replace(".", "_"))(request)

    @staticmethod
    def run_philox(request):
        counter, key = request.inputs["counter"], request.inputs["key"]
        keys = numpy.broadcast_to(key, counter.shape[:-1] + (2,)).reshape(-1, 2)
        output = numpy.empty(counter.shape, dtype=numpy.uint64)
        for row, words, key_words in zip(output.reshape(-1, 4), counter.reshape(-1, 4), keys):
            # The generator counts before it encrypts.
            before = to_words((to_integer(words) - 1) % (1 << 256), 4)
            row[:] = numpy.random.Philox(counter=before, key=key_words.copy()).random_raw(4)
        if request.window:
            first, count = request.window
            output = Window(output.reshape(-1)[first:first + count], counter.shape)
        return {"output": output}

    @staticmethod
    def generator(request):
        return numpy.random.Philox(
            counter=request.inputs["counter"].copy(), key=request.inputs["key"].copy()
        )

    @staticmethod
    def draw(request, generator, draw, per_block):
        """What `draw` draws; of a window, the blocks before and after it are passed over."""
        total = request.attributes["count"]
        if not request.window:
            return draw(total)
        first, count = request.window
        generator.advance(first // per_block)
        elements = draw(first % per_block + count)[first % per_block:]
        generator.advance(-(-total // per_block) + -(first + count) // per_block)
        return Window(elements, (total,))

    def run_numpy_philox(self, request):
        generator = self.generator(request)
        output = self.draw(request, generator, generator.random_raw, 4)
        outputs = {"output": output, "counter": generator.state["state"]["counter"]}
        return {name: outputs[name] for name in request.outputs or outputs}

    @staticmethod
    def run_numpy_random_state_randn(request):
        seed, count = int(request.inputs["seed"].reshape(())), request.attributes["count"]
        try:
            output = numpy.random.RandomState(seed).randn(count)
        except ValueError as error:
            raise Rejected(str(error)) from error
        if request.window:
            first, size = request.window
            output = Window(output[first:first + size], (count,))
        return {"output": output}

    def run_numpy_philox_random(self, request):
        dtype = DTYPES[request.attributes.get("dtype", "f64")]
        random = numpy.random.Generator(self.generator(request))
        return {
            "output": self.draw(
                request,
                random.bit_generator,
                lambda count: random.random(count, dtype=dtype),
                4 * 8 // dtype.itemsize,
            )
        }

    @staticmethod
    def run_openvino_range(request):
        start, stop, step = (
            int(request.inputs[name].reshape(())) for name in ("start", "stop", "step")
        )
        if step == 0:
            raise Rejected("step is zero")
        whole = len(range(start, stop, step))
        if request.window:
            first, count = request.window
            start, stop = start + first * step, start + (first + count) * step
        try:
            counted = numpy.arange(start, stop, step).astype(
                DTYPES[request.attributes["output_type"]]
            )
        except (ValueError, OverflowError) as error:
            raise Rejected(str(error)) from error
        return {"output": Window(counted, (whole,)) if request.window else counted}


NumPy().serve()
