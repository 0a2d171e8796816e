import assay
import numpy


def whole(request):
    if any(dtype[0] not in "iu" for dtype in request.dtypes.values()):
        raise assay.Unsupported("whole numbers only")
    if request.attributes.get("output_type", "f")[0] not in "iu":
        raise assay.Unsupported("numpy computes floats by a rule of its own")
    if request.window or len(request.dtypes) < 3:
        raise assay.Unsupported("start, stop and step, and no windows")


@assay.under_test("openvino.range", refusals=(ZeroDivisionError, ValueError), supports=whole)
def arange(request):
    start, stop, step = (int(request.inputs[name]) for name in ("start", "stop", "step"))
    dtype = assay.dtype_named(request.attributes["output_type"])
    return numpy.arange(start, stop, step).astype(dtype)
