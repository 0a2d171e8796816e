# SPDX-License-Identifier: Apache-2.0
"""Gradients of declared operators by a library's automatic differentiation: the row of the operator
itself is run and differentiated, so that whatever a library serves has its gradient here, and what
it does not serve has none. The gradient of an input X is dX; an input of other than floats has
none."""

from operators import FLOATS, NARROW, Row, past_of

# What stands in place of inputs that are absent, where they have a gradient.
WHOLE = {"onnx.attention": past_of}


class Beside(dict):
    """Each gradient comes beside the others, whatever it is called."""

    def get(self, name, default=()):
        return FLOATS if name[0] == "d" else default


def is_float(array):
    return "float" in str(array.dtype)


def gradients(rows, differentiate, stepwise):
    """`differentiate(function, inputs, seeds)` gives a gradient for each of `inputs`, a list, of a
    function that gives a list, an output for each of `seeds`; `stepwise`: operators of which it
    rounds each step of a gradient of 16 bits."""
    def of(operator, row):
        def call(attributes, **inputs):
            inputs = WHOLE.get(operator, lambda _, same: same)(attributes, inputs)
            # dY is the seed of an output Y beside the first, of which it is the last that is left.
            beside = {name: inputs.pop(f"d{name}") for name in row.beside if f"d{name}" in inputs}
            _, seed = inputs.popitem()
            leaves = [name for name in inputs if is_float(inputs[name])]

            def function(*values):
                found = row.call(attributes, **inputs | dict(zip(leaves, values)))
                if not isinstance(found, dict):
                    return [found]
                return [next(iter(found.values())), *(found[name] for name in beside)]
            found = differentiate(function, [inputs[name] for name in leaves],
                                  [seed, *beside.values()])
            return {f"d{name}": one for name, one in zip(leaves, found)}
        return call

    found = {}
    for operator, row in rows.items():
        name = operator.partition(".")[2]
        if row.types & FLOATS:
            found[f"gradient.{name}"] = Row(
                of(operator, row), row.types, row.only,
                NARROW if name in stepwise else row.stepwise, Beside())
    return found
