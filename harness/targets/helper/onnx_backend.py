# SPDX-License-Identifier: Apache-2.0
"""What runs a model of one node: a known runtime, any module with ONNX's backend interface, or a
command. Each has a name, a version and feeds, the ways in which a model is handed over, the usual
one first: "inputs", "constants" (all inputs but the first are constants of the model), and where
the runtime can leave its optimisation of graphs out, "as_written"."""

import ctypes
import functools
import glob
import importlib
import importlib.metadata
import os
import re
import subprocess
import tempfile

import numpy
import onnx
import onnx.backend.base
from assay.target import (DTYPES, PART_OF_BYTE, WITH_ML_DTYPES, Rejected, Unsupported,
                          dtype_name)
from onnx import numpy_helper
from onnx_node import TYPES, make_model

DRAWING = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform",
           "RandomUniformLike")
BEYOND_NUMPY = {TYPES[name]: name for name in WITH_ML_DTYPES}  # by ONNX's number of the type
INPUTS, CONSTANTS, AS_WRITTEN = "inputs", "constants", "as_written"


def version_of(module, package):
    try:
        return str(getattr(module, "__version__", None) or importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def is_missing(error):
    """Whether the library says that it lacks something, and not that the request is wrong."""
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    return bool(re.search("NotImplemented|Unsupported|NotSupposed", names)
                or re.search("not implemented|unsupported|not supported", str(error),
                             re.IGNORECASE))


def packed(array, bits):
    """The bytes of elements of so many bits as ONNX packs them: the first in the low bits."""
    each = 8 // bits
    codes = numpy.resize(codes_of(array, bits), -(-array.size // each) * each).reshape(-1, each)
    codes[-1:, (array.size - 1) % each + 1:] = 0
    return numpy.bitwise_or.reduce(codes << (bits * numpy.arange(each, dtype=numpy.uint8)), axis=1,
                                   dtype=numpy.uint8)


def codes_of(array, bits):
    return numpy.asarray(array, order="C").reshape(-1).view(numpy.uint8) & ((1 << bits) - 1)


def bytes_of(array, name):
    """The bytes of a tensor of elements of the type `name` as runtimes hold it."""
    if array.size and name in PART_OF_BYTE:
        return packed(array, PART_OF_BYTE[name])
    return numpy.asarray(array, order="C").reshape(-1).view(numpy.uint8)


def array_of(data, name, shape):
    """The array of the bytes of such a tensor."""
    bits = PART_OF_BYTE.get(name)
    if not bits:
        return data.view(DTYPES[name]).reshape(shape)
    codes = data.reshape(-1, 1) >> (bits * numpy.arange(8 // bits, dtype=numpy.uint8))
    return codes_of(codes, bits)[:int(numpy.prod(shape))].view(DTYPES[name]).reshape(shape)


class Backend:
    """`prepare(model, feed)` gives a function from the inputs, by name, to the list of outputs."""

    feeds = (INPUTS, CONSTANTS)
    model = None  # the evaluation model that it declares
    refusals = (Exception,)  # what means that the library refuses the request
    is_missing = staticmethod(is_missing)

    def supports(self, request):
        model, _, _ = make_model(request)
        try:
            self.prepare(model, self.feeds[0])
        except Unsupported:
            raise
        except Exception as why:
            if self.is_missing(why):
                raise Unsupported(str(why)[:300]) from why
            # else the request is wrong, which its run will say

    def run(self, request):
        feed = request.feed or self.feeds[0]
        try:
            model, wanted, fed = make_model(request, feed == CONSTANTS)
            found = self.prepare(model, feed)({name: request.inputs[name] for name in fed})
        except self.refusals as why:
            raise Rejected(f"{type(why).__name__}: {why}") from why
        return dict(zip(wanted, found))


class Reference(Backend):
    """The evaluator that the package onnx brings."""

    feeds = (INPUTS,)
    refusals = (ValueError, TypeError, IndexError, RuntimeError, KeyError, AttributeError)

    def __init__(self, device):
        if device:
            raise ValueError("onnx.reference has no devices")
        self.name, self.version = "onnx.reference", onnx.__version__

    def supports(self, request):
        recurrent = request.op in ("onnx.rnn", "onnx.gru", "onnx.lstm")
        if recurrent and set(request.dtypes.values()) & {"f16", "bf16"}:
            raise Unsupported("sums are rounded to 16 bits on their way: no model declares that")
        super().supports(request)

    @staticmethod
    def is_missing(error):
        return isinstance(error, NotImplementedError)

    @staticmethod
    def prepare(model, _feed):
        from onnx.reference import ReferenceEvaluator
        evaluator = ReferenceEvaluator(model)
        return lambda inputs: evaluator.run(None, dict(inputs))


class OnnxRuntime(Backend):
    """A device is the name of an execution provider: CUDA, OpenVINO, ..."""

    feeds = (INPUTS, AS_WRITTEN, CONSTANTS)
    # Measured by onnxruntime_activations.py with 1.31.1, on every float: beside its ulps the
    # operator Tanh is off by up to 2.062e-7, Sigmoid by 1.779e-7; inside a recurrent node they are
    # off by less. Nodes of f16 it computes in f32, with a cast before the first and after the last
    # alone.
    model = '{"activation_absolute": 2.07e-7, "states": "wide"}'

    def __init__(self, device):
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as errors
        self.runtime = onnxruntime
        self.name, self.version = "onnxruntime", onnxruntime.__version__
        device = device or "CPU"
        self.provider = device if device.endswith("Provider") else device + "ExecutionProvider"
        if self.provider not in onnxruntime.get_available_providers():
            raise ValueError(f"no {self.provider} here; there are "
                             + ", ".join(onnxruntime.get_available_providers()))
        self.missing, self.kept = errors.NotImplemented, {}
        self.refusals = (errors.Fail, errors.InvalidArgument, errors.InvalidGraph,
                         errors.RuntimeException, ValueError, TypeError)

    def is_missing(self, error):
        return (isinstance(error, self.missing) or "layout == 1" in str(error)
                or "official support" in str(error)
                or "Unrecognized attribute" in str(error))

    def session(self, model, feed):
        """A session; of what draws without a seed the same as before, since its runs differ."""
        node = model.graph.node[0]
        drawn = node.op_type in DRAWING and not any(a.name == "seed" for a in node.attribute)
        key = (model.SerializeToString(), None if drawn else feed)
        if key in self.kept:
            return self.kept[key]
        options = self.runtime.SessionOptions()
        options.log_severity_level = 4
        if feed == AS_WRITTEN:
            options.graph_optimization_level = self.runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = self.runtime.InferenceSession(key[0], options, providers=[self.provider])
        if drawn:
            self.kept[key] = session
        return session

    def prepare(self, model, feed):
        session = self.session(model, feed)
        names = [output.name for output in model.graph.output]

        def run(inputs):
            values = {name: self.tensor(array) for name, array in inputs.items()}
            return [self.array(value) for value in session.run_with_ort_values(names, values)]
        return run

    def tensor(self, array):
        """A tensor of the runtime; those of types that NumPy lacks are filled by their bytes."""
        name = dtype_name(array)
        if name not in WITH_ML_DTYPES:
            return self.runtime.OrtValue.ortvalue_from_numpy(array)
        value = self.runtime.OrtValue.ortvalue_from_shape_and_type(list(array.shape), TYPES[name])
        data = bytes_of(array, name).tobytes()
        if data:
            ctypes.memmove(value.data_ptr(), data, len(data))
        return value

    def array(self, value):
        name = BEYOND_NUMPY.get(value.element_type())
        if not name:
            return value.numpy()
        size = value.tensor_size_in_bytes()
        data = ctypes.string_at(value.data_ptr(), size) if size else b""
        return array_of(numpy.frombuffer(data, numpy.uint8), name, value.shape())


class OpenVino(Backend):
    """OpenVINO's front end for ONNX; a device is one of OpenVINO's."""

    # On every f32 from 2^-12 to 8, of both signs, Erf is off by up to 5.655e-7 under AVX2; the
    # factor 1 + erf of Gelu by 6.04e-7 with the roundings of its products.
    model = '{"erf_absolute": 5.66e-7}'
    normalizing = ("onnx.layer_normalization", "onnx.instance_normalization")

    def __init__(self, device):
        import openvino
        self.openvino, self.core, self.device = openvino, openvino.Core(), device or "CPU"
        self.name, self.version = "openvino", openvino.__version__
        self.held = os.environ.get("ONEDNN_MAX_CPU_ISA", "DEFAULT") != "DEFAULT"
        # Compiling takes most of a call, and the calls of a case ask the same model again.
        self.kept = functools.lru_cache(maxsize=64)(self.compile)
        self.beyond_numpy = {name: getattr(openvino.Type, name) for name in WITH_ML_DTYPES
                             if hasattr(openvino.Type, name)}

    @staticmethod
    def is_missing(error):  # of activations it says so when a model is compiled
        return is_missing(error) or "Unknown activation function" in str(error)

    def supports(self, request):
        # OpenVINO asks the processor, not oneDNN, how wide registers are: below such a ceiling its
        # kernel of these operators reads and writes beyond them where the processor has AVX-512.
        if request.op in self.normalizing and self.held:
            raise Unsupported("under a ceiling of oneDNN the kernel of MVN may end the process")
        for kind in request.dtypes.values():
            if kind in WITH_ML_DTYPES and kind not in self.beyond_numpy:
                raise Unsupported(f"OpenVINO has no {kind}")
        super().supports(request)

    def tensor(self, array):
        """A tensor of its own memory; types that NumPy lacks are OpenVINO's by name."""
        name = dtype_name(array)
        kind = self.beyond_numpy.get(name) or self.openvino.Type(array.dtype)
        tensor = self.openvino.Tensor(kind, list(array.shape))
        if array.size:
            tensor.data.reshape(-1).view(numpy.uint8)[:] = bytes_of(array, name)
        return tensor

    def array(self, tensor):
        data = numpy.array(tensor.data)
        name = next((name for name, kind in self.beyond_numpy.items()
                     if tensor.element_type == kind), None)
        return array_of(data.reshape(-1).view(numpy.uint8), name, list(tensor.shape)) \
            if name else data

    def compile(self, model):
        return self.core.compile_model(self.core.read_model(model), self.device,
                                       {"INFERENCE_PRECISION_HINT": "f32"})

    def prepare(self, model, _feed):
        draws = model.graph.node[0].op_type in DRAWING  # and would go on where it ended
        compiled = (self.compile if draws else self.kept)(model.SerializeToString())
        outputs = [output.name for output in model.graph.output]

        def run(inputs):
            request = compiled.create_infer_request()
            # An input that is an output as well bears the name of that alone.
            named = {name for port in compiled.inputs for name in port.names}
            others = (name for name in inputs if name not in named)
            for port in compiled.inputs:
                name = next((name for name in inputs if name in port.names), None) or next(others)
                request.set_tensor(port, self.tensor(inputs[name]))
            request.infer()
            return [self.array(request.get_tensor(name)) for name in outputs]
        return run


class Module(Backend):
    """A module with `prepare`, or with a class that has it, as onnx.backend.base says."""

    def __init__(self, name, device):
        module = importlib.import_module(name)
        self.backend, self.device = module, device or "CPU"
        if not hasattr(module, "prepare"):
            classes = [c for c in vars(module).values() if isinstance(c, type)
                       and issubclass(c, onnx.backend.base.Backend)
                       and c is not onnx.backend.base.Backend]
            if len(classes) != 1:
                raise ValueError(f"{name} has no prepare, and {len(classes)} backends")
            self.backend = classes[0]
        self.name, self.version = name, version_of(module, name.split(".")[0])

    def prepare(self, model, _feed):
        prepared = self.backend.prepare(model, self.device)
        return lambda inputs: list(prepared.run(list(inputs.values())))


class Command(Backend):
    """A command: {model} is the path of the model, {inputs} those of the tensors that it reads and
    {outputs} those that it writes, a word each. It is asked first with neither inputs nor outputs.
    Exit code 2: the model is refused as invalid, 3: it is not supported."""

    REFUSED, UNSUPPORTED = 2, 3

    class Refused(Exception):
        pass

    refusals = (Refused,)

    def __init__(self, words):
        self.words = words
        self.name, self.version = os.path.basename(words[0]), "unknown"
        text = " ".join(words)
        for place in ("{model}", "{inputs}", "{outputs}"):
            if place not in text:
                raise ValueError(f"the command has no {place}")

    def call(self, model, inputs, outputs):
        words = []
        for word in self.words:
            many = {"{inputs}": inputs, "{outputs}": outputs}.get(word)
            words += [word.replace("{model}", model)] if many is None else many
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        said = (done.stderr or done.stdout).strip()[-300:]
        if done.returncode == self.REFUSED:
            raise self.Refused(said or "exit code 2")
        if done.returncode == self.UNSUPPORTED:
            raise Unsupported(said or "exit code 3")
        if done.returncode and inputs + outputs:
            raise RuntimeError(f"the command ended with {done.returncode}: {said}")

    def prepare(self, model, _feed):
        def run(inputs, ask=False):
            with tempfile.TemporaryDirectory() as folder:
                at = lambda name: os.path.join(folder, name)
                onnx.save(model, at("model.onnx"))
                for i, (name, value) in enumerate(inputs.items()):
                    dtype = next(v.type.tensor_type.elem_type for v in model.graph.input
                                 if v.name == name)
                    tensor = onnx.helper.make_tensor(name, dtype, value.shape, value.tobytes(),
                                                     raw=True)
                    onnx.save_tensor(tensor, at(f"input_{i}.pb"))
                count = 0 if ask else len(model.graph.output)
                self.call(at("model.onnx"), sorted(glob.glob(at("input_*.pb"))),
                          [at(f"output_{i}.pb") for i in range(count)])
                return [numpy_helper.to_array(onnx.load_tensor(at(f"output_{i}.pb")))
                        for i in range(count)]
        return run

    def supports(self, request):
        model, _, _ = make_model(request)
        try:
            self.prepare(model, INPUTS)({}, ask=True)
        except self.Refused:
            pass  # its run will say so


CONVERTERS = {"tract": "Tract", "iree": "Iree", "torch.onnx": "TorchExport"}
RUNTIMES = {"onnx.reference": Reference, "onnxruntime": OnnxRuntime, "openvino": OpenVino}


def make_backend(name):
    """The backend of NAME or NAME@DEVICE."""
    module, _, device = name.partition("@")
    if module in CONVERTERS:
        import onnx_converters
        return getattr(onnx_converters, CONVERTERS[module])(device)
    made = RUNTIMES.get(module)
    return made(device) if made else Module(module, device)
