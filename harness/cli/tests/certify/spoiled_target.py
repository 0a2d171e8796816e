# SPDX-License-Identifier: Apache-2.0
"""A process target for tests: it answers as `assay eval` does, but under the profile
SPOILED_PROFILE where the first element of diff_dst_layer is near SPOILED_INPUT ("any": everywhere):
it goes wrong in one step of a case that is chosen for it. SPOILED_STATES: it declares that it gives
dst_layer beside gradients, and with "wrong" moves one element of it. SPOILED_GRADIENT: it moves one
element of diff_weights_iter by so much.
"""
import json
import os
import struct
import sys

sys.path.insert(0, "harness/tests")
from process_target import evaluate, in_file, inline, serve  # noqa: E402

INLINE_MAX = 64


def is_spoilt(request):
    x, near = request["inputs"].get("diff_dst_layer"), os.environ.get("SPOILED_INPUT", "none")
    if near in ("any", "none") or not x:
        return near == "any"
    return abs(struct.unpack(">f", bytes.fromhex(x["bits"][0]))[0] - float(near)) < 1e-6


def move(tensor, by):
    """Adds to the first element."""
    if tensor and by:
        tensor["bits"][0] = struct.pack(
            ">f",
            struct.unpack(">f", bytes.fromhex(tensor["bits"][0]))[0] + by).hex()


def run(request):
    request["inputs"] = {name: inline(tensor) for name, tensor in request["inputs"].items()}
    if is_spoilt(request):
        request["profile"] = json.loads(os.environ["SPOILED_PROFILE"])
    answer = evaluate(request)
    outputs = answer.get("outputs", {})
    if os.environ.get("SPOILED_STATES") == "wrong":
        move(outputs.get("dst_layer"), 0.01)
    move(outputs.get("diff_weights_iter"), float(os.environ.get("SPOILED_GRADIENT", "0")))
    for name, tensor in outputs.items():
        if len(tensor["bits"]) > INLINE_MAX:
            data = b"".join(bytes.fromhex(k)[::-1] for k in tensor["bits"])
            outputs[name] = in_file(name, tensor["dtype"], tensor["shape"], data)
    return answer


HELLO = {"name": "spoiled", "version": "1", "operations": ["onednn.rnn"]}
serve(dict(HELLO, capabilities=["states"]) if "SPOILED_STATES" in os.environ else HELLO, run)
