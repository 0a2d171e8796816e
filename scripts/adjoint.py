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
    "sqrt": "1 / (2 * sqrt(x))", "rsqrt": "-rsqrt(x) / (2 * x)", "square": "2 * x",
    "abs": "sign(x)", "neg": "-1",
}
FLAT = {"floor", "ceil", "trunc", "round_even", "sign", "argmax"}
MOVED = {"reshape", "squeeze", "split", "join"}
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
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


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
    if isinstance(tree, ast.Name):
        return f"size({tree.id}, {axis})"
    raise Underivable(f"a size of {spelled(tree)}")


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
    The derivatives of `way` hold in place of the usual ones. `views` are nodes that are windows of
    a name, and nothing else."""

    def __init__(self, active, lists, floats, way, views):
        self.active, self.lists, self.floats, self.found = active, lists, floats, {}
        self.way, self.views = way, views

    def is_active(self, tree):
        return bool(moved_by(tree) & self.active)

    def push(self, tree, g):
        """`g`, a text that may be an operand, is the adjoint of `tree`."""
        if not self.is_active(tree):
            return
        if isinstance(tree, ast.Name):
            term = Exact(g) if tree.id in self.views else g
            self.found.setdefault(tree.id, []).append(("{}", term))
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
            self.push(tree.left, g if small(tree.right) else str(g))
            self.push(tree.right, g if small(tree.left) and not small(tree.right) else str(g))
        elif isinstance(tree.op, ast.Sub):
            self.push(tree.left, str(g))
            self.push(tree.right, f"(-{g})")
        elif isinstance(tree.op, ast.Mult):
            self.push(tree.left, f"({g} * {b})")
            self.push(tree.right, f"({g} * {a})")
        else:
            text = self.way.get("share", "(g / b)")
            self.push(tree.left, re.sub(r"\b[gb]\b", lambda of: {"g": g, "b": b}[of[0]], text))
            usual = "(-g / square(b))" if a == "1" else "(-g * a / square(b))"
            text = self.way.get("over", usual)
            self.push(tree.right, re.sub(r"\b[gab]\b", lambda of: {"g": g, "a": a, "b": b}[of[0]],
                                         text))

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
        elif word == "pow":
            y = nested(operands[1])
            text = f"({g} * {y} * pow({x}, {y} - 1))"
            self.push(operands[0], text if self.is_active(operands[1]) else kept(g, x, text))
            self.push(operands[1], f"({g} * pow({x}, {y}) * log({x}))")
        elif word == "transpose" and len(operands) == 1:
            self.push(operands[0], f"transpose({g})")
        elif word == "matmul":
            self.matmul(operands, g)
        elif word == "einsum":
            self.einsum(operands, g)
        elif word in MOVED:
            self.moved(word, operands, g)
        elif word == "windows":
            self.push(operands[0], self.overlapped(operands, g, self.way.get("columns", g)))
        elif word == "broadcast":
            self.push(operands[0], g)
        elif word not in FLAT:
            raise Underivable(word)

    def either(self, operands, g):
        """Of a condition that shapes decide: contributions of the branch that is taken."""
        if self.holds(operands[0]):
            self.push(operands[1], g)
            return
        c, found = spelled(operands[0]), []
        for branch, form in ((operands[1], "if({c}, {of}, 0)"), (operands[2], "if({c}, 0, {of})")):
            inner = Reverse(self.active, self.lists, self.floats, self.way, self.views)
            inner.push(branch, g)
            found.append((form, inner.found))
        for leaf in dict.fromkeys([*found[0][1], *found[1][1]]):
            terms = [of.get(leaf, []) for _, of in found]
            if all(len(of) == 1 and of[0][0] == "{}" and isinstance(of[0][1], Exact)
                   for of in terms):  # one or the other
                both = ", ".join(of[0][1] for of in terms)
                self.found.setdefault(leaf, []).append(("{}", Exact(f"if_({c}, {both})")))
                continue
            for (form, _), of in zip(found, terms):
                self.found.setdefault(leaf, []).extend(
                    (form.format(c=c, of=wrap), text) for wrap, text in of)

    def holds(self, tree):
        """Whether a condition is true of every request: no input of a gradient is optional, and
        one may be asked for every type of floats that it has."""
        if isinstance(tree, ast.Call):
            return tree.func.id == "present"
        asked = {spelled(of) for of in tree.values} if (
            isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.Or)) else set()
        return any(kinds and all(f"type({name}) == '{kind}'" in asked for kind in kinds)
                   for name, kinds in self.floats.items())

    def extreme(self, word, operands, g):
        """Over axes where the second is a list, or an attribute; else of two."""
        x, y = nested(operands[0]), nested(operands[1])
        if self.over_axes(operands[1]):
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
        if not isinstance(g, Exact):  # summed where this was broadcast
            g = f"sum({g}, broadcast_axes({g}, {word}({', '.join([nested(x), *rest])})))"
        if word == "squeeze":
            self.push(x, Exact(f"unsqueeze({g}, {rest[0]})"))
        elif word == "split":
            self.push(x, Exact(f"join({g}, {rest[0]})"))
        elif word == "join":
            self.push(x, Exact(f"split({g}, {rest[0]}, {size(x, operands[1].value)})"))
        else:
            self.push(x, Exact(f"reshape({g}, shape({nested(x)}))"))

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

    def over_axes(self, tree):
        if isinstance(tree, ast.Call):
            return tree.func.id == "range" or tree.func.id == "if_" and any(
                self.over_axes(branch) for branch in tree.args[1:])
        return isinstance(tree, ast.List) or isinstance(tree, ast.Name) and tree.id in self.lists

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
