# SPDX-License-Identifier: Apache-2.0
"""What of PyTorch looks at windows and channels: convolution, pooling, normalization."""

import torch
from operators import NARROW, Row, shape_of

functional = torch.nn.functional


def sides(attributes, rank):
    """The padding of each axis where both sides have the same, or None."""
    pads = attributes.pads or [0] * (2 * rank)
    return pads[:rank] if pads[:rank] == pads[rank:] else None


def sizes(attributes, rank):
    return {"stride": attributes.strides or [1] * rank, "padding": sides(attributes, rank),
            "dilation": attributes.dilations or [1] * rank}


def one_padding(attributes, shapes, _types):
    rank = len(shape_of(shapes, "X")) - 2
    if attributes.auto_pad not in (None, "NOTSET", "VALID"):
        return "padding is given by numbers"
    if sides(attributes, rank) is None:
        return "both sides have the same padding"
    return None


def convolves(attributes, shapes, types):
    kernel = shape_of(shapes, "W")[2:]
    if attributes.kernel_shape and tuple(attributes.kernel_shape) != kernel:
        return "a kernel has the shape of W"
    return one_padding(attributes, shapes, types)


def pools(dilated, ranks=(1, 2, 3)):
    def only(attributes, shapes, types):
        kernel = attributes.kernel_shape
        if len(kernel) not in ranks:
            return f"no pooling over {len(kernel)} axes"
        why = one_padding(attributes, shapes, types)
        if why:
            return why
        if any(2 * pad > size for pad, size in zip(sides(attributes, len(kernel)), kernel)):
            return "padding is half a kernel at most"
        if not dilated and set(attributes.dilations or [1]) != {1}:
            return "no dilations"
        return None
    return only


def squares_unpadded(attributes, shapes, types):
    if attributes.p != 2:
        return "sums powers of x, not of its magnitude"
    if any(attributes.pads or [0]):
        return "no padding"
    return pools(False)(attributes, shapes, types)


def conv(a, X, W, B=None):
    rank = W.dim() - 2
    return getattr(functional, f"conv{rank}d")(X, W, B, groups=a.group, **sizes(a, rank))


def max_pool(a, X):
    rank = len(a.kernel_shape)
    return getattr(functional, f"max_pool{rank}d")(X, a.kernel_shape, ceil_mode=bool(a.ceil_mode),
                                                   **sizes(a, rank))


def average_pool(a, X):
    rank = len(a.kernel_shape)
    return getattr(functional, f"avg_pool{rank}d")(
        X, a.kernel_shape, a.strides or [1] * rank, sides(a, rank), bool(a.ceil_mode),
        bool(a.count_include_pad))


def lp_pool(a, X):
    rank, kernel = len(a.kernel_shape), a.kernel_shape
    return getattr(functional, f"lp_pool{rank}d")(
        X, float(a.p), kernel[0] if rank == 1 else kernel, a.strides or [1] * rank,
        bool(a.ceil_mode))


def over_all(name):
    return lambda _, X: getattr(functional, f"adaptive_{name}_pool{X.dim() - 2}d")(X, 1)


def of_windows(_attributes, shapes, _types):
    return None if len(shapes["X"]) > 2 else "axes beside batch and channels"


def odd_size(attributes, _shapes, _types):
    return None if attributes.size % 2 else "the window of an even size lies elsewhere"


def batch_normalization(a, X, scale, B, input_mean, input_var):
    return functional.batch_norm(X, input_mean, input_var, scale, B, bool(a.training_mode),
                                 1 - a.momentum, a.epsilon)


def conv_batch_normalization(a, X, W, bias, scale, B, input_mean, input_var):
    return functional.batch_norm(conv(a, X, W, bias), input_mean, input_var, scale, B,
                                 eps=a.epsilon)


def of_one_type(_attributes, _shapes, types):
    return None if len(set(types.values())) == 1 else "all inputs have one type"


def more_than_one(_attributes, shapes, _types):
    shape = shapes["input"]
    count = 1
    for size in shape[2:]:
        count *= size
    return None if count > 1 else "more than one element of a channel"


def in_f32(attributes, _shapes, _types):
    return None if attributes.stash_type in (None, 1, "f32") else "the moments are in f32 or wider"


ROWS = {
    "onnx.conv": Row(conv, only=convolves),
    "onnx.conv_relu": Row(lambda a, X, W, B: torch.relu(conv(a, X, W, B)), only=convolves),
    "onnx.conv_batch_normalization": Row(conv_batch_normalization, only=convolves),
    "onnx.max_pool": Row(max_pool, only=pools(True)),
    "onnx.average_pool": Row(average_pool, only=pools(False)),
    "onnx.lp_pool": Row(lp_pool, only=squares_unpadded, stepwise=NARROW),
    "onnx.global_average_pool": Row(over_all("avg"), only=of_windows),
    "onnx.global_max_pool": Row(over_all("max"), only=of_windows),
    "onnx.global_lp_pool": Row(
        lambda a, X: torch.linalg.vector_norm(X, a.p, tuple(range(2, X.dim())), True),
        only=of_windows),
    "onnx.lrn": Row(lambda a, X: functional.local_response_norm(X, a.size, a.alpha, a.beta, a.bias),
                    only=odd_size, stepwise=NARROW),
    "onnx.batch_normalization": Row(batch_normalization, only=of_one_type),
    "onnx.instance_normalization": Row(
        lambda a, input, scale, B: functional.instance_norm(input, None, None, scale, B,
                                                            eps=a.epsilon), only=more_than_one),
    "onnx.group_normalization": Row(
        lambda a, X, scale, bias: functional.group_norm(X, a.num_groups, scale, bias, a.epsilon),
        only=in_f32),
}
