# SPDX-License-Identifier: Apache-2.0
"""What of PyTorch and of JAX gives other bits when the same call is made again, in another stream,
beside other work, and as a part of a larger batch.

usage: determinism.py [--device cuda] [DIR]

On a processor, and with JAX, threads stand for streams. Prints a table for each library, and what
differs, by operation, and writes both to DIR/determinism.md. A library that is missing is named.
"""

import argparse
import os
import sys
import threading

import numpy

TIMES, BATCH = 8, 16
SEED = 28


def in_a_thread(call):
    out = []
    thread = threading.Thread(target=lambda: out.append(call()))
    thread.start()
    thread.join()
    return out[0]


class OfTorch:
    """PyTorch on a device."""

    def __init__(self, device):
        import torch

        self.torch, self.device = torch, torch.device(device)
        self.on_cuda = self.device.type == "cuda"
        where = torch.cuda.get_device_name(self.device) if self.on_cuda else "a processor"
        self.what = f"PyTorch {torch.__version__}, {where}"
        self.load = torch.ones(700, 700, device=self.device)
        self.made = torch.Generator().manual_seed(SEED)

    def normal(self, *shape, dtype=None):
        return self.torch.randn(shape, generator=self.made).to(self.device,
                                                               dtype or self.torch.float32)

    def products(self):
        torch, normal = self.torch, self.normal
        weights, square = normal(384, 384), normal(64, 64)
        yield "matmul, f32", lambda x: x @ weights, normal(BATCH, 384)
        for name, dtype in (("f16", torch.float16), ("bf16", torch.bfloat16)):
            narrow = normal(384, 384, dtype=dtype)
            yield (f"matmul, {name}", lambda x, narrow=narrow: x @ narrow,
                   normal(BATCH, 384, dtype=dtype))
        one, f8 = torch.ones((), device=self.device), torch.float8_e4m3fn
        columns = normal(384, 384).to(f8).t()
        yield ("_scaled_mm, e4m3",
               lambda x: torch._scaled_mm(x, columns, one, one, out_dtype=torch.bfloat16),
               normal(BATCH, 384).to(f8))
        integers = (weights * 40).to(torch.int8)
        yield ("_int_mm, i8", lambda x: torch._int_mm(self.rows_of_32(x), integers)[:len(x)],
               (normal(BATCH, 384) * 40).to(torch.int8))
        yield "batched matmul, f32", lambda x: x @ square, normal(BATCH, 64, 64)

    def rows_of_32(self, x):
        return self.torch.nn.functional.pad(x, (0, 0, 0, -len(x) % 32))

    def functions(self):
        torch, normal = self.torch, self.normal
        functional, scale = torch.nn.functional, normal(384)
        yield "sum, f32", lambda x: x.sum(-1), normal(BATCH, 10007)
        yield "cumsum, f32", lambda x: x.cumsum(-1), normal(BATCH, 1000)
        yield "softmax, f32", lambda x: torch.softmax(x, -1), normal(BATCH, 1000)
        yield "log_softmax, f32", lambda x: torch.log_softmax(x, -1), normal(BATCH, 1000)
        yield "gelu, f32", functional.gelu, normal(BATCH, 1000)
        yield ("layer_norm, f32", lambda x: functional.layer_norm(x, (384,), scale),
               normal(BATCH, 384))
        yield ("rms_norm, f32", lambda x: functional.rms_norm(x, (384,), scale),
               normal(BATCH, 384))

    def attention(self):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        def by(kernel):
            def call(x):
                with sdpa_kernel(kernel):
                    return self.torch.nn.functional.scaled_dot_product_attention(x, x, x)
            return call

        kernels = [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION]
        kernels += [SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION] * self.on_cuda
        for kernel in kernels:
            name = kernel.name.partition("_ATTENTION")[0].lower()
            yield (f"attention, {name}, bf16", by(kernel),
                   self.normal(BATCH, 4, 33, 64, dtype=self.torch.bfloat16))

    def recurrent(self):
        for kind in ("LSTM", "GRU", "RNN"):
            module = getattr(self.torch.nn, kind)(64, 64, batch_first=True).to(self.device)
            module.requires_grad_(False)
            for parameter in module.parameters():
                parameter.copy_(self.torch.randn(parameter.shape, generator=self.made) / 8)
            yield (f"{kind}, f32", lambda x, module=module: module(x)[0],
                   self.normal(BATCH, 9, 64))

    def without_a_batch(self):
        torch = self.torch
        yield ("index_add, f32",
               lambda x: torch.zeros(16, device=self.device).index_add(
                   0, torch.arange(x.shape[-1], device=self.device) % 16, x[0])[None],
               self.normal(1, 100003))
        for kind in ("rand", "randn", "bernoulli", "randperm"):
            yield (f"{kind}, one seed", lambda x, kind=kind: self.drawn(kind),
                   torch.empty(0, device=self.device))

    def drawn(self, kind):
        generator = self.torch.Generator(self.device).manual_seed(SEED)
        chosen = {"generator": generator, "device": self.device}
        if kind == "bernoulli":
            return self.torch.empty(300000, device=self.device).bernoulli_(0.3,
                                                                           generator=generator)
        return getattr(self.torch, kind)(300000, **chosen)

    def operations(self):
        """Name, call of a batch, and the batch: rows are independent of each other."""
        for some in (self.products, self.functions, self.attention, self.recurrent,
                     self.without_a_batch):
            yield from some()

    def elsewhere(self, call, batch):
        if not self.on_cuda:
            return in_a_thread(lambda: call(batch))
        stream = self.torch.cuda.Stream()
        stream.wait_stream(self.torch.cuda.current_stream())
        with self.torch.cuda.stream(stream):
            out = call(batch)
        stream.synchronize()
        return out

    def work(self):
        """A product of large matrices, elsewhere."""
        if self.on_cuda:
            with self.torch.cuda.stream(self.torch.cuda.Stream()):
                self.load @ self.load
        else:
            self.load @ self.load

    def joined(self, rows):
        return self.torch.cat(rows)

    def bits(self, array):
        width = {1: "int8", 2: "int16", 4: "int32", 8: "int64"}[array.element_size()]
        return array.contiguous().view(getattr(self.torch, width)).cpu().numpy()


class OfJax:
    """JAX on its first device."""

    def __init__(self, device):
        os.environ.setdefault("JAX_PLATFORMS", device)
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax

        here = jax.devices()[0]
        where = "a processor" if here.platform == "cpu" else here.device_kind
        self.jax, self.what = jax, f"JAX {jax.__version__}, {where}"
        self.numbers = numpy.random.default_rng(SEED)
        self.load = jax.numpy.ones((700, 700))

    def normal(self, *shape, dtype="float32"):
        return self.jax.numpy.asarray(self.numbers.standard_normal(shape), dtype)

    def operations(self):
        jax, jnp, normal = self.jax, self.jax.numpy, self.normal
        for dtype in ("float32", "bfloat16"):
            weights = normal(384, 384, dtype=dtype)
            yield (f"matmul, {dtype}", jax.jit(lambda x, weights=weights: x @ weights),
                   normal(BATCH, 384, dtype=dtype))
        yield "sum, float32", jax.jit(lambda x: x.sum(-1)), normal(BATCH, 10007)
        yield "cumsum, float32", jax.jit(lambda x: jnp.cumsum(x, -1)), normal(BATCH, 1000)
        yield "softmax, float32", jax.jit(jax.nn.softmax), normal(BATCH, 1000)
        yield "gelu, float32", jax.jit(jax.nn.gelu), normal(BATCH, 1000)
        yield ("attention, float32",
               jax.jit(lambda x: jax.nn.dot_product_attention(x, x, x)), normal(BATCH, 33, 4, 64))
        yield ("scatter-add, float32",
               jax.jit(lambda x: jnp.zeros(16).at[jnp.arange(x.shape[-1]) % 16].add(x[0])[None]),
               normal(1, 100003))
        for generator in ("threefry2x32", "rbg"):
            for kind in ("uniform", "normal"):
                yield (f"{kind}, {generator}",
                       lambda x, kind=kind, generator=generator: getattr(jax.random, kind)(
                           jax.random.key(SEED, impl=generator), (300000,)), normal(0))

    def elsewhere(self, call, batch):
        return in_a_thread(lambda: call(batch))

    def work(self):
        (self.load @ self.load).block_until_ready()

    def joined(self, rows):
        return self.jax.numpy.concatenate(rows)

    def bits(self, array):
        array = numpy.asarray(array)
        return array.view(f"i{array.dtype.itemsize}")


def beside(library, call, batch):
    """While something else is computed elsewhere."""
    stop = threading.Event()

    def work():
        while not stop.is_set():
            library.work()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        return library.bits(call(batch))
    finally:
        stop.set()
        thread.join()


WAYS = [("again", lambda library, call, batch: library.bits(call(batch))),
        ("in another stream",
         lambda library, call, batch: library.bits(library.elsewhere(call, batch))),
        ("beside other work", beside)]
ALONE = "row by row"


def counts_of(library, call, batch):
    """How many elements there are, and of each way how many ever differ from the first answer."""
    first, counts = library.bits(call(batch)), {}
    for way, run in WAYS:
        wrong = numpy.zeros(first.shape, bool)
        for _ in range(TIMES):
            wrong |= run(library, call, batch) != first
        counts[way] = int(wrong.sum())
    if len(batch) > 1:
        rows = library.joined([call(batch[i:i + 1]) for i in range(len(batch))])
        counts[ALONE] = int((library.bits(rows) != first).sum())
    return first.size, counts


def table(library):
    ways = [*(way for way, _ in WAYS), ALONE]
    yield f"{library.what}. Elements that differ, of {TIMES} calls each:\n"
    yield "| operation | elements | " + " | ".join(ways) + " |"
    yield "|---|---|" + "---|" * len(ways)
    told = {way: [] for way in ways}
    for name, call, batch in library.operations():
        size, counts = counts_of(library, call, batch)
        for way in ways:
            told[way] += [name] * bool(counts.get(way))
        yield f"| {name} | {size} | " + " | ".join(str(counts.get(way, "-")) for way in ways) + " |"
    yield ""
    for way, names in told.items():
        yield f"- What differs {way}: {'; '.join(names) or 'nothing'}."


def main():
    parser = argparse.ArgumentParser(prog="determinism.py")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("folder", metavar="DIR", nargs="?", help="where determinism.md goes")
    given = parser.parse_args()
    lines = ["Where there is no CUDA device, and with JAX, threads stand for streams.\n"]
    for of in (OfTorch, OfJax):
        try:
            library = of(given.device)
        except (ImportError, RuntimeError) as why:
            lines.append(f"\n{of.__doc__} Not asked: {why}.")
            print(lines[-1], flush=True)
            continue
        lines.append("")
        for line in table(library):
            print(line, flush=True)
            lines.append(line)
    if given.folder:
        with open(os.path.join(given.folder, "determinism.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
