# SPDX-License-Identifier: Apache-2.0
"""Kinds of number that the model of the RNN (onednn_rnn_model.py) computes in.

- Nodes: exact fractions, every node rounded once (functions from 60 decimal digits): the reference
  must equal it bit for bit;
- Digits: 50 decimal digits without rounding, and Dual: the same with a derivative: the arbiters of
  a gradient;
- Doubles: binary64 without rounding.
"""

import decimal
import math
from fractions import Fraction

decimal.getcontext().prec = 60
FORMATS = {"f32": (24, -126, 127), "bf16": (8, -126, 127), "f16": (11, -14, 15)}


def round_fraction(x, dtype):
    """To nearest even; overflow does not happen in these tests. In integers, which takes a quarter
    of the time that fractions take."""
    precision, low, high = FORMATS[dtype]
    above, below = x.numerator, x.denominator
    if not above:
        return Fraction(0)
    exponent = abs(above).bit_length() - below.bit_length()  # or one less
    if abs(above) << max(-exponent, 0) < below << max(exponent, 0):
        exponent -= 1
    last = max(exponent, low) - precision + 1
    above, below = above << max(-last, 0), below << max(last, 0)
    units, rest = divmod(above, below)
    units += 2 * rest > below or (2 * rest == below and units % 2)
    assert abs(units) < 1 << high + 1 - last
    return Fraction(units << max(last, 0), 1 << max(-last, 0))


class Nodes:
    """Exact values, rounded where a node is stored."""
    number = Fraction

    @staticmethod
    def store(x, dtype):
        return round_fraction(x, dtype)

    @staticmethod
    def of_decimal(value):
        return round_fraction(Fraction(value), "f32")

    @classmethod
    def tanh(cls, x):
        return (
            cls.of_decimal(
                Digits.tanh(decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator))
            )
            if x
            else x
        )

    @classmethod
    def logistic(cls, x):
        return cls.of_decimal(
            Digits.logistic(decimal.Decimal(x.numerator) / decimal.Decimal(x.denominator))
        )


class Digits:
    @staticmethod
    def number(x):
        return decimal.Decimal(Fraction(x).numerator) / decimal.Decimal(Fraction(x).denominator)

    @staticmethod
    def store(x, dtype):
        return x

    @staticmethod
    def tanh(x):
        with decimal.localcontext() as context:  # tiny arguments cancel
            context.prec = 120
            e = (2 * x).exp()
            return (e - 1) / (e + 1)

    @staticmethod
    def logistic(x):
        return 1 / (1 + (-x).exp())


class Dual:
    """value + slope * epsilon."""

    def __init__(self, value, slope=decimal.Decimal(0)):
        self.value, self.slope = value, slope

    @staticmethod
    def lift(x):
        return x if isinstance(x, Dual) else Dual(decimal.Decimal(x))

    def __add__(self, other):
        other = Dual.lift(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other):
        other = Dual.lift(other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __neg__(self):
        return Dual(-self.value, -self.slope)

    def __sub__(self, other):
        return self + -Dual.lift(other)

    def __rsub__(self, other):
        return Dual.lift(other) - self

    def __gt__(self, other):
        return self.value > other

    __radd__, __rmul__ = __add__, __mul__


class Duals:
    number = staticmethod(lambda x: Dual(Digits.number(x)))

    @staticmethod
    def store(x, dtype):
        return x

    @staticmethod
    def tanh(x):
        y = Digits.tanh(x.value)
        return Dual(y, (1 - y * y) * x.slope)

    @staticmethod
    def logistic(x):
        y = Digits.logistic(x.value)
        return Dual(y, y * (1 - y) * x.slope)


class Doubles:
    number = float
    tanh = staticmethod(math.tanh)

    @staticmethod
    def store(x, dtype):
        return x

    @staticmethod
    def logistic(x):
        return 1 / (1 + math.exp(-x)) if x > -700 else 0.0
