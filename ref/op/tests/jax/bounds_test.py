# SPDX-License-Identifier: Apache-2.0
"""The errors in f64 that ref/op/jax/samplers.c declares for jax.random, derived from what XLA
computes on a CPU.

log1p(x) is x - x^2/2 + x^3 P(x)/Q(x) for |x| < sqrt(2) - 1, with P and Q of Moshier's Cephes, which
were made for x from 1/sqrt(2) - 1 up; else the logarithm of 1 + x. erf_inv(x) is x times one of
three polynomials of w = -log1p(-x^2) or of its root (M. Giles, Approximating the erfinv function,
GPU Computing Gems, 2012). For each argument of a grid, in 140 bits: the distance of these formulas
from the function, and to first order all roundings of an evaluation by Horner's rule, with or
without fused products. What the rounding of x^2 moves is in the bound as an ulp of u."""

import re
import sys

sys.path[:0] = ["harness/tests"]
from tap import check, finish, skip  # noqa: E402

try:
    import mpmath as mp
except ImportError as missing:
    skip("the errors that are declared", str(missing))
    finish()

mp.mp.prec = 140
U = mp.mpf(2)**-53
TOP = mp.sqrt(2) - 1


def numbers(words):
    return [mp.mpf(word) for word in words.split()]


P = numbers("4.5270000862445199635215e-5 0.49854102823193375972212 6.5787325942061044846969"
            " 29.911919328553073277375 60.949667980987787057556 57.112963590585538103336"
            " 20.039553499201281259648")
Q = numbers("1 15.062909083469192043167 83.047565967967209469434 221.76239823732856465394"
            " 309.09872225312059774938 216.42788614495947685003 60.118660497603843919306")
CENTRAL = numbers(
    "-3.6444120640178196996e-21 -1.685059138182016589e-19 1.2858480715256400167e-18"
    " 1.115787767802518096e-17 -1.333171662854620906e-16 2.0972767875968561637e-17"
    " 6.6376381343583238325e-15 -4.0545662729752068639e-14 -8.1519341976054721522e-14"
    " 2.6335093153082322977e-12 -1.2975133253453532498e-11 -5.4154120542946279317e-11"
    " 1.051212273321532285e-9 -4.1126339803469836976e-9 -2.9070369957882005086e-8"
    " 4.2347877827932403518e-7 -1.3654692000834678645e-6 -1.3882523362786468719e-5"
    " 0.0001867342080340571352 -0.00074070253416626697512 -0.0060336708714301490533"
    " 0.24015818242558961693 1.6536545626831027356")
MIDDLE = numbers(
    "2.2137376921775787049e-9 9.0756561938885390979e-8 -2.7517406297064545428e-7"
    " 1.8239629214389227755e-8 1.5027403968909827627e-6 -4.013867526981545969e-6"
    " 2.9234449089955446044e-6 1.2475304481671778723e-5 -4.7318229009055733981e-5"
    " 6.8284851459573175448e-5 2.4031110387097893999e-5 -0.0003550375203628474796"
    " 0.00095328937973738049703 -0.0016882755560235047313 0.0024914420961078508066"
    " -0.0037512085075692412107 0.005370914553590063617 1.0052589676941592334"
    " 3.0838856104922207635")
TAIL = numbers(
    "-2.7109920616438573243e-11 -2.5556418169965252055e-10 1.5076572693500548083e-9"
    " -3.7894654401267369937e-9 7.6157012080783393804e-9 -1.4960026627149240478e-8"
    " 2.9147953450901080826e-8 -6.7711997758452339498e-8 2.2900482228026654717e-7"
    " -9.9298272942317002539e-7 4.5260625972231537039e-6 -1.9681778105531670567e-5"
    " 7.5995277030017761139e-5 -0.00021503011930044477347 -0.00013871931833623122026"
    " 1.0103004648645343977 4.8499064014085844221")


def roundings(coefficients, x):
    """Of Horner's rule: the term of degree k passes 2 k + 1 of them, and its coefficient is one."""
    degree = len(coefficients) - 1
    return U * sum((2 * (degree - i) + 2) * abs(c * x**(degree - i))
                   for i, c in enumerate(coefficients))


def relative(coefficients, x):
    return roundings(coefficients, x) / abs(mp.polyval(coefficients, x))


def ulp(value):
    return mp.mpf(2)**(mp.floor(mp.log(value, 2)) - 52)


def log1p_error(u):
    """Of -log1p(-u), u below sqrt(2) - 1; absolute."""
    value, quotient = -mp.log1p(-u), mp.polyval(P, -u) / mp.polyval(Q, -u)
    cubic, square = u**3 * quotient, u * u / 2
    rounded = abs(cubic) * (relative(P, -u) + relative(Q, -u) + 4 * U) + U * square
    return (abs(u + square + cubic - value) + rounded
            + U * (abs(square + cubic) + rounded) + U * value)


def normal_ulps(w):
    """Of sqrt(2) erf_inv(x) where -log1p(-x^2) is w."""
    square = -mp.expm1(-w)
    x = mp.sqrt(square)
    inverse = mp.erfinv(x)
    root = mp.sqrt(w)
    polynomial, z, slope = (
        (CENTRAL, w - mp.mpf(25) / 8, mp.mpf(1)) if w < mp.mpf(25) / 4 else
        (MIDDLE, root - mp.mpf(13) / 4, 1 / (2 * root)) if w < 16 else
        (TAIL, root - 5, 1 / (2 * root)))
    p, change = mp.polyval(polynomial, z, derivative=True)
    of_w = log1p_error(square) if square < TOP else 3 * U * max(w, 1)
    of_z = slope * of_w + U * (abs(z) + (0 if polynomial is CENTRAL else root))
    error = (abs(p * x / inverse - 1) + abs(change) * of_z / abs(p) + relative(polynomial, z)
             + 3 * U)
    value = mp.sqrt(2) * inverse
    return error * value / ulp(value)


with open("ref/op/jax/samplers.c", encoding="utf-8") as file:
    declared = {name: {int(n) for n in re.findall(
        rf"case NUM_{name}:\s+return dtype == DTYPE_F64 \? (\d+)", text)}
        for text in [file.read()] for name in ("NORMAL_QUANTILE", "EXPONENTIAL", "GUMBEL_HIGH")}
grid = [TOP * k / 4000 for k in range(1, 4000)] + [TOP * (1 - mp.mpf(10)**-k) for k in range(4, 17)]
worst = mp.ceil(max(log1p_error(u) / ulp(-mp.log1p(-u)) for u in grid))
for name in ("EXPONENTIAL", "GUMBEL_HIGH"):
    check(declared[name] == {int(worst)}, f"log1p of f64, {name}: the error that is derived",
          f"declared {declared[name]}, derived {worst}")
ends = [-mp.log1p(-u) for u in grid[::10] + grid[-13:]]
beyond = [mp.mpf(k) / 16 for k in range(9, 577)] + [52 * mp.log(2)]
worst = mp.ceil(max(map(normal_ulps, ends + beyond)))
check(declared["NORMAL_QUANTILE"] == {int(worst)}, "erf_inv of f64: the error that is derived",
      f"declared {declared['NORMAL_QUANTILE']}, derived {worst}")
finish()
