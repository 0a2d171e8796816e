# SPDX-License-Identifier: Apache-2.0
"""What is right: the reference's values and their bounds, and values held against them."""

from __future__ import annotations

import dataclasses
import textwrap
from typing import Any, Callable, Iterable, Iterator, Mapping, Union

import numpy

from . import _program
from .target import as_array, dtype_name, dtype_named, put_bits, refuses, take_bits

Array = numpy.ndarray[Any, Any]
Refusals = Union[type[BaseException], Iterable[type[BaseException]]]
Outputs = Union[Mapping[str, Any], BaseException, Callable[[], Any], Any]


class Mismatch(AssertionError):
    """Values are wrong. `verdict`, `profile`, `compared` and `wrong` are those of certify."""

    __module__ = "assay"

    def __init__(self, message: str, answer: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.verdict: str = answer["verdict"]
        self.profile: str = answer.get("profile", "")
        self.compared: int = answer.get("compared", 0)
        self.wrong: int = answer.get("wrong", 0)


class Evaluation(Mapping[str, Array]):
    """The reference's outputs by name.

    `lower` and `upper` are the ends of the interval of each element within which every conforming
    answer lies; of an output whose bits are asked for both are the output itself. They are computed
    when they are first asked for.
    """

    def __init__(self, request: dict[str, Any], bounds: bool = False,
                 suite: str | None = None) -> None:
        self._line = {"eval": request} if suite is None else {"eval": request, "suite": suite}
        self._take(bounds)

    def _take(self, bounds: bool) -> None:
        answer = _program.ask({**self._line, "bounds": bounds})["outputs"]
        self._outputs = {name: take_tensor(tensor) for name, tensor in answer.items()}
        self._ends: dict[str, dict[str, Array]] | None = None
        if bounds:
            self._ends = {
                end: {name: take_tensor(tensor, end if end in tensor else "bits")
                      for name, tensor in answer.items()}
                for end in ("lower", "upper")
            }

    def _end(self, end: str) -> dict[str, Array]:
        if self._ends is None:
            self._take(True)
        assert self._ends is not None
        return self._ends[end]

    @property
    def lower(self) -> dict[str, Array]:
        return self._end("lower")

    @property
    def upper(self) -> dict[str, Array]:
        return self._end("upper")

    def __getitem__(self, name: str) -> Array:
        return self._outputs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._outputs)

    def __len__(self) -> int:
        return len(self._outputs)

    def __repr__(self) -> str:
        return f"Evaluation({self._outputs!r})"


def take_tensor(tensor: Any, key: str = "bits") -> Array:
    """The array of an answer's tensor; of several runs, one array with the run in front."""
    if isinstance(tensor, list):
        return numpy.stack([take_tensor(one, key) for one in tensor])
    shape = tensor["shape"]
    if "window" in tensor:
        shape = [tensor["window"][1]]
    return take_bits(tensor[key], dtype_named(tensor["dtype"]), shape)


def put_tensor(value: Any) -> Any:
    """The form of a tensor in a request: plain numbers stay plain, and take the type that their
    place asks for; of an array type and bits are said."""
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if numpy.isfinite(value) else str(value)
    if isinstance(value, (list, tuple)):
        return [put_tensor(item) for item in value]
    array = as_array(value)
    return {"dtype": dtype_name(array), "shape": list(array.shape), "bits": put_bits(array)}


def put_attribute(value: Any) -> Any:
    """An attribute as JSON has it; of a dtype its name."""
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [put_attribute(item) for item in value]
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    return dtype_name(numpy.empty(0, dtype=numpy.dtype(value)))


def make_request(op: str, inputs: Mapping[str, Any], attributes: Mapping[str, Any] | None,
                 more: Mapping[str, Any]) -> dict[str, Any]:
    request: dict[str, Any] = {"op": op, **more}
    if attributes:
        request["attributes"] = {name: put_attribute(value) for name, value in attributes.items()}
    request["inputs"] = {name: put_tensor(value) for name, value in inputs.items()}
    return request


def evaluate(op: str, inputs: Mapping[str, Any], attributes: Mapping[str, Any] | None = None, *,
             bounds: bool = False, suite: str | None = None, **more: Any) -> Evaluation:
    """The reference's outputs of one request.

    `inputs` are numbers, lists or arrays (numpy, torch, jax, DLPack); plain numbers take the type
    that the operation asks for. `suite` is one that declares the operation. `more` are the other
    keys of a request: outputs, window, runs, profile, model, observed. InvalidRequest where the
    request breaks a rule, Error with a code for what the reference does not compute.
    """
    return Evaluation(make_request(op, inputs, attributes, more), bounds, suite)


# ---- checking ----------------------------------------------------------------


def obtain(outputs: Outputs, refusals: Refusals) -> Any:
    """Calls what is to be called; one of the errors `refusals` is given back as the outcome."""
    if not callable(outputs) or hasattr(outputs, "__array__") or hasattr(outputs, "__dlpack__"):
        return outputs
    types = (refusals,) if isinstance(refusals, type) else tuple(refusals)
    try:
        return outputs()
    except Exception as why:
        if not refuses(why, types):
            raise
        return why


def judge(request: dict[str, Any], outputs: Outputs, suite: str | None,
          case: str | None = None) -> None:
    """Asks for a verdict on a request, or on a case; Mismatch where it is bad."""
    __tracebackhide__ = True  # pytest shows the caller
    line: dict[str, Any] = {"check": case or request}
    if suite is not None:
        line["suite"] = suite
    if isinstance(outputs, BaseException):
        line["refused"] = f"{type(outputs).__name__}: {outputs}"[:500]
    else:
        if not isinstance(outputs, Mapping):
            wanted = request.get("outputs") or _program.operation(
                request["op"], suite)["outputs"][:1]
            if len(wanted) != 1:
                raise TypeError(f"expected a dictionary of the outputs {', '.join(wanted)}")
            outputs = {wanted[0]: outputs}
        line["outputs"] = {name: put_tensor(as_array(value)) for name, value in outputs.items()}
        request.setdefault("outputs", list(outputs))
    answer = _program.ask(line)
    if answer["verdict"] in ("pass", "rejected", "survived"):
        return
    text = textwrap.dedent(answer["text"]).rstrip() or answer["verdict"]
    if answer["verdict"] == "accepted":
        text = "was answered, and must be refused\n" + text
    if answer["verdict"] == "vacuous":
        text = "nothing was shown: zeros, turned signs or moved values lie inside the bounds too"
    raise Mismatch(f"{request['op']} by suite {answer['suite']}: {answer['verdict']}\n"
                   + textwrap.indent(text, "  "), answer)


def check(op: str, inputs: Mapping[str, Any], outputs: Outputs,
          attributes: Mapping[str, Any] | None = None, *, suite: str | None = None,
          refusals: Refusals = (), **more: Any) -> None:
    """Silent where a library's outputs are right; else Mismatch, an AssertionError that says how
    many elements differ, which is the first, and what the outputs equal instead.

    `outputs` is a dictionary by name, or the array of the operation's first output, or a function
    that gives one of these. An error of the types `refusals`, or an exception in place of outputs,
    is a refusal: right where the request is invalid. `suite` says which readings of the text are
    allowed; without it a suite that has the operation does. What cannot be judged (values left to
    chance) raises Error. Outputs that nothing can be shown by are a Mismatch, too.
    """
    __tracebackhide__ = True
    judge(make_request(op, inputs, attributes, more), obtain(outputs, refusals), suite)


# ---- tolerances --------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """What every conforming implementation meets in |got - expected| <= atol + rtol * |expected|.

    `expected` is the reference's value. `atol` is the least beside rtol 0, `rtol` the least beside
    atol 0 (infinity: none, since a zero need not be met), `beside` the least atol beside the rtol
    that was asked for, `between` the least atol for two implementations held against each other.
    `each` is the least atol of each element. No tolerance covers `unbounded` elements; `nan` of
    them need equal_nan.
    """

    atol: float
    rtol: float
    beside: float
    between: float
    each: Array
    unbounded: int
    nan: int


def tolerance(op: str, inputs: Mapping[str, Any], attributes: Mapping[str, Any] | None = None, *,
              rtol: float = 0.0, suite: str | None = None, **more: Any) -> dict[str, Tolerance]:
    """The derived tolerance of each output, for tests that must be written with allclose."""
    line: dict[str, Any] = {"tolerance": make_request(op, inputs, attributes, more), "rtol": rtol}
    if suite is not None:
        line["suite"] = suite

    def number(value: float | None) -> float:
        return float("inf") if value is None else float(value)

    return {
        name: Tolerance(
            number(output["atol"]), number(output["rtol"]),
            number(output.get("beside", output)["atol"]), number(output["between"]),
            take_tensor(output["each"]), output["unbounded"], output["nan"])
        for name, output in _program.ask(line)["outputs"].items()
    }
