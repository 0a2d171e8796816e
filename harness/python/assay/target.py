# SPDX-License-Identifier: Apache-2.0
"""Tensors as assay writes them, and process targets: what a library is put behind to be certified.

Derive from Target, write `run` and, where not all is served, `supports`, then call `serve`. This
file stands on numpy alone and may be copied beside a target. bf16, floats of 8 and 4 bits and
integers of 4 and 2 are arrays of ml_dtypes; without that package they are an error, never whole
numbers of the same size. What the library prints goes to stderr, so that it cannot mix with the
answers.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from typing import Any, Iterable, Mapping, Sequence

import numpy

INLINE_MAX = 64
# What safetensors calls a type, where that is not the name in capitals.
SAFETENSORS = {"f8e4m3": "F8_E4M3", "f8e5m2": "F8_E5M2", "f8e4m3fnuz": "F8_E4M3FNUZ",
               "f8e5m2fnuz": "F8_E5M2FNUZ", "f8e8m0": "F8_E8M0"}
# Types of so many bits: an element's code lies in the low bits of a byte of its own, the others are
# 0. Files of safetensors have them as U8.
PART_OF_BYTE = {"f4e2m1": 4, "i4": 4, "u4": 4, "i2": 2, "u2": 2}
SAFETENSORS.update(dict.fromkeys(PART_OF_BYTE, "U8"))
DTYPES: dict[str, numpy.dtype[Any]] = {
    "bool": numpy.dtype(numpy.bool_),
    "i8": numpy.dtype(numpy.int8), "i16": numpy.dtype(numpy.int16),
    "i32": numpy.dtype(numpy.int32), "i64": numpy.dtype(numpy.int64),
    "u8": numpy.dtype(numpy.uint8), "u16": numpy.dtype(numpy.uint16),
    "u32": numpy.dtype(numpy.uint32), "u64": numpy.dtype(numpy.uint64),
    "f16": numpy.dtype(numpy.float16), "f32": numpy.dtype(numpy.float32),
    "f64": numpy.dtype(numpy.float64),
}
WITH_ML_DTYPES = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
                  "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz",
                  "f8e8m0": "float8_e8m0fnu", "f4e2m1": "float4_e2m1fn", "i4": "int4",
                  "u4": "uint4", "i2": "int2", "u2": "uint2"}

try:
    import ml_dtypes
except ImportError:
    pass
else:
    DTYPES.update({
        name: numpy.dtype(getattr(ml_dtypes, scalar)) for name, scalar in WITH_ML_DTYPES.items()
        if hasattr(ml_dtypes, scalar)  # some came with later versions
    })
    BFLOAT16 = DTYPES["bf16"]


class Unsupported(Exception):
    """The library or this target does not serve the request; the text says why.

    Only `supports` may raise it.
    """


class Rejected(Exception):
    """The library refused the request as invalid, and for no other reason."""


class Window:
    """The elements that `window` of a request asks for, and the shape of the whole output."""

    def __init__(self, elements: Any, shape: Iterable[int]) -> None:
        self.elements: numpy.ndarray[Any, Any] = numpy.asarray(elements)
        self.shape: tuple[int, ...] = tuple(shape)


class Request:
    """One request.

    `attributes` is a dictionary; `inputs` are arrays (in `supports`: none), of `dtypes` and
    `shapes`; `outputs` names those that are wanted; `window` is the first element and the count,
    row-major, of the first output, or None where all of it is wanted; `feed` is one of the target's
    feeds, or None where it declares none; `onnx` are the nodes as which a declared operator is
    written for ONNX, none for one that ONNX has itself; `profile` maps choices to options, for a
    program that is a suite's reference.
    """

    def __init__(self, document: Mapping[str, Any], directory: str,
                 feed: str | None = None) -> None:
        inputs: Mapping[str, Any] = document.get("inputs", {})
        self.feed = feed
        self.op: str = document["op"]
        self.attributes: dict[str, Any] = document.get("attributes", {})
        self.outputs: list[str] = document.get("outputs", [])
        self.onnx: list[dict[str, Any]] = document.get("onnx", [])
        self.window: Sequence[int] | None = document.get("window")
        self.profile: dict[str, str] = document.get("profile", {})
        self.dtypes: dict[str, str] = {name: tensor["dtype"] for name, tensor in inputs.items()}
        self.shapes: dict[str, tuple[int, ...]] = {
            name: tuple(tensor["shape"]) for name, tensor in inputs.items()
        }
        self.inputs: dict[str, numpy.ndarray[Any, Any]] = {
            name: read_tensor(tensor, directory)
            for name, tensor in inputs.items()
            if "bits" in tensor or "file" in tensor
        }


# ---- tensors -----------------------------------------------------------------


def dtype_named(name: str) -> numpy.dtype[Any]:
    """The numpy dtype of a type's name; TypeError where there is none here."""
    if name in WITH_ML_DTYPES and name not in DTYPES:
        raise TypeError(f"{name} needs the Python package ml_dtypes, which is not installed")
    if name not in DTYPES:
        raise TypeError(f"there is no type '{name}' (types: {', '.join(DTYPES)})")
    return DTYPES[name]


def dtype_name(array: Any) -> str:
    """The name of an array's type; TypeError where it has none."""
    array = array.elements if isinstance(array, Window) else array
    for name, dtype in DTYPES.items():
        if array.dtype == dtype:
            return name
    raise TypeError(
        f"assay has no type for elements of {array.dtype}"
        + (" (raw bytes; bf16 needs the Python package ml_dtypes)" if array.dtype.kind == "V"
           else "")
    )


def as_array(value: Any) -> numpy.ndarray[Any, Any]:
    """A numpy array of what a library gives: numpy, torch, jax, DLPack, or plain numbers.

    It shares the memory of a tensor that lies in the processor's memory. NumPy has no bf16 of its
    own to take one through DLPack, so that those of torch are taken by their bits.
    """
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        array = numpy.asarray(value)
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if type(value).__module__.split(".")[0] == "torch":
        tensor = value.detach().cpu()
        scalar = str(tensor.dtype).split(".")[-1]
        kind = next((name for name, known in WITH_ML_DTYPES.items()
                     if known == scalar and scalar[:3] != "int" and scalar[:4] != "uint"), None)
        if kind is None:
            return numpy.asarray(tensor.numpy())
        import torch  # type: ignore[import-not-found, unused-ignore]

        wanted = dtype_named(kind)
        bits = tensor.contiguous().view(torch.int16 if wanted.itemsize == 2 else torch.uint8)
        return numpy.asarray(bits.numpy()).view(wanted)
    if hasattr(value, "__array__") or not hasattr(value, "__dlpack__"):
        return numpy.asarray(value)
    return numpy.from_dlpack(value)


def codes(array: numpy.ndarray[Any, Any], name: str) -> numpy.ndarray[Any, Any]:
    """The array as it travels: bytes, with nothing above the code, where that has fewer bits."""
    if name not in PART_OF_BYTE:
        return array
    return array.view(numpy.uint8) & numpy.uint8((1 << PART_OF_BYTE[name]) - 1)


def put_bits(array: numpy.ndarray[Any, Any]) -> list[str]:
    """Each element in hexadecimal, most significant digit first, row-major."""
    words = numpy.asarray(array, order="C").reshape(-1).view(f"u{array.dtype.itemsize}")
    data = words.astype(words.dtype.newbyteorder(">")).tobytes()
    return data.hex(" ", array.dtype.itemsize).split()


def take_bits(bits: Sequence[str], dtype: numpy.dtype[Any],
              shape: Iterable[int]) -> numpy.ndarray[Any, Any]:
    """The array of such elements."""
    words = numpy.frombuffer(bytes.fromhex("".join(bits)), dtype=f">u{dtype.itemsize}")
    return words.astype(words.dtype.newbyteorder("=")).view(dtype).reshape(tuple(shape))


def read_tensor(document: Mapping[str, Any], directory: str) -> numpy.ndarray[Any, Any]:
    """The array of {"dtype", "shape"} with "bits", or with "file" and "tensor"."""
    dtype, shape = dtype_named(document["dtype"]), document["shape"]
    if "bits" in document:
        return take_bits(document["bits"], dtype, shape)
    with open(os.path.join(directory, document["file"]), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        begin, end = header[document["tensor"]]["data_offsets"]
        file.seek(begin, os.SEEK_CUR)
        data = file.read(end - begin)
    return numpy.frombuffer(
        data, dtype=dtype.newbyteorder("<") if dtype.kind in "iuf" else dtype
    ).reshape(shape)


def write_tensor(name: str, array: Any, dtype: str, directory: str, serial: str,
                 shape: Iterable[int] | None = None) -> dict[str, Any]:
    """The answer's form of an array, or of a Window."""
    if isinstance(array, Window):
        array, shape = array.elements, array.shape
    array = numpy.asarray(array, order="C")  # ascontiguousarray would give a scalar one dimension
    array = codes(array, dtype)
    document: dict[str, Any] = {
        "dtype": dtype,
        "shape": [int(n) for n in (array.shape if shape is None else shape)],
    }
    if array.size <= INLINE_MAX:
        document["bits"] = put_bits(array)
        return document
    data = array.tobytes()
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


# ---- a target ----------------------------------------------------------------


class Target:
    """A library as a process target: `Target().serve()` answers until the end of input.

    `operations` are those of `assay list operations`. `refusals` are exceptions of the library that
    say that a request is invalid: from `run` they count as a refusal, all others as a failure.
    `model` is the evaluation model that it declares, in JSON. `capabilities`: "states" where it
    gives dst_layer beside gradients; "window" where `run` gives the first output as a Window when a
    request asks for one, else `supports` must refuse what cannot be given in windows. `feeds` are
    names of the ways to hand a request to the library: each case is run in two of them, and
    `request.feed` says in which.
    """

    name: str = "target"
    version: str = "0"
    operations: Sequence[str] = ()
    refusals: tuple[type[BaseException], ...] = ()
    capabilities: Sequence[str] = ()
    feeds: Sequence[str] = ()
    model: Any = None

    def supports(self, request: Request) -> None:
        """Raises Unsupported for what is not served; asked of every case before the first runs."""

    def run(self, request: Request) -> Any:
        """The outputs: a dictionary by name, or the array of the only one that is wanted."""
        raise NotImplementedError

    def serve(self) -> None:
        """Answers until the end of input."""
        serve(self)


def ask(target: Any, document: Mapping[str, Any], directory: str) -> dict[str, Any]:
    try:
        request = Request(document, directory)
        for name, dtype in request.dtypes.items():
            if dtype not in DTYPES:
                raise Unsupported(f"no {dtype} for input '{name}' here")
        target.supports(request)
    except Unsupported as why:
        return {"unsupported": str(why)}
    return {"supported": True}


def refuses(why: BaseException, refusals: tuple[type[BaseException], ...]) -> bool:
    """Whether an error says that a request is invalid: Rejected does, and so do `refusals`.

    What memory does not suffice for, or nobody has written, is not invalid.
    """
    cause = why.__cause__ if isinstance(why, Rejected) else why
    return (isinstance(why, (Rejected, *refusals))
            and not isinstance(cause, (MemoryError, NotImplementedError)))


def put_outputs(outputs: Any, document: Mapping[str, Any], directory: str) -> dict[str, Any]:
    if not isinstance(outputs, Mapping):
        wanted = document.get("outputs", [])
        if len(wanted) != 1:
            raise TypeError(f"expected a dictionary of the outputs {', '.join(wanted)}")
        outputs = {wanted[0]: outputs}
    arrays = {name: value if isinstance(value, Window) else as_array(value)
              for name, value in outputs.items()}
    serial = document.get("id", "0")
    return {name: write_tensor(name, array, dtype_name(array), directory, serial)
            for name, array in arrays.items()}


def answer(target: Any, line: Mapping[str, Any], directory: str) -> dict[str, Any]:
    if "supports" in line:
        return ask(target, line["supports"], directory)
    if "run" not in line:
        return {"failed": "expected hello, supports or run"}
    request = Request(line["run"], directory, line.get("feed"))
    refusals = tuple(getattr(target, "refusals", ()))
    try:
        outputs = target.run(request)
    # The library failed: an answer, not the end of the target.
    except Exception as why:  # noqa: BLE001
        if refuses(why, refusals):
            return {"rejected": str(why) or "rejected"}
        cause = why.__cause__ if isinstance(why, Rejected) else why
        return {"failed": f"{type(cause).__name__}: {why}"[:500]}
    return {"outputs": put_outputs(outputs, line["run"], directory)}


def loaded_files() -> list[str]:
    """Paths of this package and of every installed package or module that has been imported."""
    found = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None) or ""
        parts = path.split(os.sep)
        for folder in ("site-packages", "dist-packages"):
            if folder in parts[:-1]:
                found.add(os.sep.join(parts[:parts.index(folder) + 2]))
        if os.path.dirname(path) == os.path.dirname(__file__) and __package__:
            found.add(os.path.abspath(path))
    found.add(os.path.abspath(__file__))
    return sorted(path for path in found if os.path.exists(path))


def serve(target: Any) -> None:
    """Answers until the end of input. `target` has what Target has."""
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
                "operations": list(target.operations),
                "files": loaded_files(),
            }
            for more in ("capabilities", "feeds", "model"):
                if getattr(target, more, None):
                    reply[more] = getattr(target, more)
        else:
            reply = answer(target, line, directory)
        out.write(json.dumps(reply) + "\n")
        out.flush()
