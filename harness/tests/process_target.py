# SPDX-License-Identifier: Apache-2.0
"""Process targets of a few lines: the protocol around a function that makes the one output of a
request, which goes through a file."""
import os

FRAME = '''#!/usr/bin/env python3
import json, struct, sys


def supports(asked):
    return {"supported": True}


%s

for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        folder = message["directory"]
        answer = {"name": %r, "version": "1", "operations": %r}
    elif "supports" in message:
        answer = supports(message["supports"])
    elif "close" in message:
        break
    else:
        name, dtype, shape, data = run(message["run"])
        header = json.dumps({name: {"dtype": dtype.upper(), "shape": shape,
                                    "data_offsets": [0, len(data)]}}).encode()
        header += b" " * (-len(header) %% 8)
        with open(folder + "/out.safetensors", "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header + data)
        answer = {"outputs": {name: {"dtype": dtype, "shape": shape, "file": "out.safetensors",
                                     "tensor": name}}}
    print(json.dumps(answer), flush=True)
'''


def write(path, operations, body):
    """A program at `path`. `body` is Python that defines run(request), which gives name, dtype,
    shape and bytes of the output, and, where not all is supported, supports(asked), which gives the
    answer."""
    with open(path, "w") as file:
        file.write(FRAME % (body.strip(), os.path.basename(path), operations))
    os.chmod(path, 0o755)
    return path
