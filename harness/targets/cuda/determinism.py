# SPDX-License-Identifier: Apache-2.0
"""What of PyTorch gives other bits when the same call is made again, in another stream, beside
other work, and as a part of a larger batch.

usage: determinism.py [--device cuda] [DIR]

On a processor threads stand for streams. Prints a table, and writes it to DIR/determinism.md.
"""

import argparse
import os
import sys
import threading

import torch

functional = torch.nn.functional
TIMES, BATCH = 8, 16
SEED = 28


def operations(device):
    """Name, call of a batch, and the batch: rows are independent of each other."""
    made = torch.Generator().manual_seed(SEED)

    def normal(*shape, dtype=torch.float32):
        return torch.randn(shape, generator=made).to(device, dtype)

    weights, square = normal(384, 384), normal(64, 64)
    narrow, scale = normal(384, 384, dtype=torch.bfloat16), normal(384)
    modules = {kind: getattr(torch.nn, kind)(64, 64, batch_first=True).to(device)
               for kind in ("LSTM", "GRU", "RNN")}
    for module in modules.values():
        module.requires_grad_(False)
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=made) / 8)
    yield "matmul, f32", lambda x: x @ weights, normal(BATCH, 384)
    yield "matmul, bf16", lambda x: x @ narrow, normal(BATCH, 384, dtype=torch.bfloat16)
    yield "batched matmul, f32", lambda x: x @ square, normal(BATCH, 64, 64)
    yield "sum, f32", lambda x: x.sum(-1), normal(BATCH, 10007)
    yield "softmax, f32", lambda x: torch.softmax(x, -1), normal(BATCH, 1000)
    yield "layer_norm, f32", lambda x: functional.layer_norm(x, (384,), scale), normal(BATCH, 384)
    yield ("attention, f32", lambda x: functional.scaled_dot_product_attention(x, x, x),
           normal(BATCH, 4, 33, 64))
    for kind, module in modules.items():
        yield f"{kind}, f32", lambda x, module=module: module(x)[0], normal(BATCH, 9, 64)
    yield ("index_add, f32",
           lambda x: torch.zeros(16, device=device).index_add(
               0, torch.arange(x.shape[-1], device=device) % 16, x[0])[None], normal(1, 100003))
    for kind in ("rand", "randn"):
        yield (f"{kind}, one seed",
               lambda x, kind=kind: getattr(torch, kind)(
                   (1, 300000), device=device,
                   generator=torch.Generator(device).manual_seed(SEED)), normal(1, 1))


def elsewhere(call, batch, device):
    """In another stream; on a processor in another thread."""
    if device.type == "cuda":
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            out = call(batch)
        stream.synchronize()
        return out
    out = []
    thread = threading.Thread(target=lambda: out.append(call(batch)))
    thread.start()
    thread.join()
    return out[0]


def beside(call, batch, device):
    """While a product of large matrices is computed elsewhere."""
    load = torch.ones(700, 700, device=device)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            if device.type == "cuda":
                with torch.cuda.stream(torch.cuda.Stream()):
                    load @ load
            else:
                load @ load

    thread = threading.Thread(target=work)
    thread.start()
    try:
        return call(batch)
    finally:
        stop.set()
        thread.join()


def alone(call, batch, _device):
    """Each row by itself."""
    return torch.cat([call(batch[i:i + 1]) for i in range(len(batch))])


WAYS = [("again", lambda call, batch, _device: call(batch)), ("in another stream", elsewhere),
        ("beside other work", beside), ("row by row", alone)]


def differing(first, others):
    """How many elements ever differ from the first answer."""
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[first.element_size()]
    wrong = torch.zeros(first.shape, dtype=torch.bool, device=first.device)
    for other in others:
        wrong |= first.contiguous().view(bits) != other.contiguous().view(bits)
    return int(wrong.sum())


def table(device):
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else \
        "a processor: threads stand for streams"
    yield f"PyTorch {torch.__version__}, {where}. Elements that differ, of {TIMES} calls each:\n"
    yield "| operation | elements | " + " | ".join(name for name, _ in WAYS) + " |"
    yield "|---|---|" + "---|" * len(WAYS)
    for name, call, batch in operations(device):
        first = call(batch)
        counts = []
        for way, run in WAYS:
            times = 1 if run is alone else TIMES
            counts.append(str(differing(first, [run(call, batch, device) for _ in range(times)]))
                          if run is not alone or len(batch) > 1 else "-")
        yield f"| {name} | {first.numel()} | " + " | ".join(counts) + " |"


def main():
    parser = argparse.ArgumentParser(prog="determinism.py")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("folder", metavar="DIR", nargs="?", help="where determinism.md goes")
    given = parser.parse_args()
    lines = []
    for line in table(torch.device(given.device)):
        print(line, flush=True)
        lines.append(line)
    if given.folder:
        with open(os.path.join(given.folder, "determinism.md"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
