# SPDX-License-Identifier: Apache-2.0
"""What a process target in Python needs: write `supports` and `run`, then call `serve`.

Tensors are numpy arrays. bf16 ones are arrays of ml_dtypes.bfloat16 where that package is
installed, else of uint16 that hold the bits; 8-bit floats need that package, and are unsupported
without it. What the library prints goes to stderr, so that it cannot mix with the answers.
"""

import json
import os
import struct
import sys

import numpy

try:
    import ml_dtypes

    BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
    FLOATS8 = {"f8e4m3": numpy.dtype(ml_dtypes.float8_e4m3fn),
               "f8e5m2": numpy.dtype(ml_dtypes.float8_e5m2)}
except ImportError:
    BFLOAT16 = numpy.dtype(numpy.uint16)
    FLOATS8 = {}

DTYPES = {
    "bool": numpy.dtype(numpy.bool_),
    "i8": numpy.dtype(numpy.int8), "i16": numpy.dtype(numpy.int16),
    "i32": numpy.dtype(numpy.int32), "i64": numpy.dtype(numpy.int64),
    "u8": numpy.dtype(numpy.uint8), "u16": numpy.dtype(numpy.uint16),
    "u32": numpy.dtype(numpy.uint32), "u64": numpy.dtype(numpy.uint64),
    "f16": numpy.dtype(numpy.float16), "bf16": BFLOAT16,
    "f32": numpy.dtype(numpy.float32), "f64": numpy.dtype(numpy.float64), **FLOATS8,
}
# What safetensors calls a type, where that is not the name in capitals.
SAFETENSORS = {"f8e4m3": "F8_E4M3", "f8e5m2": "F8_E5M2"}
INLINE_MAX = 64


class Unsupported(Exception):
    """The library or this target does not serve the request; the text says why.

    Only `supports` may raise it.
    """


class Rejected(Exception):
    """The library refused the request as invalid, and for no other reason."""


class Window:
    """The elements that `window` of a request asks for, and the shape of the whole output."""

    def __init__(self, elements, shape):
        self.elements, self.shape = numpy.asarray(elements), tuple(shape)


class Request:
    """One request.

    `attributes` is a dictionary; `inputs` are arrays (in `supports`: Shape); `window` is the first
    element and the count, row-major, of the first output, or None where all of it is wanted;
    `feed` is one of the target's feeds, or None where it declares none.
    """

    def __init__(self, document, directory, feed=None):
        self.feed = feed
        self.op = document["op"]
        self.attributes = document.get("attributes", {})
        self.outputs = document.get("outputs", [])
        self.window = document.get("window")
        self.dtypes = {name: tensor["dtype"] for name, tensor in document.get("inputs", {}).items()}
        self.shapes = {
            name: tuple(tensor["shape"]) for name, tensor in document.get("inputs", {}).items()
        }
        self.inputs = {
            name: read_tensor(tensor, directory)
            for name, tensor in document.get("inputs", {}).items()
            if "bits" in tensor or "file" in tensor
        }


def read_tensor(document, directory):
    dtype, shape = DTYPES[document["dtype"]], document["shape"]
    if "bits" in document:
        size = dtype.itemsize
        data = b"".join(int(bits, 16).to_bytes(size, "little") for bits in document["bits"])
    else:
        with open(os.path.join(directory, document["file"]), "rb") as file:
            header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
            begin, end = header[document["tensor"]]["data_offsets"]
            file.seek(begin, os.SEEK_CUR)
            data = file.read(end - begin)
    return numpy.frombuffer(
        data, dtype=dtype.newbyteorder("<") if dtype.kind in "iuf" else dtype
    ).reshape(shape)


def write_tensor(name, array, dtype, directory, serial, shape=None):
    """The answer's form of an array, or of a Window."""
    if isinstance(array, Window):
        array, shape = array.elements, array.shape
    array = numpy.asarray(array, order="C")  # ascontiguousarray would give a scalar one dimension
    document = {
        "dtype": dtype,
        "shape": [int(n) for n in (array.shape if shape is None else shape)],
    }
    data, size = array.tobytes(), array.dtype.itemsize
    if array.size <= INLINE_MAX:
        document["bits"] = [data[i:i + size][::-1].hex() for i in range(0, len(data), size)]
        return document
    file = f"out-{serial}-{name}.safetensors"
    kind = SAFETENSORS.get(dtype, dtype.upper())
    header = json.dumps(
        {name: {"dtype": kind, "shape": list(array.shape), "data_offsets": [0, len(data)]}}
    ).encode()
    header += b" " * (-len(header) % 8)
    with open(os.path.join(directory, file), "wb") as out:
        out.write(struct.pack("<Q", len(header)) + header + data)
    document.update(file=file, tensor=name)
    return document


def dtype_name(array):
    array = array.elements if isinstance(array, Window) else array
    for name, dtype in DTYPES.items():
        if array.dtype == dtype:
            return name
    raise TypeError(f"no name for {array.dtype}")


def answer(target, line, directory):
    if "supports" in line:
        try:
            request = Request(line["supports"], directory)
            for name, dtype in request.dtypes.items():
                if dtype not in DTYPES:
                    raise Unsupported(f"no {dtype} for input '{name}' here")
            target.supports(request)
        except Unsupported as why:
            return {"unsupported": str(why)}
        return {"supported": True}
    if "run" not in line:
        return {"failed": "expected hello, supports or run"}
    request = Request(line["run"], directory, line.get("feed"))
    try:
        outputs = target.run(request)
    except Rejected as why:
        # What memory does not suffice for, or nobody has written, is not invalid.
        if isinstance(why.__cause__, (MemoryError, NotImplementedError)):
            return {"failed": f"{type(why.__cause__).__name__}: {why}"[:500]}
        return {"rejected": str(why) or "rejected"}
    # The library failed: an answer, not the end of the target.
    except Exception as error:  # noqa: BLE001
        return {"failed": f"{type(error).__name__}: {error}"[:500]}
    return {
        "outputs": {
            name: write_tensor(
                name, array, dtype_name(array), directory, line["run"].get("id", "0")
            )
            for name, array in outputs.items()
        }
    }


def loaded_files():
    """Paths of this file and of every installed package or module that has been imported."""
    found = {os.path.abspath(__file__)}
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None) or ""
        parts = path.split(os.sep)
        for folder in ("site-packages", "dist-packages"):
            if folder in parts[:-1]:
                found.add(os.sep.join(parts[:parts.index(folder) + 2]))
    return sorted(path for path in found if os.path.exists(path))


def serve(target):
    """Answers until the end of input.

    `target` has name, version, operations, supports(request) and run(request). It may have `model`,
    the evaluation model that it declares, in JSON, and `capabilities`: "states" where it gives
    dst_layer beside gradients; "window" where `run` gives the first output as a Window when a
    request asks for one. `supports` must refuse what cannot be given in windows. It may have
    `feeds`, names of the ways to hand a request to the library: each case is run in two of them,
    and `request.feed` says in which.
    """
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    directory = "."
    for text in sys.stdin:
        line = json.loads(text)
        if "hello" in line:
            directory = line["directory"]
            reply = {
                "name": target.name,
                "version": target.version,
                "operations": target.operations,
                "files": loaded_files(),
            }
            for more in ("capabilities", "feeds", "model"):
                if getattr(target, more, None):
                    reply[more] = getattr(target, more)
        else:
            reply = answer(target, line, directory)
        out.write(json.dumps(reply) + "\n")
        out.flush()
