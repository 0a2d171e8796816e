#!/usr/bin/env python3
"""A process target for assay: @NAME@.

  certify:  assay certify --exec 'python3 @NAME@.py' --suite philox

One function is yours to fill in: compute(). As it stands, the target says of every case that it
does not support it. It is written for the operation `philox` in four words of 32 bits.
assay_target.py, which lies beside this file, speaks with the harness; it needs numpy.
"""

import numpy
from assay_target import Target, Unsupported

DONE = False  # set this to True when compute() is done


def compute(counter, key):
    """One block: four u32 words, of a counter of four and a key of two. Call your library here."""
    return [0, 0, 0, 0]


class Mine(Target):
    name = "@NAME@"
    version = "0"  # your library's
    operations = ["philox"]

    def supports(self, request):
        """Asked about every case before the first is run. A refusal never counts as passed."""
        if not DONE:
            raise Unsupported("compute() is not written yet")
        if request.op != "philox":
            raise Unsupported("this target computes philox only")
        if request.dtypes["counter"] != "u32" or request.shapes["counter"][-1:] != (4,):
            raise Unsupported("four words of 32 bits only")
        if request.dtypes["key"] != "u32" or request.shapes["key"] not in (
            (2,),
            request.shapes["counter"][:-1] + (2,),
        ):
            raise Unsupported("a key of two words of 32 bits only")
        if request.attributes.get("rounds", 10) != 10:
            raise Unsupported("ten rounds only")
        if request.window:
            raise Unsupported("no windows")

    def run(self, request):
        counter, key = request.inputs["counter"], request.inputs["key"]
        keys = numpy.broadcast_to(key, counter.shape[:-1] + (2,)).reshape(-1, 2)
        blocks = [
            compute([int(w) for w in c], [int(w) for w in k])
            for c, k in zip(counter.reshape(-1, 4), keys)
        ]
        return {"output": numpy.array(blocks, dtype=numpy.uint32).reshape(counter.shape)}


Mine().serve()
