# SPDX-License-Identifier: Apache-2.0
"""JAX for record.py: on the platform that JAX_PLATFORMS names. Products of f32 are those of the
precision that JAX_DEFAULT_MATMUL_PRECISION names; rows.py sets both."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "helper"))
sys.path.append(os.path.join(HERE, ".."))  # last: it has a jax.py

import jax  # noqa: E402
from assay.target import Unsupported  # noqa: E402
from driver import with_driver  # noqa: E402
from jax_nn import JaxOperators  # noqa: E402
from jax_target import Jax  # noqa: E402

DEVICE = jax.devices()[0]
ON_DEVICE = DEVICE.platform != "cpu"
MACHINE = {"processor": with_driver(DEVICE.device_kind)} if ON_DEVICE else {}


VERSION = f"{jax.__version__}, {DEVICE.client.platform_version}".split("\n")[0] if ON_DEVICE \
    else jax.__version__


class Draws(Jax):
    """By JAX's own generators, whose bits no device may change."""

    by_compiler = False

    def __init__(self):
        super().__init__("jax_cuda" if ON_DEVICE else "jax")
        self.version = VERSION

    def supports(self, request):
        super().supports(request)
        generator = request.attributes.get("impl", "threefry2x32")
        if (generator in ("rbg", "unsafe_rbg")) != self.by_compiler:
            raise Unsupported(f"{generator} has another row")


class DrawsRbg(Draws):
    """By the generator of XLA, which each compiler has its own way of."""

    by_compiler = True


class Functions(JaxOperators):
    name = "jax_cuda" if ON_DEVICE else "jax"
    version = VERSION


class Products(Functions):
    pass


class ProductsTf32(Functions):
    model = {"dot": "tf32_tf32_f32", "additions": "truncated"} if ON_DEVICE else None
