# SPDX-License-Identifier: Apache-2.0
"""Process targets of a few lines: the protocol around a function that answers requests. A test
writes such a program with `write`; a program of its own imports `serve`."""
import json
import math
import os
import struct
import subprocess
import sys

ASSAY = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "assay"))
PROGRAM = """#!/usr/bin/env python3
import json, os, struct, sys
sys.dont_write_bytecode = True
sys.path.insert(0, %r)
from process_target import evaluate, serve

%s

serve(%r, run, globals().get("supports"))
"""
directory = "."  # of files with tensors


def write(path, operations, body, **hello):
    """A program at `path`. `body` is Python that defines run(request), which gives the answer, or
    name, dtype, shape and bytes of the only output, and, where not all is supported,
    supports(asked), which gives the answer. `hello`: further members of the first answer."""
    hello = {"name": os.path.basename(path), "version": "1", "operations": operations, **hello}
    with open(path, "w") as file:
        file.write(PROGRAM % (os.path.dirname(os.path.abspath(__file__)), body.strip(), hello))
    os.chmod(path, 0o755)
    return path


def serve(hello, run, supports=None):
    global directory
    for line in sys.stdin:
        message = json.loads(line)
        if "hello" in message:
            directory, answer = message["directory"], hello
        elif "supports" in message:
            answer = supports(message["supports"]) if supports else {"supported": True}
        elif "close" in message:
            break
        else:
            answer = run(message["run"])
            if isinstance(answer, tuple):
                answer = {"outputs": {answer[0]: in_file(*answer)}}
        print(json.dumps(answer), flush=True)


def in_file(name, dtype, shape, data):
    """A tensor that goes through a file."""
    file, offsets = name + ".safetensors", [0, len(data)]
    header = json.dumps({name: {"dtype": dtype.upper(), "shape": shape,
                                "data_offsets": offsets}}).encode()
    header += b" " * (-len(header) % 8)
    with open(os.path.join(directory, file), "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header + data)
    return {"dtype": dtype, "shape": shape, "file": file, "tensor": name}


def inline(tensor):
    """A tensor with its bits in the line."""
    if "file" not in tensor:
        return tensor
    with open(os.path.join(directory, tensor["file"]), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin, end = header[tensor["tensor"]]["data_offsets"]
        file.seek(begin, os.SEEK_CUR)
        data = file.read(end - begin)
    size = len(data) // max(math.prod(tensor["shape"]), 1)
    return {"dtype": tensor["dtype"], "shape": tensor["shape"],
            "bits": [data[i:i + size][::-1].hex() for i in range(0, len(data), size or 1)]}


def evaluate(request):
    """The reference's answer, under the profile that stands in the request."""
    inputs = {name: inline(tensor) for name, tensor in request.get("inputs", {}).items()}
    done = subprocess.run([ASSAY, "eval", "-"], input=json.dumps(dict(request, inputs=inputs)),
                          capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    return ({"outputs": answer["outputs"]} if "outputs" in answer
            else {"rejected": answer["error"]["message"]})
