# SPDX-License-Identifier: Apache-2.0
"""jax.numpy, jax.nn and jax.lax on the CPU: the declared operators that they have."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:1] = [os.path.join(HERE, "helper"), os.path.join(HERE, "..", "python")]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

try:
    import jax  # noqa: E402
    from assay.target import Target, Unsupported  # noqa: E402
    from casts import ONNX_TYPES  # noqa: E402
    from jax_operators import JAX  # noqa: E402
except ImportError as missing:
    sys.exit(str(missing))


class JaxOperators(Target):
    name = "jax_nn"
    # Of every f32 from 2^-14 to 16 tanh is off by up to 4.90 ulps
    # (reports/findings/jax-tanh-f32.md).
    model = '{"tanh_ulps": 5}'
    version = jax.__version__
    operations = list(JAX.rows)

    def supports(self, request):
        if request.op not in JAX:
            raise Unsupported(f"jax has no {request.op}")
        JAX.supports(request)

    def run(self, request):
        kinds = {*request.dtypes.values(), ONNX_TYPES.get(request.attributes.get("to"), "")}
        with jax.enable_x64("64" in "".join(kinds)):
            return JAX.run(request)


if __name__ == "__main__":
    JaxOperators().serve()
    # All answers are written by now. At the end of input the harness waits as long as a call may
    # take (10 s), and XLA would give back what it compiled for thousands of requests one by one,
    # which takes longer: 800 programs take seconds. So the system takes back their memory.
    sys.stdout.flush()
    os._exit(0)
