# SPDX-License-Identifier: Apache-2.0
"""The target `onnx:MODULE`, and that of `--exec-onnx`: ONNX operators through whatever runs ONNX
models. usage: onnx_target.py MODULE[@DEVICE] | --command WORD..."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
try:
    from assay.target import Target, Unsupported
    from onnx_backend import Command, make_backend
    from onnx_node import OPERATORS, is_served
except ImportError as missing:
    sys.exit(f"{missing} (scripts/setup onnx installs it)")


class Onnx(Target):
    """A target around a backend."""

    def __init__(self, backend):
        self.backend = backend
        self.name, self.version, self.operations = backend.name, backend.version, list(OPERATORS)
        self.model, self.feeds = backend.model, backend.feeds

    def supports(self, request):
        if not is_served(request):
            raise Unsupported(f"this target has no {request.op}")
        if request.window:
            raise Unsupported("no windows")
        self.backend.supports(request)

    def run(self, request):
        return self.backend.run(request)


def main(words):
    try:
        backend = Command(words[1:]) if words[0] == "--command" else make_backend(words[0])
    except (ImportError, ValueError) as why:
        sys.exit(str(why))
    Onnx(backend).serve()


if __name__ == "__main__":
    main(sys.argv[1:])
