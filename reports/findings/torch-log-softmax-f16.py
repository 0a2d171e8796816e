# SPDX-License-Identifier: Apache-2.0
"""log_softmax of two logits of 16 bits, 0 and -k: what torch gives for the larger one, along the
last axis and along the first, beside -log(1 + exp(-k)), and -log of that sum rounded to 16 bits."""

import math

import torch

print("torch", torch.__version__)
print("type      k  right         last axis     first axis    with the sum in 16 bits")
wrong = 0
for dtype, bits in ((torch.float16, 11), (torch.bfloat16, 8)):
    for k in range(4, 12):
        logits = torch.tensor([0.0, -k], dtype=dtype)
        last, first = (torch.log_softmax(logits.reshape(shape), axis).flatten()[0].item()
                       for shape, axis in (((1, 2), 1), ((2, 1), 0)))
        total = 1 + math.exp(-k)
        right = torch.tensor(-math.log(total)).to(dtype).item()
        cut = torch.tensor(-math.log(torch.tensor(total).to(dtype).item())).to(dtype).item()
        print(f"{str(dtype)[6:]:8} {k:2}  {right:<12.6g}  {last:<12.6g}  {first:<12.6g}  {cut:.6g}")
        # Four units in the last place at the right number.
        wrong += abs(last - right) > 4 * max(2.0**-24, math.ldexp(1, math.frexp(right)[1] - bits))
raise SystemExit(1 if wrong else 0)
