# SPDX-License-Identifier: Apache-2.0
"""The cases of a suite, for tests of one's own: `pytest.mark.parametrize("case", cases(SUITE))`."""

from __future__ import annotations

import fnmatch
import functools
from typing import Any, Iterable

import numpy

from . import _program
from ._reference import Outputs, Refusals, judge, obtain, take_tensor


class Case:
    """A case. `kind` is what is expected: values, reject (it must be refused), survive (anything,
    without harm), agrees (with other requests) or distribution."""

    def __init__(self, suite: str, id: str, op: str, kind: str) -> None:
        self.suite, self.id, self.op, self.kind = suite, id, op, kind
        self.__name__ = id  # what pytest calls it by

    def __repr__(self) -> str:
        return f"Case({self.suite!r}, {self.id!r})"

    @functools.cached_property
    def _answer(self) -> dict[str, Any]:
        return _program.ask({"case": self.id, "suite": self.suite})

    @property
    def request(self) -> dict[str, Any]:
        """The request in the form that `assay eval` reads."""
        return dict(self._answer["request"])

    @property
    def about(self) -> str | None:
        return self._answer.get("about")

    @property
    def attributes(self) -> dict[str, Any]:
        return dict(self.request.get("attributes", {}))

    @functools.cached_property
    def inputs(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """The inputs as arrays. Those of a request that breaks a rule of its form stay as the suite
        spells them."""
        return {name: take_tensor(value) if isinstance(value, dict) and "bits" in value else value
                for name, value in self.request.get("inputs", {}).items()}

    def check(self, outputs: Outputs, *, refusals: Refusals = ()) -> None:
        """As assay.check, by what the suite says of this case."""
        __tracebackhide__ = True
        if self.kind == "survive":
            refusals = Exception
        given = obtain(outputs, refusals)
        if self.kind == "survive":
            return
        judge(self.request, given, self.suite, self.id)


def cases(suite: str, pattern: str = "*",
          kinds: Iterable[str] = ("values", "reject", "survive")) -> list[Case]:
    """The cases of a suite, by its name or its path, whose ids match the shell pattern.

    Of other kinds `check` judges nothing: `assay certify` and `pytest --assay` do.
    """
    wanted = set(kinds)
    answer = _program.ask({"cases": suite})
    return [Case(suite, one["id"], one["op"], one["kind"]) for one in answer["cases"]
            if one["kind"] in wanted and fnmatch.fnmatchcase(one["id"], pattern)]
