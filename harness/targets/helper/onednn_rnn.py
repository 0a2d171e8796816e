# SPDX-License-Identifier: Apache-2.0
"""What every framework's RNN has no place for in a request for onednn.rnn.

An adapter that drops a tensor or an attribute answers another question than it was asked: it refuses it in words. What the
framework has a place for is the framework's to refuse.
"""

from assay_target import Rejected

OF_CELL = {"lstm": {"src_iter_c", "weights_peephole", "weights_projection"}, "augru": {"attention"}, "lbr_augru": {"attention"}}
OF_ALL = {"src_layer", "src_iter", "weights_layer", "weights_iter", "bias"}
GRADIENTS = {"diff_dst_layer", "diff_dst_iter"}
SCALES = ("data_scale", "data_shift", "weights_scales", "weights_scales_mask", "projection_scales", "projection_scales_mask")
# Tensors with parts for each layer and direction, of which an adapter takes one at a time.
STACKED = ("src_iter", "src_iter_c", "weights_layer", "weights_iter", "weights_peephole", "weights_projection", "bias")


def is_left_over(request):
    """Whether `refuse_what_is_left_over` refuses: asked before a request is called unsupported for what it has."""
    try:
        refuse_what_is_left_over(request)
    except Rejected:
        return True
    return False


def refuse_what_is_left_over(request):
    attributes, cell = request.attributes, request.attributes["cell"]
    taken = OF_ALL | OF_CELL.get(cell, set())
    if attributes.get("propagation") == "backward":
        taken = taken | {"diff_" + name for name in taken & set(request.shapes)} | GRADIENTS
        taken |= {"diff_dst_iter_c"} if cell == "lstm" else set()
    for name in request.shapes:
        if name not in taken:
            raise Rejected(f"{cell} takes no {name}")
    if cell != "vanilla_rnn" and "activation" in attributes:
        raise Rejected(f"{cell} takes no activation")
    if cell != "lstm" and "dst_iter_c_type" in attributes:
        raise Rejected(f"{cell} gives no dst_iter_c, and it can have no type")
    for name in SCALES:
        if request.dtypes["src_layer"] not in ("u8", "i8") and attributes.get(name) not in (None, 0):
            raise Rejected(f"there is no {name} where nothing is quantised")
    directions = 2 if "bidirectional" in attributes.get("direction", "left2right") else 1
    stack = list(request.shapes["weights_layer"][:1]) + [directions]
    for name in STACKED:
        if name in request.shapes and list(request.shapes[name][:2]) != stack:
            raise Rejected(f"{stack[0]} layers in {stack[1]} directions take no {name} of shape {request.shapes[name]}")
