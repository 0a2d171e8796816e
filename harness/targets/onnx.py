# SPDX-License-Identifier: Apache-2.0
"""The reference evaluator of the package onnx, for operators of ONNX."""

import os
import sys

# This file is named like the package that it imports, so its own folder must not be searched.
sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helper")

try:
    import onnx  # noqa: E402
    from assay_target import Rejected, Unsupported, serve  # noqa: E402
    from onnx.reference import ReferenceEvaluator  # noqa: E402
    from onnx_node import OPERATORS, OUTPUTS, make_model  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))


class Onnx:
    name = "onnx"
    version = onnx.__version__
    operations = list(OPERATORS)

    @staticmethod
    def supports(request):
        if request.op not in OPERATORS:
            raise Unsupported(f"this target has no {request.op}")
        if request.window:
            raise Unsupported("no windows")
        if request.op in OUTPUTS and set(request.dtypes.values()) & {"f16", "bf16"}:
            raise Unsupported("sums are rounded to 16 bits on their way: no model declares that")
        model, _ = make_model(request)
        try:
            ReferenceEvaluator(model)
        except NotImplementedError as why:
            raise Unsupported(str(why)[:300]) from why
        except (ValueError, TypeError, IndexError, RuntimeError, KeyError, AttributeError):
            pass  # the request is wrong, which its run will say

    @staticmethod
    def run(request):
        try:
            model, wanted = make_model(request)
            found = ReferenceEvaluator(model).run(wanted, dict(request.inputs))
        except (ValueError, TypeError, IndexError, RuntimeError, KeyError, AttributeError) as why:
            raise Rejected(f"{type(why).__name__}: {why}") from why
        return dict(zip(wanted, found))


serve(Onnx())
