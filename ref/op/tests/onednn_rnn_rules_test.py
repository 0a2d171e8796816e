# SPDX-License-Identifier: Apache-2.0
"""onednn.rnn refuses what breaks a rule and names the rule; takes what is only a library's limit;
zero sizes."""

import copy
import json
import sys

sys.path.insert(0, "harness/tests")
from tap import finish, report  # noqa: E402

from onednn_rnn_request import evaluate

GATES = {"vanilla_rnn": 1, "lstm": 4, "gru": 3, "lbr_gru": 3, "augru": 3, "lbr_augru": 3}


def tensor(shape, dtype="f32"):
    count = 1
    for size in shape:
        count *= size
    digits = {"f32": 8, "bf16": 4, "f16": 4, "u8": 2, "i8": 2, "i32": 8}[dtype]
    return {"dtype": dtype, "shape": shape, "bits": ["0" * digits] * count}


def request(cell="lstm", T=2, N=3, L=1, D=1, SLC=4, SIC=None, DHC=5, dtype="f32", **more):
    G, weights = GATES[cell], "i8" if dtype in ("u8", "i8") else dtype
    SIC = SIC or DHC
    attributes = {"cell": cell}
    if D == 2:
        attributes["direction"] = "bidirectional_concat"
    if cell == "vanilla_rnn":
        attributes["activation"] = "tanh"
    if dtype in ("u8", "i8"):
        attributes.update(data_scale=64, data_shift=1)
    inputs = {
        "src_layer": tensor([T, N, SLC], dtype),
        "weights_layer": tensor([L, D, SLC, G, DHC], weights),
        "weights_iter": tensor([L, D, SIC, G, DHC], weights),
    }
    if "augru" in cell:
        inputs["attention"] = tensor([T, N, 1], dtype)
    for key, value in more.items():
        (attributes if not isinstance(value, dict) else inputs)[key] = value
    inputs = {k: v for k, v in inputs.items() if v != {}}
    return {
        "op": "onednn.rnn",
        "attributes": {k: v for k, v in attributes.items() if v is not None},
        "inputs": inputs,
    }


BACK = {"propagation": "backward", "diff_dst_layer": tensor([2, 3, 5])}
REFUSED = [
    ("G of the cell", request("gru", weights_layer=tensor([1, 1, 4, 4, 5])), "weights_layer"),
    ("rank of src_layer", request(src_layer=tensor([2, 3])), "rank 3"),
    ("SLC", request(weights_layer=tensor([1, 1, 3, 4, 5])), "SLC"),
    ("D of the direction", request(direction="bidirectional_sum"), "D = 2"),
    ("SLC = DIC with layers", request(L=2), "L > 1"),
    ("SLC = DIC with layers of two directions", request(L=2, D=2, SLC=10), "L > 1"),
    ("SIC = DIC with time", request(SIC=3), "T = 1"),
    ("SIC = DHC of a GRU", request("gru", T=1, SIC=3), "SIC"),
    ("bias rows of a GRU", request("gru", bias=tensor([1, 1, 4, 5])), "L,D,G,DHC"),
    (
        "bias rows of a linear-before-reset GRU",
        request("lbr_gru", bias=tensor([1, 1, 3, 5])),
        "G+1",
    ),
    ("shape of src_iter", request("gru", src_iter=tensor([1, 1, 2, 5])), "L,D,N,SIC"),
    ("src_iter without src_iter_c", request(src_iter=tensor([1, 1, 3, 5])), "both or neither"),
    ("src_iter_c without src_iter", request(src_iter_c=tensor([1, 1, 3, 5])), "both or neither"),
    ("src_iter_c of a GRU", request("gru", src_iter_c=tensor([1, 1, 3, 5])), "only lstm"),
    ("peephole of a GRU", request("gru", weights_peephole=tensor([1, 1, 3, 5])), "only lstm"),
    ("projection of a GRU", request("gru", weights_projection=tensor([1, 1, 5, 5])), "only lstm"),
    ("peephole rows", request(weights_peephole=tensor([1, 1, 4, 5])), "L,D,3,DHC"),
    ("the format of no projection", request(projection_format="ldio"), "which is absent"),
    ("views in any format", request(views="all", weights_layer_format="any"), "library chooses"),
    ("views of no attention", request(views="attention"), "does not have"),
    ("views of no parameters", request(views="parameters"), "does not have"),
    ("projection rows", request(weights_projection=tensor([1, 1, 4, 5])), "L,D,DHC,DIC"),
    ("attention missing", request("augru", attention={}), "needs attention"),
    ("attention of a GRU", request("gru", attention=tensor([2, 3, 1])), "no attention"),
    ("attention of the shape [T,N]", request("augru", attention=tensor([2, 3])), "T,N,1"),
    ("activation missing", request("vanilla_rnn", activation=None), "activation"),
    ("activation of an LSTM", request(activation="tanh"), "activation"),
    ("a slope of an LSTM", request(alpha=0.5), "only relu"),
    ("a slope of tanh", request("vanilla_rnn", alpha=0.5), "only relu"),
    *[(f"a slope of {alpha}", request("vanilla_rnn", activation="relu", alpha=alpha), "finite")
      for alpha in ("nan", "inf", "-inf")],
    ("no channels", request(SLC=0), "at least 1"),
    ("no layers", request(L=0), "at least 1"),
    ("types mixed", request(src_layer=tensor([2, 3, 4], "bf16")), "weights_layer"),
    ("an integer src_layer", request(src_layer=tensor([2, 3, 4], "i32")), "src_layer"),
    ("dst_layer_type", request(dst_layer_type="bf16"), "dst_layer_type"),
    (
        "dst_iter_type unlike src_iter",
        request("gru", dtype="u8", src_iter=tensor([1, 1, 3, 5], "u8"), dst_iter_type="f32"),
        "src_iter",
    ),
    (
        "dst_iter_c_type unlike src_iter_c",
        request(
            dtype="bf16",
            src_iter=tensor([1, 1, 3, 5], "bf16"),
            src_iter_c=tensor([1, 1, 3, 5], "bf16"),
            dst_iter_c_type="f32",
        ),
        "src_iter_c",
    ),
    ("dst_iter_c_type of a GRU", request("gru", dst_iter_c_type="f32"), "lstm"),
    ("quantised without data_scale", request(dtype="u8", data_scale=None), "data_scale"),
    ("quantised without data_shift", request(dtype="u8", data_shift=None), "data_shift"),
    ("scales of f32 data", request(data_scale=3.0), "u8 or i8"),
    (
        "scales for the mask 24",
        request(dtype="u8", weights_scales_mask=24, weights_scales=[1.0, 2.0]),
        "20",
    ),
    ("scales for the mask 0", request(dtype="u8", weights_scales=[1.0, 2.0]), "1"),
    ("an unknown mask", request(dtype="u8", weights_scales_mask=8, weights_scales=[1.0]), "24"),
    ("a scale of zero", request(dtype="u8", weights_scales=[0.0]), "above 0"),
    ("quantised linear-before-reset GRU", request("lbr_gru", dtype="u8"), "lstm and gru"),
    ("quantised GRU of i8 data", request("gru", dtype="i8"), "lstm alone"),
    ("quantised peephole", request(dtype="u8", weights_peephole=tensor([1, 1, 3, 5])), "peephole"),
    (
        "quantised training",
        request(dtype="u8", propagation="forward_training"),
        "forward_inference",
    ),
    ("backward without diff_dst_layer", request(propagation="backward"), "diff_dst_layer"),
    ("diff_dst_layer of a forward request", request(diff_dst_layer=tensor([2, 3, 5])), "backward"),
    ("diff_dst_layer's channels with concat", request(D=2, **BACK), "2*DIC"),
    (
        "a 16-bit gradient",
        request(dtype="bf16", propagation="backward", diff_dst_layer=tensor([2, 3, 5], "bf16")),
        "f32",
    ),
    ("diff_bias without bias", request(**BACK, diff_bias=tensor([1, 1, 4, 5])), "absent"),
    ("dst_iter_c of a GRU", dict(request("gru"), outputs=["dst_iter_c"]), "dst_iter_c"),
    (
        "diff_bias of a forward request",
        dict(request(bias=tensor([1, 1, 4, 5])), outputs=["dst_layer", "diff_bias"]),
        "diff_bias, which this request does not have",
    ),
]
TAKEN = [
    ("a negative slope", request("vanilla_rnn", activation="relu", alpha=-0.5)),
    ("a slope of 0 where there is none", request(alpha=0)),
    ("attention with layers and directions", request("augru", L=2, D=2, SLC=5)),
    ("16-bit projection", request(dtype="bf16", weights_projection=tensor([1, 1, 5, 5], "bf16"))),
    ("f16 gradients", request(dtype="f16", **BACK)),
    ("other channels of src_iter at T = 1", request(T=1, SIC=3)),
    (
        "one scale for a projection",
        request(dtype="i8", weights_projection=tensor([1, 1, 5, 2], "i8"), SIC=2),
    ),
]


def zero_sizes():
    """T = 0 passes states on; gradients of parameters keep their contents, or are cleared when they
    overwrite."""
    some = lambda shape, start: {
        "dtype": "f32",
        "shape": shape,
        "data": [start + k for k in range(shape[-1] * shape[-2])],
    }
    forward = request(T=0, src_iter=some([1, 1, 3, 5], 1.0), src_iter_c=some([1, 1, 3, 5], 40.0))
    backward = request(
        T=0,
        src_iter=some([1, 1, 3, 5], 1.0),
        src_iter_c=some([1, 1, 3, 5], 40.0),
        bias=tensor([1, 1, 4, 5]),
        propagation="backward",
        diff_dst_layer=tensor([0, 3, 5]),
        diff_dst_iter=some([1, 1, 3, 5], 3.0),
        diff_dst_iter_c=some([1, 1, 3, 5], 70.0),
        diff_bias=some([1, 1, 4, 5], 9.0),
    )
    overwrite = copy.deepcopy(backward)
    overwrite["attributes"]["diff_weights_overwrite"] = True
    empty = request(N=0)
    given = {
        "src_iter": "3f800000",
        "src_iter_c": "42200000",
        "diff_dst_iter": "40400000",
        "diff_dst_iter_c": "428c0000",
    }
    a, b, c, d = (r["outputs"] for r in evaluate([forward, backward, overwrite, empty]))
    if (
        a["dst_layer"]["bits"]
        or a["dst_iter"]["bits"][0] != given["src_iter"]
        or a["dst_iter_c"]["bits"][0] != given["src_iter_c"]
    ):
        return a
    if (
        b["diff_src_iter"]["bits"][0] != given["diff_dst_iter"]
        or b["diff_src_iter_c"]["bits"][0] != given["diff_dst_iter_c"]
    ):
        return b
    if (
        b["diff_bias"]["bits"][0] != "41100000"
        or set(c["diff_bias"]["bits"]) != {"00000000"}
        or b["diff_src_layer"]["bits"]
    ):
        return b, c
    return (
        None
        if d["dst_iter"]["shape"] == [1, 1, 0, 5] and d["dst_layer"]["shape"] == [2, 0, 5]
        else d
    )


def main():
    answers = evaluate([r for _, r, _ in REFUSED])
    for (name, _, words), answer in zip(REFUSED, answers):
        error = answer.get("error", {"code": "none", "message": "answered"})
        report(
            f"refused: {name}",
            (
                None
                if error["code"] == "invalid_argument" and words in error["message"]
                else json.dumps(error)
            ),
        )
    for (name, _), answer in zip(TAKEN, evaluate([r for _, r in TAKEN])):
        report(f"taken: {name}", json.dumps(answer["error"]) if "error" in answer else None)
    report("zero sizes pass states and contents on", zero_sizes())
    finish()


main()
