# SPDX-License-Identifier: Apache-2.0
"""Refuses what a request for onednn.rnn has and no framework's RNN takes.

A target that dropped such a tensor or attribute would answer another question than it was asked.
What the framework does take, the framework itself must refuse.
"""

from assay.target import Rejected

OF_CELL = {
    "lstm": {"src_iter_c", "weights_peephole", "weights_projection"},
    "augru": {"attention"},
    "lbr_augru": {"attention"},
}
OF_ALL = {"src_layer", "src_iter", "weights_layer", "weights_iter", "bias"}
GRADIENTS = {"diff_dst_layer", "diff_dst_iter"}
SCALES = ("data_scale", "data_shift", "weights_scales", "weights_scales_mask")
SCALES += ("projection_scales", "projection_scales_mask")
# Tensors with parts for each layer and direction, of which an adapter takes one at a time.
STACKED = ("src_iter", "src_iter_c", "weights_layer", "weights_iter")
STACKED += ("weights_peephole", "weights_projection", "bias")


def is_left_over(request):
    """Whether `refuse_what_is_left_over` refuses. Ask this before calling a request unsupported."""
    try:
        refuse_what_is_left_over(request)
    except Rejected:
        return True
    return False


def types_of(request):
    """The types of all tensors of the forward pass, outputs too."""
    dtypes, attributes = request.dtypes, request.attributes
    types = {dtype for name, dtype in dtypes.items() if not name.startswith("diff_")}
    given = {"dst_layer_type", "dst_iter_type"} & set(attributes)
    types |= {attributes[name] for name in given}
    if attributes.get("cell") == "lstm":
        types.add(attributes.get("dst_iter_c_type", dtypes.get("src_iter_c", "f32")))
    return types


def has_other_state_channels(request):
    """Whether a single step takes a state of other channels than the one that it gives."""
    shapes = request.shapes
    inner = shapes.get("weights_projection", shapes["weights_layer"])[-1:]
    recurrent = shapes["weights_iter"][2:3]
    return (shapes["src_layer"][:1] == (1,) and recurrent != inner
            and request.attributes["cell"] in ("vanilla_rnn", "lstm")
            and shapes.get("src_iter", recurrent)[-1:] == recurrent)


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
    if cell != "vanilla_rnn" and attributes.get("alpha", 0):
        raise Rejected(f"{cell} takes no slope")
    if cell != "lstm" and "dst_iter_c_type" in attributes:
        raise Rejected(f"{cell} gives no dst_iter_c, and it can have no type")
    for name in SCALES:
        quantised = request.dtypes["src_layer"] in ("u8", "i8")
        if not quantised and attributes.get(name) not in (None, 0):
            raise Rejected(f"there is no {name} where nothing is quantised")
    directions = 2 if "bidirectional" in attributes.get("direction", "left2right") else 1
    stack = list(request.shapes["weights_layer"][:1]) + [directions]
    for name in STACKED:
        if name in request.shapes and list(request.shapes[name][:2]) != stack:
            raise Rejected(
                f"{stack[0]} layers in {stack[1]} directions take no {name} of shape "
                f"{request.shapes[name]}"
            )
