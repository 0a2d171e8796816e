# SPDX-License-Identifier: Apache-2.0
"""The way back over a scan: a scan from its last step to its first, which reads what the nodes of
the first one were."""

import ast

from adjoint import Exact, Reverse, parsed, spelled, word_of
from reverse import Walk


class There(ast.NodeTransformer):
    """The nodes of the scan, as they were at this step."""

    def __init__(self, nodes):
        self.nodes = nodes

    def visit_Name(self, node):
        return ast.Call(ast.Name("step"), [node], []) if node.id in self.nodes else node

    def visit_Call(self, node):
        if word_of(node) != "before":
            node.args = [self.visit(of) for of in node.args]
        return node


class Recurrence(Walk):
    """`adjoint` has what was found for a name, and for what reads one at a step: `step(x)`,
    `before(S, start)`, `steps(S)`."""

    def back(self):
        inside = [key for key in self.nodes if key in self.graph.place]
        outside = [key for key in self.nodes if key not in inside]
        first = [*self.nodes].index(inside[0])
        for key in reversed(outside[first:]):
            if key in self.adjoint:
                self.step(key)
        self.enter(inside)
        for key in reversed(inside):
            if key in self.adjoint and key in self.graph.live:
                self.step(key, True)
        self.leave(inside)
        for key in reversed(outside[:first]):
            if key in self.adjoint and key in self.graph.live:
                self.step(key)
        for key in self.graph.active:
            if key in self.adjoint:
                self.answer(key)

    def keep(self, name, kind, text, inside=False):
        """The name of a new node; of what has one already, that."""
        if text.isidentifier():
            return text
        if inside:
            scanned = {key for key, at in self.graph.place.items() if at == "scan"}
            text = spelled(There(scanned).visit(parsed(text)))
            self.graph.place[name] = "reverse_scan"
        self.made[name] = kind, text
        return name

    def enter(self, inside):
        """What comes into the scan from behind: at each step, and into its last state."""
        self.last = {}
        for key in inside:
            kind = self.nodes[key][0]
            last, all_of = self.adjoint.pop(key, None), f"steps({key})"
            if last:
                self.adjoint[key] = last
                self.last[key] = self.keep(f"d_last_{key}", kind, self.total(key, kind))
                del self.adjoint[key]
            if all_of in self.adjoint:
                text = self.keep(f"d_all_{key}", kind, self.total(all_of, kind))
                self.adjoint[key] = [("{}", Exact(f"step({text})"))]
        for leaf in self.carried(inside):
            key = leaf.args[0].id
            begin = self.last.get(key) or self.keep(f"d_last_{key}", self.nodes[key][0],
                                                    f"broadcast(0, shape({key}))")
            self.adjoint.setdefault(key, []).append(
                ("{}", Exact(f"before(d_before_{key}, {begin})")))

    def carried(self, inside):
        """What is read as it was at the step before, once each."""
        found = {spelled(of): of for key in inside for of in ast.walk(self.nodes[key][1])
                 if word_of(of) == "before"}
        if len(found) > len({of.args[0].id for of in found.values()}):
            raise NotImplementedError("one node that starts from two tensors")
        return found.values()

    def leave(self, inside):
        """What the scan gives to the tensors that it read."""
        starts = {spelled(of): of.args for of in self.carried(inside)}
        for leaf in [of for of in self.adjoint if parsed(of).__class__ is ast.Call]:
            tree = parsed(leaf)
            if word_of(tree) == "steps":
                continue
            name = tree.args[0].id
            kind = self.nodes.get(name, (name,))[0]
            made = f"d_{word_of(tree)}_{name}"
            self.keep(made, kind, self.whole(leaf, kind), True)
            to = spelled(starts[leaf][1]) if leaf in starts else name
            self.adjoint.setdefault(to, []).append(
                ("{}", Exact(made if leaf in starts else f"steps({made})")))

    def step(self, key, inside=False):
        """From the adjoint of a node to those of its operands. What a condition lets in alone goes
        on under the same condition."""
        kind, tree = self.nodes[key]
        terms = self.adjoint[key]
        under = terms[0][0] if len({wrap for wrap, _ in terms}) == 1 else "{}"
        g = f"d{key}"
        if len(terms) == 1 and isinstance(terms[0][1], Exact) and under == "{}" and word_of(
                parsed(terms[0][1])) in ("step", "steps"):
            g = terms[0][1]
        elif key not in self.graph.cotangents:
            g = self.keep(f"d_{key}", kind, self.whole(key, kind), inside)
        reverse = Reverse(self.graph, self.way)
        reverse.push(tree, Exact(g))
        for leaf, found in reverse.found.items():
            self.adjoint.setdefault(leaf, []).extend(
                (under.replace("{}", wrap), text) for wrap, text in found)

    def answer(self, key):
        self.made[f"d{key}"] = key, self.total(key, key)

    def whole(self, leaf, kind):
        """The sum of what was found, in the shape of `leaf` whatever the conditions are."""
        return self.total(leaf, kind, f"broadcast(0, shape({leaf}))")

    def total(self, leaf, kind, none="0"):
        """The sum of what was found for a name, by conditions; `none` is that of nothing."""
        return summed([(path_of(parsed(wrap)), self.shaped(text, leaf, None, kind))
                       for wrap, text in self.adjoint[leaf]], none)

    def shaped(self, text, leaf, of, kind):
        """`text` in the shape of `leaf`: summed where that was broadcast."""
        own, seen = self.graph.known[parsed(leaf)], self.graph.known[parsed(text)]
        if isinstance(text, Exact) or (seen and seen == own):
            return text
        return f"sum({text}, broadcast_axes({text}, {leaf}))"


def path_of(tree):
    """The conditions around a term, each with what it has to be."""
    if word_of(tree) != "if_":
        return {}
    first = word_of(tree.args[1]) == "if_" or isinstance(tree.args[1], ast.Set | ast.Dict)
    return {spelled(tree.args[0]): first, **path_of(tree.args[1 if first else 2])}


def summed(terms, none):
    """The text of a sum of terms under conditions."""
    under = next((condition for path, _ in terms for condition in path), None)
    if under is None:
        return " + ".join(text for _, text in terms) or none
    yes, no = (summed([({c: is_so for c, is_so in path.items() if c != under}, text)
                       for path, text in terms if path.get(under, holds) == holds], none)
               for holds in (True, False))
    return yes if yes == no else f"if({under}, {yes}, {no})"
