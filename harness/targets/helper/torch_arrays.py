# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays as PyTorch's on a device, and back. The device is that of ASSAY_TORCH_DEVICE
(cpu when it is not given); a name of bfloat16 on both sides."""

import os

import numpy
import torch
from assay.target import as_array

DEVICE = torch.device(os.environ.get("ASSAY_TORCH_DEVICE", "cpu"))
ON_CUDA = DEVICE.type == "cuda"
if ON_CUDA and not torch.cuda.is_available():
    raise ImportError("PyTorch finds no CUDA device")


def to_torch(array):
    array = numpy.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.isbuiltin == 2:  # bfloat16 and the 8-bit floats, which torch names alike
        bits = torch.from_numpy(array.view(f"i{array.dtype.itemsize}").copy())
        return bits.view(getattr(torch, array.dtype.name)).to(DEVICE)
    return torch.from_numpy(array.copy()).to(DEVICE)


def to_numpy(tensor):
    return as_array(tensor)


def padded(matrix):
    """With zeros after it, so that its sizes are multiples of 32: more than the kernels of 8-bit
    types want on a device."""
    bits = matrix.view(torch.uint8) if matrix.dtype.itemsize == 1 else matrix
    rows, columns = matrix.shape
    return torch.nn.functional.pad(bits, (0, -columns % 32, 0, -rows % 32)).view(matrix.dtype)
