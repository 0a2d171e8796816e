# SPDX-License-Identifier: Apache-2.0
"""Backends that take a model over into a form of their own: tract, IREE's compiler, and PyTorch,
whose modules are exported to ONNX and run by ONNX Runtime. scripts/setup installs none of them but
with `converters`."""

import importlib.metadata
import io
import os
import tempfile
import warnings

import numpy
import onnx
from assay.target import Unsupported
from onnx_backend import Backend, OnnxRuntime


class Tract(Backend):
    """tract, optimised; it has no devices here."""

    def __init__(self, device):
        import tract
        if device:
            raise ValueError("tract has no devices here")
        self.tract, self.name, self.version = tract, "tract", tract.version()
        self.refusals = (tract.TractError,)

    @staticmethod
    def is_missing(error):
        text = str(error)
        return any(word in text for word in ("Unimplemented", "not implemented", "not supported",
                                             "unsupported", "Unsupported", "to be a const",
                                             "as a constant", "suitable.len() > 0",
                                             "translating to fact"))

    def supports(self, request):
        recurrent = request.op in ("onnx.rnn", "onnx.gru", "onnx.lstm")
        if recurrent and "f16" in request.dtypes.values():
            raise Unsupported("f16 is rounded on its way: no model declares that")
        super().supports(request)

    def prepare(self, model, _feed):
        kinds = {v.type.tensor_type.elem_type for v in model.graph.input}
        if onnx.TensorProto.BFLOAT16 in kinds:
            raise Unsupported("tract's tensors in Python hold no bf16")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.onnx")
            onnx.save(model, path)
            runnable = self.tract.onnx().load(path).into_model().into_runnable()
        order = [v.name for v in model.graph.input]

        def run(inputs):
            given = [self.tract.Tensor.from_numpy(inputs[name]) for name in order]
            return [value.to_numpy() for value in runnable.run(given)]
        return run


class Iree(Backend):
    """IREE's compiler for ordinary processors, without what only some of them have. What was
    compiled is kept, since it takes seconds."""

    feeds = ("inputs",)

    def __init__(self, device):
        import iree.compiler
        import iree.runtime
        if device:
            raise ValueError("IREE has no other devices here")
        self.compiler, self.runtime = iree.compiler, iree.runtime
        self.name, self.version = "iree", importlib.metadata.version("iree-base-compiler")
        self.kept = {}
        self.refusals = (iree.compiler.CompilerToolError, onnx.checker.ValidationError,
                         onnx.shape_inference.InferenceError, ValueError, RuntimeError)

    @staticmethod
    def is_missing(error):
        return "failed to legalize" in str(error)

    def compiled(self, model):
        from iree.compiler.tools.import_onnx import __main__ as importer
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("model.onnx", "model.mlir")]
            # Its importer wants shapes of outputs, too.
            onnx.save(onnx.shape_inference.infer_shapes(model), paths[0])
            if importer.main(importer.parse_arguments([paths[0], "-o", paths[1]])):
                raise ValueError("the model is not imported")
            return self.compiler.compile_file(
                paths[1], input_type="onnx", target_backends=["llvm-cpu"],
                extra_args=["--iree-llvmcpu-target-cpu=generic"])

    def prepare(self, model, _feed):
        key = model.SerializeToString()
        if key not in self.kept:
            self.kept[key] = self.compiled(model)
        context = self.runtime.SystemContext(config=self.runtime.Config("local-task"))
        context.add_vm_module(self.runtime.VmModule.copy_buffer(context.instance, self.kept[key]))
        call = context.modules.module[model.graph.name]
        order = [v.name for v in model.graph.input]

        def run(inputs):
            found = call(*(numpy.array(inputs[name], order="C") for name in order))
            found = found if isinstance(found, (list, tuple)) else [found]
            return [numpy.asarray(value) for value in found]
        return run


class TorchExport(Backend):
    """A request as a recurrent module of PyTorch, which its exporter turns into a model that ONNX
    Runtime runs: who is wrong in between, shows. Feeds are the two exporters. ONNX's gates are
    i, o, f, c and z, r, h; PyTorch's are i, f, c, o and r, z, n."""

    feeds = ("traced", "exported")
    order = {"onnx.rnn": [0], "onnx.gru": [1, 0, 2], "onnx.lstm": [0, 2, 3, 1]}
    model = OnnxRuntime.model

    def __init__(self, device):
        import torch
        self.torch, self.runtime = torch, OnnxRuntime(device)
        self.name = f"torch.onnx and onnxruntime {self.runtime.version}"
        self.version = torch.__version__
        self.refusals = (*self.runtime.refusals, IndexError)

    def supports(self, request):
        if request.op not in self.order:
            raise Unsupported(f"PyTorch has no module of {request.op}")
        a, given = request.attributes, set(request.shapes)
        names = {"onnx.rnn": ([], ["Tanh"], ["Relu"]), "onnx.gru": ([], ["Sigmoid", "Tanh"]),
                 "onnx.lstm": ([], ["Sigmoid", "Tanh", "Tanh"])}[request.op]
        ways = 2 if a.get("direction") == "bidirectional" else 1
        asked = a.get("activations", [])
        for wrong, why in (
                (given & {"P"}, "no peephole"), (given & {"sequence_lens"}, "no lengths of rows"),
                (a.get("clip"), "no clip"), (a.get("input_forget"), "no coupled gates"),
                (a.get("direction") == "reverse", "no reverse direction alone"),
                (list(asked) not in [ways * list(name) for name in names], "no such activations"),
                (request.op == "onnx.gru" and not a.get("linear_before_reset"),
                 "no GRU whose reset gate comes before the product"),
                (request.op == "onnx.lstm" and ("initial_h" in given) != ("initial_c" in given),
                 "both states or none"),
                (set(request.dtypes.values()) != {"f32"}, "f32 alone is asked of it here"),
                (not self.fits(request, ways), "a module has one set of shapes")):
            if wrong:
                raise Unsupported(f"PyTorch: {why}")

    def fits(self, request, ways):
        """Whether the shapes are those of a module, and there is something to trace."""
        shapes, rows = request.shapes, len(self.order[request.op])
        early = request.attributes.get("opset", 22) < 14 and request.attributes.get("layout")
        if len(shapes["X"]) != 3 or len(shapes["R"]) != 3 or 0 in shapes["X"] or early:
            return False
        batch, hidden = shapes["X"][1 - request.attributes.get("layout", 0)], shapes["R"][2]
        state = (batch, ways, hidden) if request.attributes.get("layout") else (ways, batch, hidden)
        wanted = {"W": (ways, rows * hidden, shapes["X"][2]), "R": (ways, rows * hidden, hidden),
                  "B": (ways, 2 * rows * hidden), "initial_h": state, "initial_c": state}
        return (request.attributes.get("hidden_size", hidden) == hidden
                and len(request.attributes.get("activation_alpha", [])) == 0
                and all(shapes[name] == wanted[name] for name in shapes if name in wanted))

    def module_of(self, request):
        torch, a = self.torch, request.attributes
        kind = {"onnx.rnn": torch.nn.RNN, "onnx.gru": torch.nn.GRU, "onnx.lstm": torch.nn.LSTM}
        ways = 2 if a.get("direction") == "bidirectional" else 1
        hidden, order = request.shapes["R"][2], self.order[request.op]
        more = {"nonlinearity": a["activations"][0].lower()} if request.op == "onnx.rnn" and a.get(
            "activations") else {}
        module = kind[request.op](request.shapes["X"][2], hidden, bias="B" in request.shapes,
                                  bidirectional=ways == 2, batch_first=bool(a.get("layout")),
                                  **more)
        for d in range(ways):
            tail = "_l0" + ("_reverse" if d else "")
            halves = numpy.split(request.inputs["B"][d], 2) if "B" in request.shapes else ()
            for name, rows in (("weight_ih", request.inputs["W"][d]),
                               ("weight_hh", request.inputs["R"][d]),
                               *zip(("bias_ih", "bias_hh"), halves)):
                gates = rows.reshape(len(order), hidden, -1)[order].reshape(rows.shape)
                getattr(module, name + tail).data = torch.from_numpy(gates.copy())
        return module

    def export(self, module, inputs, feed):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if feed == "exported":
                return self.torch.onnx.export(module, inputs, dynamo=True,
                                              verbose=False).model_proto
            file = io.BytesIO()
            self.torch.onnx.export(module, inputs, file, dynamo=False)
            return onnx.load_from_string(file.getvalue())

    def run(self, request):
        torch, first = self.torch, bool(request.attributes.get("layout"))
        module = self.module_of(request)

        class Flat(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.module = module

            def forward(self, x, *states):
                return self.module(x, *((states if len(states) > 1 else states[0],)
                                        if states else ()))
        # ONNX's layout 1 has the batch first in states, too.
        turned = lambda array: array.swapaxes(0, 1).copy() if first else array.copy()
        states = [turned(request.inputs[name]) for name in ("initial_h", "initial_c")
                  if name in request.inputs]
        given = [request.inputs["X"].copy(), *states]
        model = self.export(Flat(), tuple(map(torch.from_numpy, given)),
                            request.feed or self.feeds[0])
        names = [value.name for value in model.graph.input]
        found = self.runtime.prepare(model, "inputs")(dict(zip(names, given)))
        y, ways = found[0], found[1].shape[0]
        y = y.reshape(*y.shape[:2], ways, -1)  # [T, N, D, H] or [N, T, D, H]
        answer = {"Y": y if first else y.swapaxes(1, 2),
                  **{name: turned(state) for name, state in zip(("Y_h", "Y_c"), found[1:])}}
        return {name: numpy.ascontiguousarray(value) for name, value in answer.items()
                if not request.outputs or name in request.outputs}
