# SPDX-License-Identifier: Apache-2.0
"""What is asked on a GPU: a row for each library and setting, with the suites that it answers.

A row is recorded by a module of this folder through record.py, or by a plugin through assay-runner.
`device` and `stand_in` are the environments of a run on a CUDA device and of one on the processor;
a text in their place says why there is none.
"""

import re
from dataclasses import dataclass, field

CUDA, CPU = {"ASSAY_TORCH_DEVICE": "cuda"}, {"ASSAY_TORCH_DEVICE": "cpu"}
FUNCTIONS = ["onnx.softmax", "onnx.log_softmax", "onnx.layer_normalization",
             "onnx.rms_normalization", "onnx.normalization", "onnx.gelu", "onnx.softplus",
             "onnx.reduce_sum", "onnx.cum_sum"]
PRODUCTS = ["onnx.mat_mul", "onnx.gemm"]
ABORTS = "undefined-nothing-*"  # reports/findings/jax-shape-overflow.md
ON_CUDA_ALONE = "PyTorch has this kernel on CUDA alone"


@dataclass
class Row:
    name: str
    suites: list
    place: str  # MODULE.py, MODULE.py:CLASS, or PLUGIN.so below the build folder
    device: object = field(default_factory=dict)
    stand_in: object = field(default_factory=dict)
    module: str = ""  # the Python module that must be there
    case: str = "*"
    without: str = ""  # cases that end the process


def torch(name, suites, kind, file="torch_rows.py", **more):
    return Row(name, suites, f"{file}:{kind}", **{"device": CUDA, "stand_in": CPU,
                                                         "module": "torch", **more})


def jax(name, suites, kind, precision="highest", **more):
    def on(platform):
        return {"JAX_PLATFORMS": platform, "JAX_DEFAULT_MATMUL_PRECISION": precision}

    return Row(name, suites, f"jax_rows.py:{kind}", **{"device": on("cuda"), "stand_in": on("cpu"),
                                                       "module": "jax", **more})


def curand(name, place, device, stand_in, module=""):
    """Two rows: without the one case of 300,000 numbers, of which only twelve are looked at."""
    return [Row(name, ["cousins"], place, device, stand_in, module, case="*curand-[!u]*"),
            Row(name + "-uniform", ["cousins"], place, device, stand_in, module,
                case="*curand-uniform*[!n]")]


def cublas(name, suite, kind, case="*"):
    return Row(name, [suite], f"cublas_products.py:{kind}", {},
               "cuBLAS multiplies on a device alone", case=case)


ROWS = [
    *curand("curand-host-api", "targets/curand.so", {"ASSAY_CURAND_DEVICE": "1"}, {}),
    *curand("curand-device-api", "curand_device_api.py", {}, {"ASSAY_CUDA_STAND_IN": "1"}),
    *curand("cupy-curand", "cupy_curand.py", {},
            "CuPy asks CUDA for its devices before it draws", "cupy"),
    Row("curand-dynamic", [], "", "another array on every device, which no operation "
        "states: curand_dynamic.py says which", "cuRAND's generators on a processor refuse it"),
    cublas("cublas-products", "onnx.mat_mul", "Products"),
    cublas("cublas-products-tf32", "onnx.mat_mul", "ProductsTf32"),
    cublas("cublas-products-narrow", "onnx.mat_mul", "ProductsNarrow"),
    cublas("cublas-products-i8", "onnx.quantization", "ProductsI8", case="[mq][al]*"),
    torch("torch-draws", ["torch.random", "cousins"], "Draws"),
    torch("torch-products", PRODUCTS, "Products"),
    torch("torch-products-tf32", PRODUCTS, "ProductsTf32",
          stand_in="a processor has no tensor cores of tf32"),
    torch("torch-products-narrow", PRODUCTS, "ProductsNarrow"),
    torch("torch-products-i8", ["onnx.quantization"], "ProductsI8", case="[mq][al]*",
          file="torch_8_bits.py"),
    torch("torch-products-f8", ["torch.scaled_mm"], "ProductsF8", file="torch_8_bits.py"),
    torch("torch-functions", FUNCTIONS, "Functions"),
    torch("torch-recurrent", ["onednn.rnn"], "Recurrent", case="[dlot]*"),
    torch("torch-attention-math", ["onnx.attention"], "Attention"),
    torch("torch-attention-flash", ["onnx.attention"], "AttentionFlash"),
    torch("torch-attention-efficient", ["onnx.attention"], "AttentionEfficient",
          stand_in=ON_CUDA_ALONE),
    torch("torch-attention-cudnn", ["onnx.attention"], "AttentionCudnn", stand_in=ON_CUDA_ALONE),
    jax("jax-draws", ["jax.random"], "Draws", case="[!p]*", without=ABORTS),
    jax("jax-draws-pairs", ["jax.random"], "Draws", case="p*"),
    jax("jax-draws-rbg", ["jax.random"], "DrawsRbg", without=ABORTS),
    jax("jax-products", ["onnx.mat_mul"], "Products"),
    jax("jax-products-tf32", ["onnx.mat_mul"], "ProductsTf32", "tensorfloat32",
        stand_in="a processor has no tensor cores of tf32"),
    jax("jax-functions", ["onnx.softmax", "onnx.log_softmax", "onnx.gelu", "onnx.softplus",
                          "onnx.reduce_sum", "onnx.cum_sum", "onnx.attention"], "Functions"),
]


def requests_folder(row, suite):
    """Rows that ask for the same cases of a suite share a folder of requests."""
    if row.case == "*":
        return suite
    return suite + "." + re.sub(r"[^a-z0-9]+", "-", row.case.replace("!", "not-")).strip("-")
