"""The rules of nodes as text: the Python functions of cards, and of the program's own Functions."""

import ast
import dataclasses
import inspect
import linecache
import os
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from wengert._core.functions.function import FunctionNode, ViewWrite
from wengert._core.operators.rules import Rule
from wengert._core.recording.recorded import OpNode
from wengert._core.writes.slices import CopySlices

__all__ = ["LEAF_RULE", "RuleReader", "RuleText", "input_names", "operator_name"]

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
LONGEST_STATEMENT = 30


@dataclasses.dataclass(frozen=True)
class RuleText:
    """A rule as text.

    Args:
        inputs: names of the inputs of which it returns the gradients.
        source: its source in Python; empty if it is not available.
        place: file and line, relative to the package for rules of wengert; else what is known of it.
        native: name of the native function that computes the same for plain arrays; empty if there is none.
        remark: how the engine uses it, if that is not simply a call with the gradient; else empty.
    """

    inputs: tuple[str, ...]
    source: str
    place: str
    native: str = ""
    remark: str = ""


LEAF_RULE = RuleText(
    ("leaf",),
    "leaf.grad = grad if leaf.grad is None else leaf.grad + grad",
    "_core/leaves/accumulate.py",
    remark="In words of Python. The pass that is shown here adds nothing to .grad.",
)
VIEW_RULE = RuleText(
    ("base",),
    """\
rest = grad.clone()
part = rest.view_of_the_write  # the elements that were written
part[...], *others = rule_of_the_write(part.clone())
return rest, *others""",
    "_core/writes/slices.py",
    remark="In words of Python: a view was written to; the rule of the write receives its part of the gradient.",
)


def operator_name(node: Any) -> str:
    """Return the name of the operator, or of the custom Function, of a node; empty for other nodes."""
    if isinstance(node, CopySlices | ViewWrite):
        return operator_name(node.inner)
    if isinstance(node, OpNode):
        return str(node.op.name)
    return node._forward_cls.__name__ if isinstance(node, FunctionNode) else ""


def input_names(node: Any) -> list[str]:
    """Return a name for each edge of a node: that of the operator's parameter, or of the Function's."""
    count = len(node.next_edges)
    if isinstance(node, CopySlices | ViewWrite):
        inner = input_names(node.inner)
        if isinstance(node, ViewWrite) and node.number >= 0:
            inner = [inner[node.number], *inner[: node.number], *inner[node.number + 1 :]]
        return ["base", *inner[1:], *(f"input {at}" for at in range(len(inner), count))][:count]
    if isinstance(node, OpNode):
        return list(names_of_edges(node, count))
    if isinstance(node, FunctionNode):
        known = node._argument_names()
        names = [f"input {at}" for at in range(count)]
        for at, number in enumerate(node.edge_numbers):
            if 0 <= number < count and at < len(known):
                names[number] = known[at]
        return names
    return [f"input {at}" for at in range(count)]


def names_of_edges(node: OpNode, count: int) -> Iterator[str]:
    """Yield the names of the edges of an operator; a list of tensors has one edge for each of them."""
    op = node.op
    members = count - len(op.grad_slots) + 1
    for slot, position in enumerate(op.grad_slots):
        name = str(op.names[position])
        if slot == op.list_slot:
            yield from (f"{name}[{at}]" for at in range(members))
        else:
            yield name


class RuleReader:
    """Reader of the source of rules; it keeps the syntax trees of the files that it has read."""

    def __init__(self) -> None:
        self.trees: dict[str, ast.Module | None] = {}

    def rules_of(self, node: Any) -> tuple[RuleText, ...]:
        """Return the rules that run in the step of a node that is not a leaf's, in their order."""
        if isinstance(node, CopySlices):
            return (VIEW_RULE, *self.rules_of(node.inner))
        if isinstance(node, ViewWrite):
            return self.rules_of(node.inner)
        if isinstance(node, FunctionNode):
            source, place = self.read(node._get_user_fn())
            return (RuleText(tuple(input_names(node)), source, place),)
        if isinstance(node, OpNode):
            return tuple(self.rule_text(node, rule) for rule in node.plan.rules)
        return (RuleText(tuple(input_names(node)), "", f"{type(node).__module__}.{type(node).__qualname__}"),)

    def rule_text(self, node: OpNode, rule: Rule) -> RuleText:
        """Return one rule of an operator."""
        op = node.op
        remarks = []
        if rule.partial:
            remarks.append("It returns the partial derivative, by whose conjugate the engine multiplies the gradient.")
        if rule.passes:
            remarks.append("Where it would return the gradient itself, it is not called.")
        native = "" if rule.native is None else str(getattr(rule.native, "__name__", "a native function"))
        source, place = self.read(rule.fn)
        inputs = tuple(str(op.names[op.grad_slots[slot]]) for slot in rule.slots)
        return RuleText(inputs, source, place, native.removeprefix("direct_"), " ".join(remarks))

    def read(self, function: Callable[..., Any]) -> tuple[str, str]:
        """Return the source of a function, and where it stands; an empty source if it is not available."""
        inner: Any = inspect.unwrap(function)
        while hasattr(inner, "func"):  # functools.partial
            inner = inner.func
        inner = getattr(inner, "__func__", inner)
        code = getattr(inner, "__code__", None)
        if not inspect.iscode(code):
            return "", f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(inner).__qualname__)}"
        file, number = code.co_filename, code.co_firstlineno
        if not inspect.isfunction(inner):  # compiled: its file is named from where it was compiled
            file = os.path.join(PACKAGE, *inner.__module__.split(".")[1:]) + ".py"
        place = f"{file.removeprefix(PACKAGE).replace(os.sep, '/')}:{number}"
        lines = linecache.getlines(file, getattr(inner, "__globals__", None))
        if code.co_name == "<lambda>":
            return self.statement(file, lines, number), place
        return textwrap.dedent("".join(inspect.getblock(lines[number - 1 :]))).rstrip() if lines else "", place

    def statement(self, file: str, lines: list[str], number: int) -> str:
        """Return the statement around a lambda; the lambda's own line if the statement is long."""
        if not 0 < number <= len(lines):
            return ""
        if file not in self.trees:
            self.trees[file] = parsed("".join(lines))
        tree = self.trees[file]
        length, begin = min(around(tree, number), default=(LONGEST_STATEMENT, 0))
        if length >= LONGEST_STATEMENT:
            return lines[number - 1].strip()
        return textwrap.dedent("".join(lines[begin - 1 : begin + length])).rstrip()


def parsed(text: str) -> ast.Module | None:
    """Return the syntax tree of a file; None if it is not Python, such as lines typed in a shell."""
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def around(tree: ast.Module | None, number: int) -> Iterator[tuple[int, int]]:
    """Yield the statements of a file that include a line: how many further lines they have, and their first line."""
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.stmt):
            end = node.end_lineno or node.lineno
            if node.lineno <= number <= end:
                yield end - node.lineno, node.lineno
