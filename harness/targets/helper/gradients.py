# SPDX-License-Identifier: Apache-2.0
"""Gradients of declared operators by a library's automatic differentiation: the row of the operator
itself is run and differentiated, so that whatever a library serves has its gradient here, and what
it does not serve has none. The gradient of an input X is dX; an input of other than floats has
none."""

from operators import FLOATS, NARROW, Row


class Beside(dict):
    """Each gradient comes beside the others, whatever it is called."""

    def get(self, name, default=()):
        return FLOATS if name[0] == "d" else default


def is_float(array):
    return "float" in str(array.dtype)


def gradients(rows, differentiate, stepwise):
    """`differentiate(function, inputs, seed)` gives a gradient for each of `inputs`, a list;
    `stepwise`: operators of which it rounds each step of a gradient of 16 bits."""
    def of(row):
        def call(attributes, **inputs):
            *names, seed = inputs  # the last one is the gradient of the output
            leaves = [name for name in names if is_float(inputs[name])]
            held = {name: inputs[name] for name in names}

            def function(*values):
                found = row.call(attributes, **held | dict(zip(leaves, values)))
                return next(iter(found.values())) if isinstance(found, dict) else found
            found = differentiate(function, [inputs[name] for name in leaves], inputs[seed])
            return {f"d{name}": one for name, one in zip(leaves, found)}
        return call

    found = {}
    for operator, row in rows.items():
        name = operator.partition(".")[2]
        if row.types & FLOATS:
            found[f"gradient.{name}"] = Row(
                of(row), row.types, row.only,
                NARROW if name in stepwise else row.stepwise, Beside())
    return found
