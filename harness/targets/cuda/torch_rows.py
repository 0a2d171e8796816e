# SPDX-License-Identifier: Apache-2.0
"""PyTorch for record.py, a class for each row of rows.py: the same target as torch, under the
settings that decide which kernels a device takes. Each declares the evaluation model that its
kernels are documented to have."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helper"))

import torch  # noqa: E402
from assay.target import Unsupported  # noqa: E402
from driver import with_driver  # noqa: E402
from torch.nn.attention import SDPBackend, sdpa_kernel  # noqa: E402
from torch_arrays import DEVICE, ON_CUDA  # noqa: E402
from torch_target import Torch  # noqa: E402


def machine():
    here = torch.cuda.get_device_properties(DEVICE)
    return {"processor": with_driver(
        f"{here.name}, {here.multi_processor_count} multiprocessors, "
        f"compute capability {here.major}.{here.minor}")}


MACHINE = machine() if ON_CUDA else {}
MATMUL = torch.backends.cuda.matmul
# Tensor cores cut off as they add, and align several terms before.
ON_TENSOR_CORES = {"additions": "truncated"} if ON_CUDA else None


class Row(Torch):
    name = "torch_cuda" if ON_CUDA else "torch"
    types = frozenset()  # of inputs, where not all are taken
    tf32 = False

    def __init__(self):
        self.version = torch.__version__
        if ON_CUDA:
            self.version += f", CUDA {torch.version.cuda}, cuDNN {torch.backends.cudnn.version()}"
        MATMUL.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.tf32
        MATMUL.allow_fp16_reduced_precision_reduction = False
        MATMUL.allow_bf16_reduced_precision_reduction = False

    def supports(self, request):
        if self.types and not set(request.dtypes.values()) <= self.types:
            raise Unsupported(f"this row takes {', '.join(sorted(self.types))}")
        super().supports(request)


class Draws(Row):
    pass


class Products(Row):
    types = frozenset({"f32", "f64"})


class ProductsTf32(Row):
    types, tf32 = frozenset({"f32"}), True
    model = {"dot": "tf32_tf32_f32", "additions": "truncated"} if ON_CUDA else None


class ProductsNarrow(Row):
    types = frozenset({"f16", "bf16"})
    model = ON_TENSOR_CORES


class Functions(Row):
    """Softmax, normalisations, activations, sums."""


class Recurrent(Row):
    """LSTM, GRU and RNN: on a device cuDNN's."""


class Attention(Row):
    kernel = SDPBackend.MATH
    model = ON_TENSOR_CORES

    def supports(self, request):
        super().supports(request)
        # Which tensors a kernel takes follows from their shapes and types: tried with zeros.
        request.inputs = {name: self.zeros(request, name) for name in request.shapes}
        with sdpa_kernel(self.kernel):
            try:
                super().run(request)
            except Exception as why:  # noqa: BLE001 whatever it says, `run` says it again
                if "backend" in str(why) or "kernel" in str(why):
                    raise Unsupported(f"no {self.kernel.name} for this request") from why

    @staticmethod
    def zeros(request, name):
        import numpy
        from assay.target import dtype_named

        return numpy.zeros(request.shapes[name], dtype_named(request.dtypes[name]))

    def run(self, request):
        with sdpa_kernel(self.kernel):
            return super().run(request)


class AttentionFlash(Attention):
    kernel = SDPBackend.FLASH_ATTENTION


class AttentionEfficient(Attention):
    kernel = SDPBackend.EFFICIENT_ATTENTION


class AttentionCudnn(Attention):
    kernel = SDPBackend.CUDNN_ATTENTION
