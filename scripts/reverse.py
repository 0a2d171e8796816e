# SPDX-License-Identifier: Apache-2.0
"""The nodes of a declared operator, read and walked back: adjoints of its inputs, node by node."""

import ast
import copy
import re

from adjoint import (FLAT, MOVED, PLACED, SLOPES, STEPS, Exact, Reduced, Reverse, Underivable,
                     moved_by, names_in, over_axes, parsed, scalar, spelled, word_of)

FLOATS = {"f16", "bf16", "f32", "f64"}
# Nodes on which no output depends, whatever they are: the shift of a softmax.
FREE = {f"onnx.{name}": {"m"} for name in ("softmax", "log_softmax", "attention",
                                           "scaled_attention")}
# Inputs and attributes that a gradient does not have.
ABSENT = {"onnx.linear_attention": ("chunk_size",),
          "stablehlo.dot_general": ("algorithm",)}
# What a gradient asks besides.
ASKED = {"onnx.attention": [
    {"that": "shape(dY) == if(rank(Q) == 4, [size(Q, 0), size(Q, 1), size(Q, 2), size(V, 3)], "
             "[size(Q, 0), size(Q, 1), div(size(V, 2), kv_num_heads) * q_num_heads])",
     "why": "dY has the shape of Y"}, *(
        {"that": f"not (present(dpresent_{of})) or shape(dpresent_{of}) == shape(if(present("
                 f"past_{of}), concat(2, past_{of}, heads({x}, kv_num_heads)), "
                 f"heads({x}, kv_num_heads)))",
         "why": f"dpresent_{of} has the shape of present_{of}"}
        for of, x in (("key", "K"), ("value", "V"))),
    {"that": "not (present(dqk_matmul_output)) or shape(dqk_matmul_output) == [size(Q, 0), "
             "if(rank(Q) == 4, size(Q, 1), q_num_heads), size(Q, -2), size(K, -2) + "
             "if(present(past_key), size(past_key, 2), 0)]",
     "why": "dqk_matmul_output has the shape of qk_matmul_output"}],
         "onnx.linear_attention": [
    {"that": "shape(doutput) == [size(query, 0), size(query, 1), "
             "q_num_heads * div(size(value, 2), kv_num_heads)]",
     "why": "doutput has the shape of output"},
    {"that": "shape(dpresent_state) == shape(past_state)",
     "why": "dpresent_state has the shape of present_state"}]}
# Outputs that have a cotangent, where it is not the first alone; after a question mark those of
# which it may be absent.
COTANGENTS = {"onnx.linear_attention": ("output", "present_state"),
              "onnx.attention": ("Y", "?present_key", "?present_value", "?qk_matmul_output")}
# Inputs of floats that may be absent: each is read by the node that has no elements in place of it.
OPEN = {"onnx.attention": {"past_key": "past_keys", "past_value": "past_values"}}
FACTOR = "if(present(scale), scale, rsqrt(size(keys, 3)))"
# The same function, without two kinks that are none together, and where it has a slope; of rows
# that see no key; without what ABSENT leaves out. None: a node that is not there.
SMOOTH = {"onnx.attention": {
    "size_root": None, "inverse": None, "body_root": None,
    **{x.lower(): {"type": kind, "is": f"heads({x}, {of}_num_heads)"}
       for x, kind, of in (("Q", "Q", "q"), ("K", "Q", "kv"), ("V", "V", "kv"))},
    **{f"past_{of}s": {"type": kind, "is": f"if(present(past_{of}), past_{of}, broadcast(0, "
                       f"[size({x}, 0), size({x}, 1), 0, size({x}, 3)]))"}
       for of, kind, x in (("key", "Q", "k"), ("value", "V", "v"))},
    "keys": {"type": "Q", "is": "concat(2, past_keys, k)"},
    "values": {"type": "V", "is": "concat(2, past_values, v)"},
    "present_key": "keys", "present_value": "values",
    "qs": {"type": "Q", "is": f"q * sqrt({FACTOR})"},
    "ks": {"type": "Q", "is": f"keys * sqrt({FACTOR})"},
    "mask": {"type": "Q", "is": "if(present(attn_mask), broadcast(bias, shape(s)), 0)"},
    **{key: {"type": ["softmax_precision", "Q"], "is": text} for key, text in (
        ("m", "select(max(z, [3]) == -inf, 0, max(z, [3]))"),
        ("sums", "sum(e, [3]) + (max(z, [3]) == -inf)"), ("weights", "e / sums"))},
    "o": {"type": "Q", "is": 'grouped("bgrij,bgjd->bgrid", p, values)'}},
    "onnx.celu": {"Y": "select(X < 0, alpha * (exp(X / alpha) - 1), X)"},
          "onnx.mod": {"down": None, "rest": None, "floored": None, "C": "A - B * if(fmod == 0, "
                       "floor(A / B), trunc(A / B))"},
          "onnx.lp_normalization": {"output": "input / norm"}}
# What a node does not depend on, though it names it: deviations from a mean add up to nothing.
STILL = {"onnx.batch_normalization": {("var", "mean")},
         "onnx.instance_normalization": {("var", "mean")}}
# Shapes that cannot be seen: as that of another name, or of that without some axes. None: it is one
# number.
SHAPED = {"onnx.attention": {"mask": "s", "seen": "s"}, "onnx.rotary_embedding": {
    "second": "first", "real": "first", "imaginary": "first", "c": "first over heads",
    "s": "first over heads"}, "onnx.conv_batch_normalization": {"dY": "S"},
          "onnx.scaled_attention": {"scale": None}, "onnx.linear_attention": {
              "before(S, start)": "S", "decayed": "S", "column(exp(step(g)))": "S over columns",
              "put(step(k), written)": "S", "step(v)": "written", "found": "written",
              "step(b)": "written over heads"}}


# Sizes that an attribute gives.
SIZES = {"onnx.attention": {"size(transpose(o, [0, 2, 1, 3]), 2)": "q_num_heads"}}
KEPT = {"matmul", "einsum", "dot_general"}  # words whose operands are all tensors


def stored(product, like="X", roundings=""):
    """A product that is stored before others are added: it is rounded once more, or as often as
    `roundings` says, in f16 by up to half of the least number."""
    return (f"(within({product}, {roundings}roundoff) + if(type({like}) == 'f16', "
            f"(within(0.00000003, 1) - 0.00000003) * sign(abs({product})), 0))")


class Expanded(ast.NodeTransformer):
    """Puts what stands under `let` in place of its names: parts are (parameters, expression). What
    two numbers decide stands in place of a condition on them."""

    def __init__(self, parts):
        self.parts = parts

    def visit_Name(self, node):
        return self.parts.get(node.id, ((), node))[1]

    def visit_Call(self, node):
        arguments = [self.visit(x) for x in node.args]
        condition = arguments[0] if node.func.id == "if_" else None
        if isinstance(condition, ast.Compare) and isinstance(condition.ops[0], ast.Lt) and all(
                isinstance(of, ast.Constant) for of in (condition.left, condition.comparators[0])):
            return arguments[1 if condition.left.value < condition.comparators[0].value else 2]
        if isinstance(condition, ast.Constant):
            return arguments[1 if condition.value else 2]
        if node.func.id == "present" and isinstance(arguments[0], ast.Constant):
            return arguments[0]  # what is absent stands there as 0
        if node.func.id not in self.parts:
            return ast.Call(node.func, arguments, [])
        parameters, tree = self.parts[node.func.id]
        return Expanded({p: ((), x) for p, x in zip(parameters, arguments)}).visit(
            copy.deepcopy(tree))


class Given(ast.NodeTransformer):
    """Inputs that a gradient has to have are present."""

    def __init__(self, names):
        self.names = names

    def visit_Call(self, node):
        self.generic_visit(node)
        if node.func.id == "present" and node.args[0].id in self.names:
            return ast.Constant(1)
        if node.func.id == "if_" and isinstance(node.args[0], ast.Constant):
            return node.args[1 if node.args[0].value else 2]
        return node


def fitted(text, leaf):
    """`text` in the shape of `leaf`: summed where it was broadcast, broadcast where it was reduced.
    """
    return (f"broadcast(squeeze(sum({text}, broadcast_axes({text}, {leaf})), "
            f"range(0, rank({text}) - rank({leaf}))), shape({leaf}))")


class Sized(ast.NodeTransformer):
    """What has the shape of an expression, with less work: of what is computed element by element,
    operands of different shapes alone."""

    def __init__(self, tensors):
        self.tensors = tensors

    def elementwise(self, node, operands):
        seen = {}
        for of in map(self.visit, operands):
            if not scalar(of, self.tensors):
                seen.setdefault(spelled(of), of)
        parts = [of for text, of in seen.items() if not (
            word_of(of) in ("sum", "mean", "max", "min") and spelled(of.args[0]) in seen)]
        if not parts:
            return node
        for of in parts[1:]:
            parts[0] = ast.BinOp(parts[0], ast.Add(), of)
        return parts[0]

    def visit_UnaryOp(self, node):
        return self.elementwise(node, [node.operand])

    def visit_BinOp(self, node):
        return self.elementwise(node, [node.left, node.right])

    def visit_BoolOp(self, node):
        return self.elementwise(node, node.values)

    def visit_Compare(self, node):
        return self.elementwise(node, [node.left, *node.comparators])

    def visit_Call(self, node):
        word = word_of(node)
        if word in SLOPES | dict.fromkeys(FLAT - {"argmax"}) or word in ("select", "pow"):
            return self.elementwise(node, node.args)
        if word == "broadcast" and word_of(node.args[1]) == "shape" or word == "iota" and (
                word_of(node.args[0]) == "shape"):
            return self.visit(node.args[word == "broadcast"].args[0])
        if word == "if_":
            c, a, b = node.args[0], *map(self.visit, node.args[1:])
            same = spelled(a) == spelled(b)
            return a if same or scalar(b, self.tensors) and "present" in spelled(c) else (
                ast.Call(node.func, [c, a, b], []))
        tensors = node.args if word in KEPT else node.args[:1]
        node.args = [of if isinstance(of, ast.Constant) or scalar(of, self.tensors) else
                     self.visit(of) for of in tensors] + node.args[len(tensors):]
        return node


class Shapes:
    """Which names have one shape, as far as it is seen: that of the first input ("full"), that of a
    reduction of it over some axes, that of another input. None: it is not seen."""

    wins = True  # what is combined with the first input has its shape

    def __init__(self, of):
        self.of = of

    def __getitem__(self, tree):
        found = self.collect(tree)
        if None in found:
            return None
        whole = [of for of in found if self.wins and of == "full" or all(
            other == of or other.startswith(f"{of} over ") for other in found)]
        return whole[0] if whole else None

    def collect(self, tree):
        if isinstance(tree, ast.Name):
            return {self.of[tree.id]} if tree.id in self.of else set()
        if isinstance(tree, ast.Call):
            word = tree.func.id
            if spelled(tree) in self.of:
                return {self.of[spelled(tree)]}
            if word in ("split", "join", "reshape"):
                return self.reshaped(word, tree.args)
            if word in ("sum", "mean", "product") or word in ("max", "min") and (
                    len(tree.args) == 2) and (not self.collect(tree.args[1])):
                if not self.collect(tree.args[0]):
                    return set()
                inner = self[tree.args[0]]
                return {f"{inner} over {[spelled(x) for x in tree.args[1:]]}" if inner else None}
            if word in ("matmul", "einsum", "dot_general", "transpose", "broadcast", "windows",
                        "seen_by", *STEPS, *MOVED, *PLACED):
                return {None}
            if word in ("rank", "size", "shape", "present", "type", "range", "iota"):
                return set()
        return set().union(*(self.collect(x) for x in ast.iter_child_nodes(tree)), set())

    def reshaped(self, word, operands):
        """An axis that was split may be joined again, and what has another shape's sizes has that.
        Sizes of 1 and one of -1 are there to be broadcast."""
        if word == "reshape":
            sizes = [n.value for n in ast.walk(operands[1]) if isinstance(n, ast.Constant) and
                     isinstance(n.value, int)]
            if word_of(operands[1]) == "shape":
                return {self[operands[1].args[0]]}
            lists = [n for n in ast.walk(operands[1]) if isinstance(n, ast.List)]
            ones = lists and all(spelled(n).strip("[]-1, ") == "" for n in lists)
            return set() if ones and sizes else {None}
        inner, axis = self[operands[0]], spelled(operands[1])
        if word == "split":
            return {inner and f"{inner} split {axis}"}
        same = inner and inner.endswith(f" split {axis}")
        return {inner.removesuffix(f" split {axis}") if same else None}


def node_of(value):
    """(type or None, expression) of a node as it stands in a file."""
    if isinstance(value, dict):
        return value.get("type"), value["is"]
    return None, value


def in_full(value):
    """An input that is one text, [optional] TYPE, or a list of types, as a mapping."""
    if isinstance(value, list):
        return {"types": value}
    if isinstance(value, str):
        return {"type": value.split()[-1], **({"optional": True} if " " in value else {})}
    return value


def flat(nodes):
    """All nodes, those of a scan in its place."""
    found = {}
    for key, value in nodes.items():
        found.update(value["nodes"] if key == "scan" else {key: value})
    return found


def kind_of(value):
    """That of an attribute, which may be one text: [required] KIND ..."""
    return value["kind"] if isinstance(value, dict) else value.replace("required ", "").split()[0]


def hoisted(nodes, live):
    """Windows of what is differentiated become nodes of their own."""
    found = {}

    class Lift(ast.NodeTransformer):
        def visit_Call(self, node):
            self.generic_visit(node)
            if word_of(node) != "windows" or not moved_by(node) & live:
                return node
            key = next((key for key, (_, tree) in found.items() if spelled(tree) == spelled(node)),
                       f"seen_{len(found)}")
            found.setdefault(key, (None, node))
            return ast.Name(key)
    after = {key: (kind, tree if word_of(tree) == "windows" else Lift().visit(tree))
             for key, (kind, tree) in nodes.items()}
    live |= set(found)
    return {**found, **after}


def defined(declaration):
    """What stands under `let`, and the newest version of the operator set: name: (parameters,
    expression)."""
    parts = {key: ((), parsed("0")) for key in ABSENT.get(declaration["operator"], ())}
    version = declaration.get("attributes", {}).get("opset")
    if isinstance(version, str) and " = " in version:
        version = {"default": version.rsplit(" = ", 1)[1]}
    if isinstance(version, dict) and "default" in version:
        parts["opset"] = (), parsed(version["default"])
    for key, text in declaration.get("let", {}).items():
        of = parsed(key)
        named = of.func if isinstance(of, ast.Call) else of
        parts[named.id] = ([x.id for x in of.args] if named is not of else (),
                           Expanded(parts).visit(parsed(text)))
    return parts


# Why some operators have no gradient, though a formula has a slope.
STRAIGHT = "none: it rounds, and what passes straight through is no derivative"
NONE = {"onnx.cast": STRAIGHT, "onnx.cast_like": STRAIGHT, "onnx.quantize_linear": STRAIGHT,
        "torch.scaled_mm": "none: PyTorch, which is its text, has none"}


def slopeless(declaration):
    """Why an operator has no gradient; None where its first output has a slope."""
    if declaration["operator"] in NONE:
        return NONE[declaration["operator"]]
    if "scan" in declaration["nodes"]:
        return None
    try:
        graph = Graph(declaration)
    except Underivable:
        return "none: no input is a float"
    return None if graph.first in graph.live else "none: its steps have slope 0, or no slope"


def ordered(nodes, smooth):
    """Nodes of a text with those in place of them; new ones, of inputs alone, come first."""
    return {**{key: of for key, of in smooth.items() if key not in nodes}, **nodes, **smooth}


class Graph:
    """The nodes of a declaration, and which of its names are differentiated."""

    def __init__(self, declaration):
        self.parts, self.outputs = defined(declaration), declaration["outputs"]
        self.first = next(iter(self.outputs))
        named = COTANGENTS.get(declaration["operator"], (self.first,))
        self.cotangents = [of.removeprefix("?") for of in named]
        self.lax = {of[1:] for of in named if of[0] == "?"}
        self.open, self.sizes = (of.get(declaration["operator"], {}) for of in (OPEN, SIZES))
        scan = declaration["nodes"].get("scan", {"steps": "1", "nodes": {}})
        self.steps, self.place = scan["steps"], dict.fromkeys(scan["nodes"], "scan")
        self.nodes = {key: (node_of(value)[0], self.expanded(node_of(value)[1]))
                      for key, value in ordered(flat(declaration["nodes"]), SMOOTH.get(
                          declaration["operator"], {})).items()
                      if value is not None}
        self.inputs = {key: in_full(value) for key, value in declaration["inputs"].items()
                       if key not in ABSENT.get(declaration["operator"], ())}
        self.of_floats = {key: set(value["types"]) & FLOATS for key, value in self.inputs.items()
                          if "types" in value}
        self.held = {key for key, value in self.inputs.items() if value.get("optional") and (
            "bool" in self.types(value) or not set(self.types(value)) & FLOATS)}
        self.active = [key for key, value in self.inputs.items()
                       if key not in self.held and set(self.types(value)) & FLOATS]
        self.needed = [key for key in self.active if key not in self.open]
        if not self.active:
            raise Underivable("what has no input of floats")
        self.tensors = {*self.inputs, *self.nodes}
        self.lists = {key for key, value in declaration.get("attributes", {}).items()
                      if kind_of(value) in ("integer", "integers", "sizes")}
        self.words = {word_of(n) for n in self.walked() if word_of(n)}
        for key, (kind, tree) in self.nodes.items():
            self.nodes[key] = kind, Given(self.needed).visit(tree)
        self.plain = self.is_plain()
        self.operator = declaration["operator"]
        self.known = Shapes({})
        if self.place:
            self.known.of.update({key: key for key in self.nodes} | {
                spelled(self.expanded(of)): shape for of, shape in SHAPED.get(
                    self.operator, {}).items()})
        self.live = set(self.active)
        for key, (_, tree) in [*self.nodes.items()] * 2:  # one of a scan may read a later one
            if moved_by(tree) & self.live and key not in FREE.get(declaration["operator"], ()):
                self.live.add(key)
        self.nodes = hoisted(self.nodes, self.live)
        self.views = {key: tree for key, (_, tree) in self.nodes.items()
                      if word_of(tree) == "windows" and isinstance(tree.args[0], ast.Name)}
        self.matrices = {key for key, value in self.inputs.items()
                         if len(value.get("shape", ())) == 2}

    def expanded(self, text):
        return Expanded(self.parts).visit(parsed(text))

    def types(self, value):
        """Those of an input."""
        if "types" in value:
            return value["types"]
        of = self.inputs.get(value["type"])
        return self.types(of) if of else [value["type"]]

    def walked(self):
        return (n for _, tree in self.nodes.values() for n in ast.walk(tree))

    def is_plain(self):
        """Whether it has one input and works element by element."""
        return len(self.inputs) == 1 and not self.words & {
            "sum", "mean", "product", "matmul", "einsum", "windows", *MOVED} and not any(
                word_of(n) in ("max", "min") and (
                    len(n.args) == 1 or over_axes(n.args[1], self.lists))
                for n in self.walked())

    def shapes(self, nodes):
        """Those of all names of `nodes`, as far as they are seen."""
        known = SHAPED.get(self.operator, {})
        shape = "full" if self.outputs[self.first].get("shape") == self.active[0] else (
            known.get(f"d{self.first}"))
        found = Shapes({**{key: key for key in self.active if known.get(key, key)},
                        self.active[0]: "full",
                        f"d{self.first}": shape})
        found.of.update({key: "full" for key in self.active
                         if self.inputs[key].get("shape") == self.active[0]})
        found.wins = bool(self.outputs[self.first].get("shape"))
        for key, (_, tree) in nodes.items():
            found.of[key] = known.get(key) or found[tree] or key
        found.of.update(self.known.of)
        if not shape and " over " in str(found.of[self.first]):
            found.of[f"d{self.first}"] = found.of[self.first]
        return found

    def used(self, made, names=names_in):
        """The nodes that the nodes of a gradient name."""
        wanted = set().union(*(names(parsed(text)) for _, text in made.values()))
        for key in [*reversed(self.nodes)] * 2:
            if key in wanted:
                wanted |= names(self.nodes[key][1])
        return [key for key in self.nodes if key in wanted]

    def shape_of_first(self):
        """The shape of the first output, by inputs and attributes alone."""
        found = {}
        for key, (_, tree) in self.nodes.items():
            found[key] = (), Sized(self.tensors).visit(Expanded(found).visit(copy.deepcopy(tree)))
        return f"shape({spelled(found[self.first][1])})"


class Walk:
    """One way back over `nodes`: `made` has the (type, text) of each node of the gradient."""

    def __init__(self, graph, nodes, way):
        self.graph, self.nodes, self.way = graph, nodes, way
        self.shapes, self.made, self.lax = graph.shapes(nodes), {}, {}
        self.adjoint = {of: [("{}", f"d{of}")] for of in graph.cotangents}
        self.back()
        self.made = {key: (kind, spelled(parsed(text))) for key, (kind, text) in self.made.items()}

    def back(self):
        graph = self.graph
        for key in reversed(self.nodes):
            if key in self.adjoint and key in graph.live:
                self.step(key)
        for key in graph.active:
            if key in self.adjoint:
                self.answer(key)

    def step(self, key):
        """From the adjoint of a node to those of its operands."""
        kind, tree = self.nodes[key]
        g = f"d{key}"
        if key in self.graph.views and "columns" in self.way:
            g = Exact(stored(self.total(key, kind)))
        elif key not in self.graph.cotangents:
            g = f"d_{key}"
            self.made[g] = kind, self.total(key, kind)
        reverse = Reverse(self.graph, self.way)
        reverse.push(tree, Exact(g))
        for leaf, terms in reverse.found.items():
            if (key, leaf) in STILL.get(self.graph.operator, ()):
                continue
            if key in self.graph.lax:
                self.lax[leaf] = g, *terms
            else:
                self.adjoint.setdefault(leaf, []).extend(terms)

    def answer(self, key):
        if key in self.graph.open:  # without elements, as what is read in place of it
            self.made[f"d{key}"] = key, self.made.pop(f"d_{self.graph.open[key]}")[1]
            return
        text = self.total(key, key)
        if [wrap != "{}" for wrap, _ in self.adjoint[key]] == [True]:  # it may be 0 alone
            text = f"broadcast({text}, shape({key}))"
        if text in self.made and self.made[text][0] is None:  # one node, not its copy
            text = self.made.pop(text)[1]
        self.made[f"d{key}"] = key, text

    def total(self, leaf, kind):
        """The sum of what was found for a name."""
        terms = [wrap.format(self.shaped(text, leaf, f"d_{leaf}_{k}", kind))
                 for k, (wrap, text) in enumerate(self.adjoint[leaf])]
        self.shapes.of[f"d_{leaf}"] = self.shapes.of.get(leaf)
        if leaf not in self.lax:
            return " + ".join(terms)
        (g, (wrap, _)), rest = self.lax[leaf], f"d_{leaf}_0"  # it may be absent
        self.made[rest] = kind, " + ".join(terms)
        asked = wrap.removeprefix("if(").partition(",")[0]
        asked = f"present({g})" + (f" and {asked}" if asked != wrap else "")
        return f"if({asked}, {rest} + {g}, {rest})"

    def shaped(self, text, leaf, of, kind):
        """`text` in the shape of `leaf`; a node `of` is made where it has to be summed."""
        if isinstance(text, Exact) or leaf in self.graph.views or self.graph.plain:
            return text
        if isinstance(text, Reduced):
            return f"broadcast({text}, shape({leaf}))"
        seen, own = self.shapes[parsed(text)], self.shapes.of.get(leaf)
        if leaf in self.graph.matrices and re.match(r"(transpose\()?matmul\(", text):
            seen = own
        if seen and seen == own:
            return text
        if seen and seen.startswith(f"{own} over "):
            return f"broadcast({text}, shape({leaf}))"
        self.made[of] = kind, text
        if seen and own and own.startswith(f"{seen} over "):
            return f"sum({of}, broadcast_axes({of}, {leaf}))"
        return fitted(of, leaf)


def differing(of, made):
    """The nodes of a gradient that have another text in `made`."""
    return {key: text for key, (_, text) in of.items() if text != made.get(key, ("", ""))[1]}
