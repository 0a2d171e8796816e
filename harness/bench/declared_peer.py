# SPDX-License-Identifier: Apache-2.0
"""The peer of a row of declared operators, on one thread: PyTorch, or NumPy where that is absent.

usage: declared_peer.py softmax|layer_normalization|gelu|attention SIZE... writes its name; then
each byte that it reads is one call, answered by a byte.
"""
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


def softmax_of_numpy(x):
    e = numpy.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_of_numpy(x, scale, shift):
    d = x - x.mean(-1, keepdims=True)
    variance = (d * d).mean(-1, keepdims=True)
    return d / numpy.sqrt(variance + numpy.float32(1e-5)) * scale + shift


def gelu_of_numpy(x):
    inner = numpy.float32(0.7978845608) * (x + numpy.float32(0.044715) * x * x * x)
    return numpy.float32(0.5) * x * (1 + numpy.tanh(inner))


def attention_of_numpy(q, k, v):
    return softmax_of_numpy(q @ k.swapaxes(-1, -2) / numpy.sqrt(q.shape[-1])) @ v


NUMPY = {"softmax": softmax_of_numpy, "layer_normalization": layer_of_numpy,
         "gelu_tanh": gelu_of_numpy, "attention": attention_of_numpy}
if torch:
    functional = torch.nn.functional
    TORCH = {
        "softmax": lambda x: torch.softmax(x, -1),
        "layer_normalization": lambda x, s, b: functional.layer_norm(x, x.shape[-1:], s, b),
        "gelu": functional.gelu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
        "attention": functional.scaled_dot_product_attention,
    }


def main():
    which, shape = sys.argv[1], [int(n) for n in sys.argv[2:]]
    draw = numpy.random.default_rng(1)
    shapes = {"layer_normalization": [shape, shape[-1:], shape[-1:]], "attention": [shape] * 3}
    inputs = [draw.uniform(-4, 4, s).astype(numpy.float32) for s in shapes.get(which, [shape])]
    call = (TORCH if torch else NUMPY).get(which)
    if not call:
        return 1
    name = f"NumPy {numpy.__version__}"
    if torch:
        torch.set_num_threads(1)
        name, inputs = f"PyTorch {torch.__version__}", [torch.from_numpy(x) for x in inputs]
    call(*inputs)
    print(name, flush=True)
    while os.read(0, 1):
        call(*inputs)
        os.write(1, b".")
    return 0


if __name__ == "__main__":
    sys.exit(main())
