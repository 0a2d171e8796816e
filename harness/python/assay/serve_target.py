# SPDX-License-Identifier: Apache-2.0
"""A Python function as a target. usage: python -m assay.serve_target MODULE:NAME [OPERATION ...]

NAME is a function of one argument, the Request, that gives the outputs; or a Target, or a class of
one. OPERATION ... are served where it names none itself.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, Callable, Iterable

from .target import Request, Target, serve


Function = Callable[[Request], Any]


def under_test(*operations: str,
               refusals: type[BaseException] | Iterable[type[BaseException]] = (),
               supports: Callable[[Request], None] | None = None, name: str | None = None,
               version: str = "0") -> Callable[[Function], Function]:
    """Says of a function how it is certified: by which operations, which errors of the library are
    refusals, and what it supports (`supports` raises Unsupported)."""

    def mark(function: Function) -> Function:
        target = FunctionTarget(function)
        target.operations = list(operations)
        target.refusals = (refusals,) if isinstance(refusals, type) else tuple(refusals)
        target.name, target.version = name or target.name, version
        if supports:
            target.asks = supports
        function.__assay_target__ = target  # type: ignore[attr-defined]
        return function

    return mark


class FunctionTarget(Target):
    """A function of a request."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.name = getattr(function, "__name__", "function")
        self.asks: Callable[[Request], None] | None = None

    def supports(self, request: Request) -> None:
        if self.asks:
            self.asks(request)

    def run(self, request: Request) -> Any:
        return self.function(request)


def find(place: str) -> Any:
    """The target that MODULE:NAME means."""
    module, _, name = place.partition(":")
    if not module or not name:
        raise ValueError(f"'{place}' is not MODULE:NAME")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if isinstance(found, type):
        found = found()
    if hasattr(found, "__assay_target__"):
        return found.__assay_target__
    if hasattr(found, "run") and hasattr(found, "operations"):
        return found
    if not callable(found):
        raise TypeError(f"{place} is neither a function nor a Target")
    return FunctionTarget(found)


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if "" not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        target = find(sys.argv[1])
    except (ImportError, AttributeError, TypeError, ValueError) as why:
        sys.exit(f"{sys.argv[1]}: {why}")
    if not target.operations:
        target.operations = sys.argv[2:]
    serve(target)


if __name__ == "__main__":
    main()
