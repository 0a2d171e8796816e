# SPDX-License-Identifier: Apache-2.0
"""PyTorch's default generators, of a CPU and of a CUDA device.

A request of torch.cuda_* names the device by its multiprocessors. Another device gives the same
numbers where its grid is the same: small tensors. A generator of CUDA begins at an offset by its
state, seed and offset of eight bytes each.
"""

import numpy
import torch
from assay.target import Unsupported, Window
from torch_arrays import DEVICE, ON_CUDA, to_numpy

OPERATIONS = ["torch.mt19937_rand", "torch.mt19937_randn", "torch.cuda_rand", "torch.cuda_randn",
              "torch.cuda_randint", "torch.cuda_bernoulli", "torch.mt19937_randperm",
              "torch.cuda_randperm"]
BLOCK = 256


def shape_of(request):
    shape = request.attributes.get("shape", request.attributes.get("n", []))
    return shape if isinstance(shape, list) else [shape]


def grid(count, multiprocessors, threads):
    return min(-(-count // BLOCK), multiprocessors * (threads // BLOCK))


def supports(request):
    if ON_CUDA != ("cuda" in request.op):
        raise Unsupported(f"the generator of {DEVICE.type} is another")
    if not ON_CUDA:
        if request.window:
            raise Unsupported("no windows")
        return
    here = torch.cuda.get_device_properties(DEVICE)
    asked = (request.attributes["multiprocessors"],
             request.attributes.get("threads_per_multiprocessor", 2048))
    has = (here.multi_processor_count, here.max_threads_per_multi_processor)
    count = 1
    for size in shape_of(request):
        count *= size
    if grid(count, *asked) != grid(count, *has):
        raise Unsupported(f"this device has {has[0]} multiprocessors of {has[1]} threads")


def generator_of(request):
    seed = int(request.inputs["seed"])
    generator = torch.Generator(DEVICE).manual_seed(seed - 2**64 if seed >= 2**63 else seed)
    if "offset" in request.inputs:
        state = numpy.array([seed, int(request.inputs["offset"])], numpy.uint64)
        generator.set_state(torch.from_numpy(state.view(numpy.uint8)))
    return generator


def run(request, dtypes):
    shape, kind = shape_of(request), request.op.rpartition("_")[2]
    standard = "i64" if kind in ("randint", "randperm") else "f32"
    chosen = {"dtype": dtypes[request.attributes.get("dtype", standard)], "device": DEVICE}
    generator = generator_of(request)
    if kind == "bernoulli":
        drawn = torch.empty(shape, **chosen).bernoulli_(float(request.inputs["p"]),
                                                        generator=generator)
    elif kind == "randint":
        drawn = torch.randint(int(request.inputs["low"]), int(request.inputs["high"]), shape,
                              generator=generator, **chosen)
    elif kind == "randperm":
        drawn = torch.randperm(*shape, generator=generator, **chosen)
    else:
        drawn = getattr(torch, kind)(shape, generator=generator, **chosen)
    if not request.window:
        return to_numpy(drawn)
    first, count = request.window
    return Window(to_numpy(drawn.reshape(-1)[first:first + count]), tuple(drawn.shape))
