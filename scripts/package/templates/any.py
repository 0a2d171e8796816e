#!/usr/bin/env python3
"""A process target for assay: @NAME@, for the operation @OPERATION@.

  certify:  assay certify --exec 'python3 @NAME@.py' @SUITE@

One function is yours to fill in: compute(). As it stands, the target says of every case that it
does not support it. assay_target.py, which lies beside this file, speaks with the harness; it needs
numpy.
"""

from assay_target import Target, Unsupported

DONE = False  # set this to True when compute() is done


def compute(attributes, inputs):
    """The outputs by name (@OUTPUTS@), as arrays. Inputs are arrays: @INPUTS@. Call your library
    here; raise assay_target.Rejected where it refuses the request as invalid."""
@ATTRIBUTES@
    return {}


class Mine(Target):
    name = "@NAME@"
    version = "0"  # your library's
    operations = ["@OPERATION@"]

    def supports(self, request):
        """Asked about every case before the first is run. A refusal never counts as passed."""
        if not DONE:
            raise Unsupported("compute() is not written yet")
        if request.op != "@OPERATION@":
            raise Unsupported("this target computes @OPERATION@ only")
        if request.window:
            raise Unsupported("no windows")

    def run(self, request):
        return compute(request.attributes, request.inputs)


Mine().serve()
