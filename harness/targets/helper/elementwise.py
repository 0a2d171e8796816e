# SPDX-License-Identifier: Apache-2.0
"""Elementwise operators and reductions by what the array API standard
(https://data-apis.org/array-api/latest) calls them, for each library that has these names: what
differs between libraries stands in the table of each.

`rows(np, whole, ...)` takes the library's module and the whole numbers that it computes with."""

import functools

from operators import FLOATS, Row

BOOL = frozenset({"bool"})
# ONNX's name, the standard's, and whether whole numbers are served.
OF_ONE = [("exp", "exp", False), ("tanh", "tanh", False), ("sin", "sin", False),
          ("cos", "cos", False), ("log", "log", False), ("reciprocal", "reciprocal", False),
          *((name, name, False) for name in ("tan", "sinh", "cosh", "asin", "acos", "atan",
                                             "asinh", "acosh", "atanh")),
          ("sqrt", "sqrt", False), ("floor", "floor", False), ("ceil", "ceil", False),
          ("round", "round", False), ("abs", "abs", True), ("neg", "negative", True),
          ("sign", "sign", True), ("is_nan", "isnan", False)]
OF_TWO = [("add", "add"), ("sub", "subtract"), ("mul", "multiply")]
ORDER = [("less", "less"), ("less_or_equal", "less_equal"),
         ("greater", "greater"), ("greater_or_equal", "greater_equal")]
LOGIC = [("and", "logical_and"), ("or", "logical_or"), ("xor", "logical_xor"),
         ("not", "logical_not")]
DIGITS = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not")


def by_position(function):
    """Of the inputs in their order."""
    return lambda _, **inputs: function(*inputs.values())


def is_infinite(np, attributes, X):
    signs = attributes.detect_negative, attributes.detect_positive
    return {(0, 1): np.isposinf, (1, 0): np.isneginf}.get(signs, np.isinf)(X)


def one_sign_or_both(attributes, _shapes, _types):
    if attributes.detect_negative == 0 and attributes.detect_positive == 0:
        return "an infinity of some sign is looked for"
    return None


def of_one_type(_attributes, _shapes, types):
    kinds = {kind for name, kind in types.items() if name != "condition"}
    return None if len(kinds) == 1 else "of several types it computes in a wider one"


def remainder_as_asked(attributes, shapes, types):
    if types["A"] in FLOATS and not attributes.fmod:
        return ("it has both remainders for all types" if (attributes.opset or 13) < 28 else
                "its text does not say which sign a remainder of 0 has")
    return of_one_type(attributes, shapes, types)


def whole_exponent_or_same(_attributes, _shapes, types):
    if types["X"] != types["Y"] and types["Y"] in FLOATS:
        return "the power has the wider type of both"
    if types["X"] not in FLOATS:
        return "a power of whole numbers has exponents that are not negative"
    return None


def scalar_ends(attributes, shapes, _types):
    if (attributes.opset or 13) < 11 or attributes.min is not None or attributes.max is not None:
        return "ends are no attributes"
    if any(shapes.get(end, ()) for end in ("min", "max")):
        return "ends are broadcast"
    return None


def one_axis_or_all(attributes, shapes, types):
    """A product goes over one axis, or over all."""
    if shapes.get("axes", (0,))[0] > 1:
        return "a product goes over one axis"
    return reduces(attributes, shapes, types)


def reduces(attributes, shapes, _types):
    if attributes.noop_with_empty_axes and shapes.get("axes", (0,)) == (0,):
        return "without axes it reduces all"
    return None


def has_elements(attributes, shapes, types):
    """An extreme of none is an error of the array API."""
    if 0 in shapes["data"]:
        return "no extreme of none"
    return reduces(attributes, shapes, types)


def first_index(attributes, _shapes, _types):
    return "the first index of several" if attributes.select_last_index else None


def axes_of(axes, rank):
    """A tuple: all of them where none are given."""
    return tuple(range(rank)) if axes is None or len(axes) == 0 else tuple(int(a) for a in axes)


def elementwise(np, whole, div, equal, stepwise=()):
    """`div`: the quotient that is truncated for whole numbers; `equal`: whether elements are;
    `stepwise`: types of which sums of several are rounded at each step."""
    rows = {f"onnx.{name}": Row(by_position(getattr(np, of)), FLOATS | (whole if also else set()))
            for name, of, also in OF_ONE}
    rows |= {f"onnx.{name}": Row(by_position(getattr(np, of)), FLOATS | whole, of_one_type)
             for name, of in OF_TWO + ORDER}
    rows |= {f"onnx.{name}": Row(by_position(getattr(np, of)), BOOL) for name, of in LOGIC}
    rows |= {f"onnx.{name}": Row(by_position(getattr(np, name)), whole) for name in DIGITS}

    def several(function):
        return lambda _, **inputs: function(np.stack(broadcast(*inputs.values())))

    def broadcast(*tensors):
        return getattr(np, "broadcast_tensors", getattr(np, "broadcast_arrays", None))(*tensors)

    return rows | {
        "onnx.div": Row(by_position(div), FLOATS | whole, of_one_type),
        "onnx.mod": Row(lambda a, A, B: (np.fmod if a.fmod else np.remainder)(A, B),
                        FLOATS | whole, remainder_as_asked),
        "onnx.equal": Row(by_position(equal), FLOATS | whole | BOOL, of_one_type),
        "onnx.pow": Row(by_position(np.pow), FLOATS | whole, whole_exponent_or_same),
        "onnx.is_inf": Row(lambda a, X: is_infinite(np, a, X), only=one_sign_or_both),
        "onnx.where": Row(by_position(np.where), FLOATS | whole | BOOL, of_one_type),
        "onnx.min": Row(lambda _, **x: functools.reduce(np.minimum, x.values()), FLOATS | whole),
        "onnx.max": Row(lambda _, **x: functools.reduce(np.maximum, x.values()), FLOATS | whole),
        "onnx.sum": Row(several(lambda x: np.sum(x, 0)), stepwise=stepwise),
        "onnx.mean": Row(several(lambda x: np.mean(x, 0)), stepwise=stepwise),
    }
