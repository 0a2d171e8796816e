# SPDX-License-Identifier: Apache-2.0
"""assay: the right answers of numeric operations, and what a library does instead of them.

    answer = assay.evaluate("openvino.range", {"start": 0, "stop": 5, "step": 2},
                            {"output_type": "i32"})
    assay.check("openvino.range", inputs, outputs, attributes)

Importing this package imports nothing else; a name does so when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._cases import Case as Case, cases as cases
    from ._program import Error as Error, InvalidRequest as InvalidRequest
    from ._program import include as include, program as program, version as version
    from ._reference import Evaluation as Evaluation, Mismatch as Mismatch, check as check
    from ._reference import Tolerance as Tolerance, evaluate as evaluate, tolerance as tolerance
    from .serve_target import under_test as under_test
    from .target import Rejected as Rejected, Request as Request, Target as Target
    from .target import Unsupported as Unsupported, Window as Window, dtype_named as dtype_named

_PLACES = {
    "_cases": ("Case", "cases"),
    "_program": ("Error", "InvalidRequest", "include", "program", "version"),
    "_reference": ("Evaluation", "Mismatch", "Tolerance", "check", "evaluate", "tolerance"),
    "serve_target": ("under_test",),
    "target": ("Rejected", "Request", "Target", "Unsupported", "Window", "dtype_named"),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "Case", "Error", "Evaluation", "InvalidRequest", "Mismatch", "Rejected", "Request", "Target",
    "Tolerance", "Unsupported", "Window", "cases", "check", "dtype_named", "evaluate", "include",
    "program", "tolerance", "under_test", "version",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACE_OF:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"assay.{_PLACE_OF[name]}"), name)
    globals()[name] = value
    return value
