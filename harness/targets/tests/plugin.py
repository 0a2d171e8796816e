# SPDX-License-Identifier: Apache-2.0
"""Calls a plugin from Python without the harness, for tests of what a plugin must answer."""

import ctypes
import os

import numpy

BUILD = os.environ.get("BUILD", "build")
OK, UNSUPPORTED, REJECTED, FAILED, WRONG_RESULT = range(5)
INTEGER, REAL, BOOLEAN, TEXT, INTEGERS, REALS = range(1, 7)
# Of each numpy type: its number in plugin.h, DLPack's type code.
DTYPES = {
    "int8": (2, 0), "int32": (4, 0), "int64": (5, 0),
    "uint8": (6, 1), "uint32": (8, 1), "uint64": (9, 1),
    "float16": (10, 2), "float32": (12, 2), "float64": (13, 2),
}
c = ctypes


class Layout(c.Structure):
    _fields_ = [
        ("data", c.c_void_p),
        ("device", c.c_int),
        ("device_id", c.c_int),
        ("ndim", c.c_int32),
        ("code", c.c_uint8),
        ("bits", c.c_uint8),
        ("lanes", c.c_uint16),
        ("shape", c.POINTER(c.c_int64)),
        ("strides", c.POINTER(c.c_int64)),
        ("byte_offset", c.c_uint64),
    ]


class Tensor(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("dtype", c.c_uint32),
        ("reserved", c.c_uint32),
        ("layout", Layout),
    ]


class Attribute(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("kind", c.c_uint32),
        ("count", c.c_uint32),
        ("integer", c.c_int64),
        ("real", c.c_double),
        ("text", c.c_char_p),
        ("integers", c.POINTER(c.c_int64)),
        ("reals", c.POINTER(c.c_double)),
    ]


class Request(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("operation", c.c_char_p),
        ("attributes", c.POINTER(Attribute)),
        ("attribute_count", c.c_size_t),
        ("inputs", c.POINTER(Tensor)),
        ("input_count", c.c_size_t),
        ("outputs", c.POINTER(Tensor)),
        ("output_count", c.c_size_t),
        ("threads", c.c_uint32),
        ("feed", c.c_uint32),
        ("window_first", c.c_uint64),
        ("window_count", c.c_uint64),
    ]


class Entry(c.Structure):
    _fields_ = [
        ("abi_version", c.c_uint32),
        ("size", c.c_uint32),
        ("name", c.c_char_p),
        ("capabilities", c.c_uint32),
        ("feed_count", c.c_uint32),
        ("feeds", c.POINTER(c.c_char_p)),
        ("open", c.CFUNCTYPE(c.c_int, c.POINTER(c.c_void_p), c.c_char_p)),
        ("version", c.CFUNCTYPE(c.c_char_p, c.c_void_p)),
        ("supports", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Request), c.c_char_p)),
        (
            "prepare",
            c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Request), c.POINTER(c.c_void_p), c.c_char_p),
        ),
        ("run", c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Request), c.c_char_p)),
        ("release", c.CFUNCTYPE(None, c.c_void_p)),
        ("close", c.CFUNCTYPE(None, c.c_void_p)),
    ]


def to_tensor(name, array, with_data, keep):
    """A numpy array of any strides as a tensor of the ABI. `keep` holds what it points to."""
    shape = (c.c_int64 * max(array.ndim, 1))(*array.shape)
    strides = (c.c_int64 * max(array.ndim, 1))(*(s // array.itemsize for s in array.strides))
    keep += [array, shape, strides]
    number, code = DTYPES[array.dtype.name]
    dense = array.flags["C_CONTIGUOUS"]
    layout = Layout(
        array.ctypes.data if with_data else None,
        1,
        0,
        array.ndim,
        code,
        8 * array.itemsize,
        1,
        c.cast(shape, c.POINTER(c.c_int64)),
        None if dense else c.cast(strides, c.POINTER(c.c_int64)),
        0,
    )
    return Tensor(name.encode(), number, 0, layout)


def to_attribute(name, value, keep):
    if isinstance(value, bool):
        return Attribute(name.encode(), BOOLEAN, 0, int(value))
    if isinstance(value, int):
        return Attribute(name.encode(), INTEGER, 0, value)
    if isinstance(value, float):
        return Attribute(name.encode(), REAL, 0, 0, value)
    if isinstance(value, str):
        return Attribute(name.encode(), TEXT, 0, 0, 0, value.encode())
    reals = (c.c_double * len(value))(*value)
    keep.append(reals)
    return Attribute(
        name.encode(), REALS, len(value), 0, 0, None, None, c.cast(reals, c.POINTER(c.c_double))
    )


class Plugin:
    """An open session.

    `why` is the reason of the last answer that was not OK. Where `session` is None, it says why it
    could not be opened.
    """

    def __init__(self, name):
        library = c.CDLL(os.path.abspath(os.path.join(BUILD, "targets", name + ".so")))
        library.assay_plugin_entry.restype = c.POINTER(Entry)
        self.entry, self.session = library.assay_plugin_entry().contents, c.c_void_p()
        self.message = c.create_string_buffer(512)
        if self.entry.open(c.byref(self.session), self.message) != OK:
            self.session = None

    @property
    def why(self):
        return self.message.value.decode()

    @property
    def version(self):
        return self.entry.version(self.session).decode()

    def request(self, operation, attributes, inputs, outputs, threads=0, with_data=True):
        keep = []
        attributes = [to_attribute(name, value, keep) for name, value in attributes.items()]
        inputs = [to_tensor(name, array, with_data, keep) for name, array in inputs.items()]
        outputs = [to_tensor(name, array, with_data, keep) for name, array in outputs.items()]
        lists = [(kind * max(len(items), 1))(*items) for kind, items in
                 ((Attribute, attributes), (Tensor, inputs), (Tensor, outputs))]
        keep += lists
        request = Request(
            c.sizeof(Request),
            operation.encode(),
            lists[0],
            len(attributes),
            lists[1],
            len(inputs),
            lists[2],
            len(outputs),
            threads,
            0,
            0,
            0,
        )
        request.keep = keep
        return request

    def supports(self, *arguments, **named):
        return self.entry.supports(
            self.session, c.byref(self.request(*arguments, with_data=False, **named)), self.message
        )

    def run(self, *arguments, **named):
        """Prepares, runs once and releases; outputs are filled in place.

        Returns the status of the first step that was not OK.
        """
        request, instance = self.request(*arguments, **named), c.c_void_p()
        status = self.entry.prepare(self.session, c.byref(request), c.byref(instance), self.message)
        if status != OK:
            return status
        status = self.entry.run(instance, c.byref(request), self.message)
        self.entry.release(instance)
        return status


def padded(array):
    """The same elements with three more between the rows, which hold a number of their own."""
    wide = numpy.full(array.shape[:-1] + (array.shape[-1] + 3,), 77, dtype=array.dtype)
    wide[..., :array.shape[-1]] = array
    return wide[..., :array.shape[-1]]
