# SPDX-License-Identifier: Apache-2.0
"""NumPy's arrays as PyTorch's on a device, and back. The device is that of ASSAY_TORCH_DEVICE
(cpu when it is not given); a name of bfloat16 on both sides."""

import os

import numpy
import torch
from assay.target import BFLOAT16

DEVICE = torch.device(os.environ.get("ASSAY_TORCH_DEVICE", "cpu"))
ON_CUDA = DEVICE.type == "cuda"
if ON_CUDA and not torch.cuda.is_available():
    raise ImportError("PyTorch finds no CUDA device")


def to_torch(array):
    array = numpy.ascontiguousarray(array).reshape(array.shape)
    if array.dtype == BFLOAT16:
        return torch.from_numpy(array.view(numpy.int16).copy()).view(torch.bfloat16).to(DEVICE)
    return torch.from_numpy(array.copy()).to(DEVICE)


def to_numpy(tensor):
    tensor = tensor.detach().contiguous().cpu()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(BFLOAT16)
    return tensor.numpy()
