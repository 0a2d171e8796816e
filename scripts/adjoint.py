# SPDX-License-Identifier: Apache-2.0
"""Adjoints of the operands of an expression, from that of the expression: one rule for each word.

A text stands for an expression of the language. One of class Exact has the shape of what it is the
adjoint of; another may have to be summed where its operand was broadcast."""

import ast
import re

# f'(x), with x for the operand.
SLOPES = {
    "exp": "exp(x)", "expm1": "exp(x)", "log": "1 / x", "log1p": "1 / (1 + x)",
    "tanh": "1 - square(tanh(x))", "logistic": "logistic(x) * logistic(-x)",
    "erf": "2 / sqrt(pi) * exp(-square(x))", "sin": "cos(x)", "cos": "-sin(x)",
    "tan": "1 + square(tan(x))", "sinh": "cosh(x)", "cosh": "sinh(x)",
    "asin": "rsqrt(1 - square(x))", "acos": "-rsqrt(1 - square(x))", "atan": "1 / (1 + square(x))",
    "asinh": "rsqrt(1 + square(x))", "acosh": "rsqrt((x - 1) * (x + 1))",
    "atanh": "1 / (1 - square(x))",
    "sqrt": "1 / (2 * sqrt(x))", "rsqrt": "-rsqrt(x) / (2 * x)", "square": "2 * x",
    "abs": "sign(x)", "neg": "-1",
}
FLAT = {"floor", "ceil", "trunc", "round_even", "sign", "argmax"}
MOVED = {"reshape", "squeeze", "unsqueeze", "split", "join"}
# Words that put elements elsewhere, leave some out, or add numbers to them.
PLACED = {"slice", "pad", "gather", "concat"}
# In and after a scan: each is a leaf of its own.
STEPS = {"step", "before", "steps"}
SHAPES = {"shape", "rank", "size", "present", "type", "iota", "range", "broadcast_axes"}


class Underivable(Exception):
    pass


class Exact(str):
    """The adjoint of something, in its shape."""


class Reduced(str):
    """The same for all of some axes, which have size 1."""


def kept(g, x, text):
    """g times a slope at x: where g is no larger than x, in the shape of x."""
    same = isinstance(g, (Exact, Reduced)) and x in text.removeprefix(f"({g} ")
    return Exact(text) if same else text


def parsed(text):
    return ast.parse(re.sub(r"\bif\(", "if_(", str(text)).strip(), mode="eval").body


def spelled(tree):
    return re.sub(r"\bif_\(", "if(", ast.unparse(tree))


def nested(tree):
    """As an operand of anything."""
    text = spelled(tree)
    return text if isinstance(tree, (ast.Name, ast.Call, ast.Constant)) else f"({text})"


def names_in(tree):
    """The names in an expression, without those of functions."""
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called}


def word_of(tree):
    return tree.func.id if isinstance(tree, ast.Call) else None


def moved_by(tree):
    """The names on which the value of `tree` depends smoothly: not by their shapes, nor by what
    they are compared with."""
    if isinstance(tree, ast.Name):
        return {tree.id}
    if isinstance(tree, (ast.Compare, ast.BoolOp)) or word_of(tree) in SHAPES | FLAT:
        return set()
    parts = tree.args if isinstance(tree, ast.Call) else ast.iter_child_nodes(tree)
    return set().union(*map(moved_by, parts), set())


def scalar(tree, tensors):
    """Whether it is one number, which shapes and attributes decide."""
    if isinstance(tree, ast.Name):
        return tree.id not in tensors
    return word_of(tree) in SHAPES - {"iota"} or word_of(tree) not in MOVED | PLACED and all(
        scalar(x, tensors) for x in getattr(tree, "args", ast.iter_child_nodes(tree))
        if isinstance(x, ast.expr))


def over_axes(tree, lists):
    """Whether it is a list of axes: `lists` are attributes that may be one."""
    if isinstance(tree, ast.Call):
        return tree.func.id == "range" or tree.func.id == "if_" and any(
            over_axes(branch, lists) for branch in tree.args[1:])
    return isinstance(tree, ast.List) or isinstance(tree, ast.Name) and tree.id in lists


def inverted(axes, rank):
    """The text of the order that undoes an order of axes."""
    if isinstance(axes, ast.List) and all(isinstance(x, ast.Constant) for x in axes.elts):
        order = [x.value for x in axes.elts]
        return str([order.index(i) for i in range(len(order))])
    return f"places({spelled(axes)}, range(0, {rank}))"


def small(tree):
    """A number, or a tensor that was shaped to be broadcast."""
    if word_of(tree) == "if_":
        return all(map(small, tree.args[1:]))
    return isinstance(tree, ast.Constant) or word_of(tree) == "reshape"


def size(tree, axis):
    """The text of a size of an expression."""
    word = word_of(tree)
    if word == "split" and tree.args[1].value == axis:
        return spelled(tree.args[2])
    if word == "if_":
        found = {size(branch, axis) for branch in tree.args[1:]}
        if len(found) == 1:
            return found.pop()
    if word == "einsum":
        sides, out = tree.args[0].value.split("->")
        for letters, operand in zip(sides.split(","), tree.args[1:]):
            if out[axis] in letters:
                return size(operand, letters.index(out[axis]))
    return f"size({spelled(tree)}, {axis})"


def bounded(word, edge, tree):
    """z, where `tree` is a min(1, z) that a max compares with the `edge` 0, or the reverse: the
    number 1 never decides that."""
    if isinstance(tree, ast.Call) and tree.func.id in ("max", "min") and tree.func.id != word and (
            isinstance(edge, ast.Constant) and isinstance(tree.args[0], ast.Constant)):
        other = tree.args[0].value
        if edge.value < other if word == "max" else edge.value > other:
            return tree.args[1]
    return tree


class Reverse:
    """Adjoints of leaves, from that of an expression: (what stands around it, it) of each branch.
    The derivatives of `way` hold in place of the usual ones. The graph knows which names are
    `live`, which inputs have to be there, and the nodes that are windows of a name and nothing
    else: `views`."""

    def __init__(self, graph, way):
        self.graph, self.way, self.found = graph, way, {}
        self.views = graph.views

    def is_active(self, tree):
        return bool(moved_by(tree) & self.graph.live)

    def push(self, tree, g):
        """`g`, a text that may be an operand, is the adjoint of `tree`."""
        if not self.is_active(tree):
            return
        if isinstance(tree, ast.Name) or word_of(tree) in STEPS:
            leaf = spelled(tree)
            self.found.setdefault(leaf, []).append(("{}", Exact(g) if leaf in self.views else g))
        elif isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            self.push(tree.operand, f"(-{g})")
        elif isinstance(tree, ast.BinOp):
            self.arithmetic(tree, g)
        elif isinstance(tree, ast.Call):
            self.call(tree.func.id, tree.args, g)
        elif not isinstance(tree, (ast.Compare, ast.BoolOp)):
            raise Underivable(spelled(tree))

    def arithmetic(self, tree, g):
        a, b = nested(tree.left), nested(tree.right)
        if isinstance(tree.op, ast.Add):
            self.push(tree.left, g if small(tree.right) or self.fits(tree.right, tree.left) else
                      str(g))
            self.push(tree.right, g if small(tree.left) and not small(tree.right) or self.fits(
                tree.left, tree.right) else str(g))
        elif isinstance(tree.op, ast.Sub):
            self.push(tree.left, g if self.fits(tree.right, tree.left) else str(g))
            self.push(tree.right, type(g if self.fits(tree.left, tree.right) else "")(f"(-{g})"))
        elif isinstance(tree.op, ast.Mult):
            self.push(tree.left, self.scaled(g, f"({g} * {b})", tree.left, tree.right))
            self.push(tree.right, self.scaled(g, f"({g} * {a})", tree.right, tree.left))
        else:
            text = self.way.get("share", "(g / b)")
            self.push(tree.left, re.sub(r"\b[gb]\b", lambda of: {"g": g, "b": b}[of[0]], text))
            usual = "(-g / square(b))" if a == "1" else "(-g * a / square(b))"
            text = self.way.get("over", usual)
            self.push(tree.right, re.sub(r"\b[gab]\b", lambda of: {"g": g, "a": a, "b": b}[of[0]],
                                         text))

    def scaled(self, g, text, tree, by):
        """g times a factor is the adjoint of `tree`, in its shape where the factor is a number."""
        if isinstance(g, Exact) and (self.fits(by, tree) or self.graph.place and scalar(
                by, self.graph.tensors)):
            return Exact(text)
        moved = any(word_of(n) in MOVED | PLACED | {"transpose"} for n in ast.walk(tree))
        return Exact(text) if isinstance(g, Exact) and moved and scalar(
            by, self.graph.tensors) else text

    def fits(self, by, tree):
        """Whether one has the shape of `tree`, or is broadcast to it, as is known of both."""
        a, b = (self.graph.known[of] for of in (by, tree))
        return bool(a and b) and (a == b or a.startswith(f"{b} over "))

    def call(self, word, operands, g):
        x = nested(operands[0])
        if word in SLOPES:
            slope = re.sub(r"\bx\b", lambda _: x, self.way.get(word, SLOPES[word]))
            self.push(operands[0], kept(g, x, f"({g} * ({slope}))"))
        elif word in ("max", "min") and len(operands) == 2:
            self.extreme(word, operands, g)
        elif word == "sum":
            self.push(operands[0], Reduced(g) if isinstance(g, Exact) else str(g))
        elif word == "mean":
            axes = "".join(f", {spelled(of)}" for of in operands[1:])
            parts = {"g": g, "b": f"sum(iota(shape({x}), 0) >= 0{axes})"}
            one = re.sub(r"\b[gb]\b", lambda of: parts[of[0]], self.way.get("share", "(g / b)"))
            self.push(operands[0], Exact(f"broadcast({one}, shape({x}))") if isinstance(
                g, Exact) and isinstance(operands[0], ast.Name) else one)
        elif word == "select":
            c = spelled(operands[0])
            self.push(operands[1], f"select({c}, {g}, 0)")
            self.push(operands[2], f"select({c}, 0, {g})")
        elif word == "if_":
            self.either(operands, g)
        elif word == "choose":
            self.chosen_by(x, operands[1:], g)
        elif word == "pow":
            y = nested(operands[1])
            text = f"({g} * {y} * pow({x}, {y} - 1))"
            self.push(operands[0], text if self.is_active(operands[1]) else kept(g, x, text))
            self.push(operands[1], f"({g} * pow({x}, {y}) * log({x}))")
        elif word == "transpose":
            self.transposed(operands, g)
        elif word in PLACED:
            self.placed(word, operands, self.whole(word, operands, g))
        elif word == "cumsum":
            self.push(operands[0], self.summed(operands, g))
        elif word == "product":
            self.push(operands[0], Exact(self.others(x, spelled(operands[1]), g)))
        elif word == "dot_general":
            self.dot_general(operands, self.whole(word, operands, g))
        elif word == "matmul":
            self.matmul(operands, g)
        elif word == "einsum":
            self.einsum(operands, g)
        elif word in MOVED:
            self.moved(word, operands, g)
        elif word == "windows":
            self.push(operands[0], self.overlapped(operands, g, self.way.get("columns", g)))
        elif word == "broadcast":
            self.push(operands[0], str(g))
        elif word not in FLAT:
            raise Underivable(word)

    def chosen_by(self, number, operands, g):
        """Of that of several which a number names."""
        for i, of in enumerate(operands):
            inner = Reverse(self.graph, self.way)
            inner.push(of, g)
            for leaf, terms in inner.found.items():
                self.found.setdefault(leaf, []).extend(
                    (f"if({number} == {i}, {wrap}, 0)", text) for wrap, text in terms)

    def either(self, operands, g):
        """Of a condition that shapes decide: contributions of the branch that is taken."""
        if self.holds(operands[0]):
            self.push(operands[1], g)
            return
        if self.never(operands[0]):
            self.push(operands[2], g)
            return
        c, found = spelled(operands[0]), []
        for branch, form in ((operands[1], "if({c}, {of}, 0)"), (operands[2], "if({c}, 0, {of})")):
            inner = Reverse(self.graph, self.way)
            inner.push(branch, g)
            found.append((form, inner.found))
        for leaf in dict.fromkeys([*found[0][1], *found[1][1]]):
            terms = [of.get(leaf, []) for _, of in found]
            if all(len(of) == 1 and of[0][0] == "{}" and isinstance(of[0][1], (Exact, Reduced))
                   for of in terms):  # one or the other
                both = ", ".join(of[0][1] for of in terms)
                kind = Exact if all(isinstance(of[0][1], Exact) for of in terms) else Reduced
                self.found.setdefault(leaf, []).append(("{}", kind(f"if_({c}, {both})")))
                continue
            for (form, _), of in zip(found, terms):
                self.found.setdefault(leaf, []).extend(
                    (form.format(c=c, of=wrap), text) for wrap, text in of)

    def holds(self, tree):
        """Whether a condition is true of every request: inputs of floats are not optional, and one
        may be asked for every type of floats that it has."""
        if isinstance(tree, ast.Call):
            return tree.func.id == "present" and tree.args[0].id in self.graph.needed
        asked = {spelled(of) for of in tree.values} if (
            isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)) else set()
        return any(kinds and all(f"type({name}) == '{kind}'" in asked for kind in kinds)
                   for name, kinds in self.graph.of_floats.items())

    def never(self, tree):
        """Whether a condition asks for a type that is not one of floats."""
        return any(kinds and spelled(tree).startswith(f"type({name}) == '") and
                   spelled(tree).split("'")[1] not in kinds
                   for name, kinds in self.graph.of_floats.items())

    def extreme(self, word, operands, g):
        """Over axes where the second is a list, or an attribute; else of two."""
        x, y = nested(operands[0]), nested(operands[1])
        if over_axes(operands[1], self.graph.lists):
            self.push(operands[0], Exact(self.chosen(word, x, y, g)))
            return
        sign = ">" if word == "max" else "<"
        y = nested(bounded(word, *operands))
        self.push(operands[0], f"select({x} {sign} {y}, {g}, 0)")
        self.push(operands[1], f"select({x} {sign} {y}, 0, {g})")

    def chosen(self, word, x, axes, g):
        """Of those that are the largest, or the least, the first one, the last, or all alike."""
        best, ties = f"{x} == {word}({x}, {axes})", self.way.get("ties", "first")
        if ties == "shared":
            return f"select({best}, {g} / sum({best}, {axes}), 0)"
        count = f"size(reshape({x}, [-1]), 0)"
        place = f"reshape(iota([{count}], 0), shape({x}))"
        one = (f"min(select({best}, {place}, {count}), {axes})" if ties == "first" else
               f"max(select({best}, {place}, -1), {axes})")
        return f"select({place} == {one}, {g}, 0)"

    def moved(self, word, operands, g):
        x, rest = operands[0], [spelled(of) for of in operands[1:]]
        g = self.whole(word, operands, g)
        if word == "squeeze":
            self.push(x, Exact(f"unsqueeze({g}, {rest[0]})"))
        elif word == "unsqueeze":
            self.push(x, Exact(f"squeeze({g}, {rest[0]})"))
        elif word == "split":
            self.push(x, Exact(f"join({g}, {rest[0]})"))
        elif word == "join":
            count = size(x, operands[1].value)
            self.push(x, Exact(f"split({g}, {rest[0]}, {self.graph.sizes.get(count, count)})"))
        else:
            self.push(x, Exact(f"reshape({g}, shape({nested(x)}))"))

    def whole(self, word, operands, g):
        """g in the shape of what it is the adjoint of: summed where that was broadcast."""
        if isinstance(g, Exact):
            return g
        return f"sum({g}, broadcast_axes({g}, {word}({', '.join(map(spelled, operands))})))"

    def transposed(self, operands, g):
        x = operands[0]
        if len(operands) == 1:
            self.push(x, f"transpose({g})")
            return
        g = self.whole("transpose", operands, g)
        self.push(x, Exact(f"transpose({g}, {inverted(operands[1], f'rank({spelled(x)})')})"))

    def summed(self, operands, g):
        """Sums so far, from the other end."""
        axis, exclusive, reverse = [spelled(of) for of in operands[1:]] + ["0"] * (
            4 - len(operands))
        text = f"cumsum({g}, {axis}, {exclusive}, 1 - {reverse})"
        return Exact(text) if isinstance(g, Exact) else text

    def others(self, x, axes, g):
        """g times the product of all other factors: each element meets each, along as many new
        axes, and those count that are factors of the same product."""
        rank, place = f"rank({x})", f"reshape(iota([size(reshape({x}, [-1]), 0)], 0), shape({x}))"
        one = f"max({place}, {axes})"
        far, there = f"range(0, {rank})", f"range({rank}, 2 * {rank})"
        same = (f"unsqueeze(broadcast({one}, shape({x})), {there}) == "
                f"unsqueeze(broadcast({one}, shape({x})), {far})")
        other = f"unsqueeze({place}, {there}) != unsqueeze({place}, {far})"
        return (f"({g} * squeeze(product(select({same} and {other}, unsqueeze({x}, {far}), 1), "
                f"{there}), {there}))")

    def placed(self, word, operands, g):
        if word == "concat":
            axis, start = spelled(operands[0]), "0"
            for of in operands[1:]:
                end = f"{start} + size({spelled(of)}, {axis})".removeprefix("0 + ")
                self.push(of, Exact(f"slice({g}, {axis}, {start}, {end})"))
                start = end
        elif word == "slice":
            self.push(operands[0], Exact(self.unsliced(operands, g)))
        elif word == "pad":
            self.push(operands[0], Exact(self.unpadded(operands, g)))
        else:
            self.push(operands[0], Exact(self.scattered(operands, g)))

    def unsliced(self, operands, g):
        """Zeros where nothing was taken."""
        x, axis, start, end = map(spelled, operands[:4])
        step = spelled(operands[4]) if len(operands) > 4 else "1"
        if (start, step) == ("-1", "-1") and end == f"-1 - size({x}, {axis})":  # turned round
            return f"slice({g}, {axis}, -1, -1 - size({g}, {axis}), -1)"
        if start.startswith("-") or step.startswith("-"):
            raise Underivable(f"slice from {start} by {step}")
        taken = f"size({g}, {axis})" if step == "1" else (
            f"max(size({g}, {axis}) * {step} - {step} + 1, 0)")
        after = f"size({x}, {axis}) - {nested(parsed(start))} - {taken}".replace(" - 0 - ", " - ")
        spread = "" if step == "1" else f", 0, {step}"
        return f"pad({g}, {axis}, {start}, {after}{spread})"

    def unpadded(self, operands, g):
        """What was added is taken away, and elements that were spread are one beside the other: at
        windows of size 1 along the last axes."""
        axes = spelled(operands[1])
        before, after = (f"-{nested(of)}" for of in operands[2:4])
        text = f"pad({g}, {axes}, {before}, {after})"
        if len(operands) < 6:
            return text
        if not any(axes.endswith(f", rank({name}))") for name in names_in(operands[0])):
            raise Underivable("pad of axes that are not the last ones")
        ones = f"item([1, 1, 1, 1, 1, 1, 1, 1], places({axes}, {axes}))"
        text = f"windows({text}, {ones}, {spelled(operands[5])}, 1, [0], 0, 2)"
        return f"squeeze({text}, range(rank({g}), rank({text})))"

    def scattered(self, operands, g):
        """At each place the sum of what was taken from it, by the equality of indices."""
        x, indices, axis = map(spelled, operands)
        if not axis.isdigit():
            axis = f"if_({axis} < 0, {axis} + rank({x}), {axis})"
        first, end = f"{axis} + 1", f"{axis} + 1 + rank({indices})"
        place = (f"unsqueeze(iota([size({x}, {axis})], 0), "
                 f"[range(0, {axis}), range({first}, rank({g}) + 1)])")
        index = f"unsqueeze({indices}, [range(0, {first}), range({end}, rank({g}) + 1)])"
        seen = f"select({index} == {place} or {index} + size({x}, {axis}) == {place}, " \
               f"unsqueeze({g}, [{axis}]), 0)"
        axes = f"range({first}, {end})"
        return f"squeeze(sum({seen}, {axes}), {axes})"

    def dot_general(self, operands, g):
        """Each operand's is a product with the other one: over the axes that the other has besides.
        """
        lists, (left, right) = [spelled(of) for of in operands[:4]], operands[4:]
        sides = ((lists[0], lists[2], left), (lists[1], lists[3], right))
        for number, ((batch, summed, tree), (batch_2, summed_2, other)) in enumerate(
                (sides, sides[::-1])):
            if not self.is_active(tree):
                continue
            x, y = spelled(tree), spelled(other)
            free, free_2 = (f"others([{b}, {s}], rank({of}))" for b, s, of in (
                (batch, summed, x), (batch_2, summed_2, y)))
            batches = f"range(0, count({batch}))"
            own, far = f"count([{batch}, {free}])", f"count([{batch}, {free_2}])"
            axes = f"range({own}, rank({g}))" if number == 0 else f"range(count({batch}), {far})"
            # What y has besides its batches and its own axes is where x was summed, in y's order.
            left_of_y = f"others([{batch_2}, {free_2}], rank({y}))"
            order = (f"[{batch}, {free}, item({summed}, places({summed_2}, {left_of_y}))]")
            text = f"dot_general({batches}, {batch_2}, {axes}, {free_2}, {g}, {nested(other)})"
            self.push(tree, Exact(f"transpose({text}, places({order}, range(0, rank({x}))))"))

    def overlapped(self, operands, g, windows):
        """Of x, from that of its windows: at each place the sum of the windows that see it. Where
        all of a window has one adjoint, g has one element for it. Its rank is that of `windows`."""
        x, places = nested(operands[0]), self.seen_by(operands, g)
        axes = f"range(rank({x}), rank({windows}))"
        return Exact(f"squeeze(sum({places}, {axes}), {axes})")

    def seen_by(self, operands, g):
        given = operands[1:5] + operands[6:]
        return f"seen_by({g}, shape({nested(operands[0])}), {', '.join(map(spelled, given))})"

    def einsum(self, operands, g):
        sides, out = operands[0].value.split("->")
        letters = sides.split(",")
        for own, other, tree, factor in ((*letters, *operands[1:]),
                                         (*letters[::-1], *operands[:0:-1])):
            if not self.is_active(tree):
                continue
            if set(own) - set(out + other) or "." in sides or len(set(own)) < len(own):
                raise Underivable(operands[0].value)
            if not self.under_windows(own, other, out, tree, factor, g):
                self.push(tree, Exact(f"einsum('{out},{other}->{own}', {g}, {nested(factor)})"))

    def under_windows(self, own, other, out, tree, factor, g):
        """A contraction over windows of x, axes before them split: that of x is one too, over what
        the factor has and all windows that see an element."""
        joins = []
        while word_of(tree) == "split":
            joins.append(tree.args[1].value)
            tree = tree.args[0]
        view = self.views.get(tree.id) if isinstance(tree, ast.Name) else None
        if "columns" in self.way:
            return False
        count = len(own) - len(own.rstrip("".join(set(own) - set(out))))
        places, inside = own[-2 * count:-count], own[-count:]
        if not view or out[-count:] != places or set(inside) - set(other) or (
                set(places) & set(other)):
            return False
        axes = ", ".join(str(len(out) + i) for i in range(count))
        text = self.seen_by(view.args, f"unsqueeze({g}, [{axes}])")
        text = f"einsum('{out}{inside},{other}->{own[:-count]}', {text}, {nested(factor)})"
        for axis in joins:
            text = f"join({text}, {axis})"
        self.push(view.args[0], Exact(text))
        return True

    def matmul(self, operands, g):
        self.push(operands[0], f"matmul({g}, {self.turned(operands[1])})")
        self.push(operands[1], f"matmul({self.turned(operands[0])}, {g})")

    def turned(self, tree):
        """With its last two axes in each other's place."""
        x = nested(tree)
        if isinstance(tree, ast.Call) and tree.func.id == "if_" and all(
                isinstance(of, ast.Name) or of.func.id == "transpose" and len(of.args) == 1
                for of in tree.args[1:]):  # of two axes
            c, *branches = tree.args
            return "if_({}, {}, {})".format(spelled(c), *(
                spelled(of.args[0]) if isinstance(of, ast.Call) else f"transpose({of.id})"
                for of in branches))
        return f"transpose({x}, [range(0, rank({x}) - 2), rank({x}) - 1, rank({x}) - 2])"
