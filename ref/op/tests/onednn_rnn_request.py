# SPDX-License-Identifier: Apache-2.0
"""Random requests of onednn.rnn, and their numbers: for the tests of this folder."""
import json
import os
import struct
import subprocess
from fractions import Fraction

from onednn_rnn_model import GATES, PARAMETERS, Tensor
from onednn_rnn_numbers import round_fraction

ASSAY = os.path.join(os.environ.get("BUILD", "build"), "assay")
SIZES = {"f32": 4, "bf16": 2, "f16": 2, "u8": 1, "i8": 1}


def to_number(bits, dtype):
    """The exact number of a hexadecimal element."""
    raw = bytes.fromhex(bits)
    if dtype == "f32":
        return Fraction(struct.unpack(">f", raw)[0])
    if dtype == "bf16":
        return Fraction(struct.unpack(">f", raw + b"\0\0")[0])
    if dtype == "f16":
        return Fraction(struct.unpack(">e", raw)[0])
    return Fraction(int.from_bytes(raw, "big", signed=dtype == "i8"))


def to_bits(number, dtype):
    if dtype == "f32":
        return struct.pack(">f", float(number)).hex()
    if dtype == "bf16":
        return struct.pack(">f", float(number)).hex()[:4]
    if dtype == "f16":
        return struct.pack(">e", float(number)).hex()
    return (int(number) % 256).to_bytes(1, "big").hex()


def draw(rng, shape, dtype, scale=1.0):
    count = 1
    for size in shape:
        count *= size
    if dtype in ("u8", "i8"):
        low, high = (0, 255) if dtype == "u8" else (-128, 127)
        data = [Fraction(rng.randint(low, high)) for _ in range(count)]
    else:
        data = [round_fraction(Fraction(rng.uniform(-scale, scale)), dtype) for _ in range(count)]
    return Tensor(shape, data)


class Request:
    """A random request. `inputs`: name -> Tensor of exact numbers; `types`: name -> dtype."""

    def __init__(
        self,
        rng,
        cell,
        direction="left2right",
        propagation="forward_inference",
        dtype="f32",
        **options
    ):
        D = 2 if direction.startswith("bi") else 1
        T, N, L = (options.get(k, rng.randint(1, 3)) for k in "TNL")
        G = GATES[cell]
        SLC, DHC = (options.get(k, rng.randint(1, 4)) for k in ("SLC", "DHC"))
        projected = options.get("projection", False)
        DIC = options.get("DIC", rng.randint(1, 4)) if projected else DHC
        if L > 1:
            SLC = DIC
        SIC = DIC
        if T == 1 and cell in ("lstm", "vanilla_rnn") and rng.random() < 0.3:
            SIC = rng.randint(1, 4)
        quantised = dtype in ("u8", "i8")
        weights = "i8" if quantised else dtype
        wide = rng.choice(["f32", dtype]) if dtype in ("bf16", "f16") else "f32"
        self.attributes = {"cell": cell, "direction": direction, "propagation": propagation}
        if cell == "vanilla_rnn":
            self.attributes["activation"] = options.get("activation") or rng.choice(
                ["relu", "tanh", "logistic"]
            )
            if self.attributes["activation"] == "relu":
                self.attributes["alpha"] = rng.choice([0.0, 0.5, -0.25, 1.0])
        self.inputs, self.types, self.profile = {}, {}, {}
        scale = options.get("scale", 1.0)
        self.add(rng, "src_layer", [T, N, SLC], dtype, scale)
        self.add(rng, "weights_layer", [L, D, SLC, G, DHC], weights, scale)
        self.add(rng, "weights_iter", [L, D, SIC, G, DHC], weights, scale)
        optional = options.get("optional", lambda: rng.random() < 0.6)
        if optional():
            self.add(
                rng,
                "src_iter",
                [L, D, N, SIC],
                rng.choice([dtype, "f32"]) if quantised else dtype,
                scale,
            )
            if cell == "lstm":
                self.add(rng, "src_iter_c", [L, D, N, DHC], "f32" if quantised else wide, scale)
        elif cell == "lstm" and not quantised and rng.random() < 0.5:
            self.attributes["dst_iter_c_type"] = wide
        elif quantised and rng.random() < 0.5:
            self.attributes["dst_iter_type"] = "f32"
        if optional():
            self.add(
                rng,
                "bias",
                [L, D, G + cell.startswith("lbr"), DHC],
                "f32" if quantised else rng.choice(["f32", dtype]),
                scale,
            )
        if cell == "lstm" and not quantised and options.get("peephole", rng.random() < 0.5):
            self.add(rng, "weights_peephole", [L, D, 3, DHC], "f32", scale)
        if projected:
            self.add(rng, "weights_projection", [L, D, DHC, DIC], weights, scale)
        if "augru" in cell:
            self.add(rng, "attention", [T, N, 1], dtype, scale)
        if quantised:
            self.quantise(rng, dtype, G * DHC, DIC, projected)
        if propagation == "backward":
            self.add_backward(
                rng, optional, [T, N, DIC * (2 if direction.endswith("concat") else 1)], DIC, DHC
            )

    def add(self, rng, name, shape, dtype, scale=1.0):
        self.inputs[name], self.types[name] = draw(rng, shape, dtype, scale), dtype

    def quantise(self, rng, dtype, gates, outputs, projected):
        f32 = lambda x: float(round_fraction(Fraction(x), "f32"))
        a = self.attributes
        a["data_scale"] = f32(rng.uniform(20, 130))
        a["data_shift"] = float(rng.randint(0, 160)) if dtype == "u8" else 0.0
        many = rng.random() < 0.5
        a["weights_scales_mask"] = 24 if many else 0
        a["weights_scales"] = [f32(rng.uniform(30, 200)) for _ in range(gates if many else 1)]
        if projected:
            many = rng.random() < 0.5
            a["projection_scales_mask"] = 8 if many else 0
            a["projection_scales"] = [
                f32(rng.uniform(30, 200)) for _ in range(outputs if many else 1)
            ]
        if rng.random() < 0.5:
            a["dst_layer_type"] = "f32"
        if rng.random() < 0.3:
            self.profile = {"int8_bias": "folded", "int8_sum": "corrected"}

    def add_backward(self, rng, optional, dst, DIC, DHC):
        L, D = self.inputs["weights_layer"].shape[:2]
        N = dst[1]
        self.add(rng, "diff_dst_layer", dst, "f32")
        if optional():
            self.add(rng, "diff_dst_iter", [L, D, N, DIC], "f32")
        if optional() and self.attributes["cell"] == "lstm":
            self.add(rng, "diff_dst_iter_c", [L, D, N, DHC], "f32")
        for name in PARAMETERS:
            if name in self.inputs and rng.random() < 0.5:
                self.add(rng, "diff_" + name, self.inputs[name].shape, "f32")
        if rng.random() < 0.3:
            self.attributes["diff_weights_overwrite"] = True

    def document(self):
        inputs = {
            name: {
                "dtype": self.types[name],
                "shape": tensor.shape,
                "bits": [to_bits(k, self.types[name]) for k in tensor.data],
            }
            for name, tensor in self.inputs.items()
        }
        document = {"op": "onednn.rnn", "attributes": self.attributes, "inputs": inputs}
        return dict(document, profile=self.profile) if self.profile else document


def evaluate(documents, *options):
    """The answers of `assay eval`, one for each document."""
    text = "".join("---\n" + json.dumps(d) + "\n" for d in documents)
    out = subprocess.run(
        [ASSAY, "eval", *options, "-"], input=text, capture_output=True, text=True, check=False
    )
    assert out.returncode in (0, 2), out.stderr
    return [json.loads(line) for line in out.stdout.splitlines()]


def numbers(answer, output, key="bits"):
    tensor = answer["outputs"][output]
    return [to_number(b, tensor["dtype"]) for b in tensor[key]]
