# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's stateless generator behind the operations tensorflow.*."""

import tensorflow
from assay.target import Rejected, Target, Unsupported

DTYPES = {
    "u32": tensorflow.uint32,
    "u64": tensorflow.uint64,
    "i32": tensorflow.int32,
    "i64": tensorflow.int64,
    "f16": tensorflow.float16,
    "bf16": tensorflow.bfloat16,
    "f32": tensorflow.float32,
    "f64": tensorflow.float64,
}


class TensorFlow(Target):
    name = "tensorflow"
    version = tensorflow.__version__
    operations = ["tensorflow.stateless_bits", "tensorflow.stateless_uniform"]

    def supports(self, request):
        if request.op not in self.operations:
            raise Unsupported(f"TensorFlow has no {request.op}")
        if request.window:
            raise Unsupported("no windows")

    def run(self, request):
        is_bits = request.op.endswith("bits")
        name = request.attributes.get("dtype", "u32" if is_bits else "f32")
        shape = request.attributes.get("shape", [])
        low, high = (request.inputs.get(bound) for bound in ("minval", "maxval"))
        if name[0] == "f" or name == "bf16":
            low, high = 0 if low is None else low, 1 if high is None else high
        try:
            output = tensorflow.random.stateless_uniform(
                shape if isinstance(shape, list) else [shape],
                request.inputs["seed"],
                low,
                high,
                DTYPES[name],
                alg="philox",
            )
        except (ValueError, TypeError, tensorflow.errors.InvalidArgumentError) as error:
            raise Rejected(str(error)) from error
        return {"output": output.numpy()}
