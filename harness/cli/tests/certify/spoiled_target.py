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
import subprocess
import sys

ASSAY = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "assay")
SIZES = {"f32": 4, "bf16": 2, "f16": 2}
INLINE_MAX = 64


def inline(tensor, directory):
    """The tensor with its bits in the line."""
    if "file" not in tensor:
        return tensor
    with open(os.path.join(directory, tensor["file"]), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin, end = header[tensor["tensor"]]["data_offsets"]
        file.seek(begin, os.SEEK_CUR)
        data = file.read(end - begin)
    size = SIZES[tensor["dtype"]]
    return {"dtype": tensor["dtype"], "shape": tensor["shape"],
            "bits": [data[i:i + size][::-1].hex() for i in range(0, len(data), size)]}


def in_file(name, tensor, directory, serial):
    """The tensor in a file of its own where it is too large for the line."""
    if len(tensor["bits"]) <= INLINE_MAX:
        return tensor
    data = b"".join(bytes.fromhex(k)[::-1] for k in tensor["bits"])
    file = f"out-{serial}-{name}.safetensors"
    header = json.dumps({name: {"dtype": tensor["dtype"].upper(), "shape": tensor["shape"],
                                "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    with open(os.path.join(directory, file), "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header + data)
    return {"dtype": tensor["dtype"], "shape": tensor["shape"], "file": file, "tensor": name}


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


def run(request, directory):
    serial = request.pop("id")
    request["inputs"] = {
        name: inline(tensor, directory) for name, tensor in request["inputs"].items()
    }
    if is_spoilt(request):
        request["profile"] = json.loads(os.environ["SPOILED_PROFILE"])
    done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(request), capture_output=True,
                          text=True, check=False)
    answer = json.loads(done.stdout)
    if "error" in answer:
        return {"rejected": answer["error"]["message"]}
    if os.environ.get("SPOILED_STATES") == "wrong":
        move(answer["outputs"].get("dst_layer"), 0.01)
    move(answer["outputs"].get("diff_weights_iter"), float(os.environ.get("SPOILED_GRADIENT", "0")))
    return {
        "outputs": {
            name: in_file(name, tensor, directory, serial)
            for name, tensor in answer["outputs"].items()
        }
    }


def main():
    directory = "."
    for line in sys.stdin:
        line = json.loads(line)
        if "hello" in line:
            directory = line["directory"]
            answer = {"name": "spoiled", "version": "1", "operations": ["onednn.rnn"]}
            if "SPOILED_STATES" in os.environ:
                answer["capabilities"] = ["states"]
        elif "supports" in line:
            answer = {"supported": True}
        else:
            answer = run(line["run"], directory)
        print(json.dumps(answer), flush=True)


main()
