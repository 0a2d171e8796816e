# SPDX-License-Identifier: Apache-2.0
"""jax.random as a process target.

A request's own settings (x64, the partitionable form) are set in jax for the call. Where a request
has no x64, 64-bit types switch it on. Bounds of randint that do not fit in 32 bits are handed over
with x64 on, which changes nothing else. Without x64, jax replaces some types and prints a warning;
that counts as a refusal.
"""

import contextlib
import warnings

import jax
import jax.numpy as jnp
import numpy
from assay.target import DTYPES, Rejected, Target, Unsupported

OPERATIONS = [
    "jax.key",
    "jax.split",
    "jax.fold_in",
    "jax.bits",
    "jax.uniform",
    "jax.randint",
    "jax.bernoulli",
    "jax.permutation",
    "jax.choice",
    "jax.rademacher",
    "jax.normal",
    "jax.exponential",
    "jax.gumbel",
    "jep263.dropout",
    "jep263.foo",
]


def is_wide(request):
    named = [request.attributes.get(name, "f32") for name in ("dtype", "p_dtype")]
    return any(dtype[1:] == "64" for dtype in named)


def fits_in_32_bits(array):
    return -2**31 <= int(array) < 2**31


class Jax(Target):
    version = jax.__version__
    operations = OPERATIONS

    def __init__(self, name="jax"):
        self.name = name

    def supports(self, request):
        if request.op not in OPERATIONS:
            raise Unsupported(f"jax.random has no {request.op}")
        if request.window:
            raise Unsupported("no windows")

    def run(self, request):
        name = request.op.split(".")[1]
        with contextlib.ExitStack() as stack:
            stack.enter_context(
                jax.threefry_partitionable(request.attributes.get("partitionable", True))
            )
            stack.enter_context(jax.enable_x64(bool(self.needs_x64(request, name))))
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("error", message="Explicitly requested dtype")
            try:
                result = getattr(self, "run_" + name)(request)
            except (TypeError, ValueError, OverflowError, UserWarning) as error:
                raise Rejected(str(error)) from error
            if isinstance(result, jax.Array) and jnp.issubdtype(result.dtype, jax.dtypes.prng_key):
                result = jax.random.key_data(result)
            output = {"key": "key", "fold_in": "key", "split": "keys", "bits": "bits"}.get(
                name, "output"
            )
            return {output: numpy.asarray(result)}

    @staticmethod
    def needs_x64(request, name):
        if "key" in request.inputs and request.inputs["key"].dtype.itemsize == 8:
            return True  # else jax would narrow the key and take it
        if name == "randint":
            fits = all(fits_in_32_bits(request.inputs[bound]) for bound in ("minval", "maxval"))
            return request.attributes.get("x64", False) or (not fits and not is_wide(request))
        if name in ("permutation", "choice"):
            data = request.inputs["x" if name == "permutation" else "a"]
            return data.ndim > 0 and data.dtype.itemsize == 8
        return request.attributes.get("x64", is_wide(request))

    @staticmethod
    def key(request):
        return jax.random.wrap_key_data(
            jnp.asarray(request.inputs["key"]), impl=request.attributes.get("impl", "threefry2x32")
        )

    @staticmethod
    def shape(request, standard=()):
        shape = request.attributes.get("shape", standard)
        return tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)

    @staticmethod
    def dtype(request, standard="f32", name="dtype"):
        return DTYPES[request.attributes.get(name, standard)]

    @staticmethod
    def run_key(request):
        seed = request.inputs["seed"]
        plain = int(seed) if seed.dtype == numpy.int64 else jnp.asarray(seed)
        return jax.random.key(plain, impl=request.attributes.get("impl", "threefry2x32"))

    def run_split(self, request):
        return jax.random.split(self.key(request), self.shape(request, (2,)))

    def run_fold_in(self, request):
        return jax.random.fold_in(self.key(request), request.inputs["data"])

    def run_bits(self, request):
        return jax.random.bits(self.key(request), self.shape(request), self.dtype(request, "u32"))

    def run_uniform(self, request):
        dtype = self.dtype(request)
        low, high = (jnp.asarray(request.inputs.get(name, standard), dtype=dtype)
                     for name, standard in (("minval", 0), ("maxval", 1)))
        return jax.random.uniform(self.key(request), self.shape(request), dtype, low, high)

    def run_randint(self, request):
        low, high = (request.inputs[name] for name in ("minval", "maxval"))
        if all(map(fits_in_32_bits, (low, high))):
            low, high = int(low), int(high)
        return jax.random.randint(
            self.key(request), self.shape(request), low, high, self.dtype(request, "i32")
        )

    def run_bernoulli(self, request):
        return jax.random.bernoulli(
            self.key(request),
            jnp.asarray(request.inputs["p"]),
            self.shape(request),
            mode=request.attributes.get("mode", "low"),
        )

    def run_permutation(self, request):
        x = request.inputs["x"]
        return jax.random.permutation(
            self.key(request),
            jnp.asarray(x) if x.ndim else int(x),
            request.attributes.get("axis", 0),
            request.attributes.get("independent", False),
        )

    def run_choice(self, request):
        a = request.inputs["a"]
        return jax.random.choice(
            self.key(request),
            jnp.asarray(a) if a.ndim else int(a),
            self.shape(request),
            request.attributes.get("replace", True),
            axis=request.attributes.get("axis", 0),
        )

    def run_rademacher(self, request):
        return jax.random.rademacher(
            self.key(request), self.shape(request), self.dtype(request, "i32")
        )

    def run_normal(self, request):
        return jax.random.normal(self.key(request), self.shape(request), self.dtype(request))

    def run_exponential(self, request):
        return jax.random.exponential(self.key(request), self.shape(request), self.dtype(request))

    def run_gumbel(self, request):
        return jax.random.gumbel(self.key(request), self.shape(request), self.dtype(request),
                                 mode=request.attributes.get("mode", "low"))

    def run_foo(self, request):
        """The program that splits; the order of its two calls is the request's."""
        children = jax.random.split(self.key(request), 2)
        first = request.attributes.get("order", "bar_first") == "baz_first"
        drawn = {}
        for i in (first, not first):
            drawn[int(i)] = jax.random.uniform(children[int(i)], self.shape(request))
        return drawn[0] + drawn[1]

    def run_dropout(self, request):
        rate, inputs = (jnp.asarray(request.inputs[name]) for name in ("rate", "inputs"))
        if request.attributes.get("mode", "train") != "train":
            return inputs
        keep = jax.random.bernoulli(self.key(request), rate, inputs.shape)
        return jnp.where(keep, inputs / rate, 0)
