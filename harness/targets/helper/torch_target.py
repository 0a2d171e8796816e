# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a process target.

Its generators serve the operations torch.*, torch.arange serves openvino.range, its RNN modules
serve onednn.rnn, and its functions the declared operators.
"""

import numpy
import torch
import torch_random
import torch_rnn
from assay.target import Rejected, Target, Unsupported
from torch_arrays import DEVICE, to_numpy
from torch_operators import TORCH

try:
    from torch.func import _random as stateless
except ImportError:
    stateless = None

DTYPES = {
    "u8": torch.uint8,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}


# What torch.arange is implemented for; its arguments are Python numbers, which hold every input
# exactly.
RANGE_DTYPES = {"u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"}


class Torch(Target):
    name = "torch"
    # Of every f32 from 2^-10 to 8 the factor 1 + erf of its GELU is off by up to 7.607e-7
    # (reports/findings/torch-gelu-erf.md).
    model = '{"erf_absolute": 7.7e-7}'
    capabilities = ["states", "window"]
    version = torch.__version__
    operations = [
        "torch.stateless_bits",
        "torch.stateless_uniform",
        *torch_random.OPERATIONS,
        "openvino.range",
        "onednn.rnn",
        *TORCH.rows,
    ]

    def supports(self, request):
        if request.op not in self.operations:
            raise Unsupported(f"PyTorch has no {request.op}")
        if "stateless" in request.op and stateless is None:
            raise Unsupported("this PyTorch has no torch.func._random")
        if request.op in TORCH:
            TORCH.supports(request)
        if request.op == "openvino.range":
            if set(request.shapes) != {"start", "stop", "step"} or any(request.shapes.values()):
                raise Unsupported("torch.arange takes three scalars")
            if request.attributes.get("output_type") not in RANGE_DTYPES:
                raise Unsupported(
                    f"torch.arange is not implemented for {request.attributes.get('output_type')}"
                )
        if request.op in torch_random.OPERATIONS:
            torch_random.supports(request)
        elif request.window:
            raise Unsupported("no windows")
        if request.op == "onednn.rnn":
            torch_rnn.supports(request)

    def run(self, request):
        if request.op in TORCH:
            return TORCH.run(request)
        if request.op == "onednn.rnn":
            return torch_rnn.run(request)
        try:
            if request.op in torch_random.OPERATIONS:
                return {"output": torch_random.run(request, DTYPES)}
            call = getattr(self, "run_" + request.op.split(".")[1])
            return {"output": to_numpy(call(request, torch_random.shape_of(request)))}
        except (RuntimeError, ValueError, TypeError) as error:
            raise Rejected(str(error)) from error

    @staticmethod
    def key(request):
        return torch.from_numpy(request.inputs["key"].astype(numpy.uint64)).to(DEVICE)

    def run_stateless_bits(self, request, shape):
        return stateless.bits(
            self.key(request), *shape, dtype=DTYPES[request.attributes.get("dtype", "u32")]
        )

    def run_stateless_uniform(self, request, shape):
        name = request.attributes.get("dtype", "f32")
        low, high = (request.inputs.get(bound) for bound in ("minval", "maxval"))
        if name in ("i32", "i64"):
            if low >= high:
                raise Rejected("minval must be less than maxval")
            return stateless.randint(
                self.key(request), *shape, low=int(low), high=int(high), dtype=DTYPES[name]
            )
        return stateless.uniform(self.key(request), *shape, low=0.0 if low is None else float(low),
                                 high=1.0 if high is None else float(high), dtype=DTYPES[name])

    @staticmethod
    def run_range(request, _shape):
        start, stop, step = (request.inputs[name].item() for name in ("start", "stop", "step"))
        # By one thread: how many there are decides the last bits (reports/findings/range-torch.md).
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            return torch.arange(start, stop, step, device=DEVICE,
                                dtype=DTYPES[request.attributes["output_type"]])
        finally:
            torch.set_num_threads(threads)
