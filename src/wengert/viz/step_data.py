"""The steps of a backward pass as data, and as text."""

import dataclasses
from collections.abc import Iterator, Sequence

from wengert.viz.boxes import clean
from wengert.viz.data import LEAF, PARAMETER, GraphNode
from wengert.viz.rule_text import RuleText
from wengert.viz.values import Value

__all__ = ["Passed", "Step", "write_steps"]


@dataclasses.dataclass(frozen=True, eq=False)
class Passed:
    """A gradient that a node passes on.

    Args:
        name: name of the input of the operator to which it belongs.
        box: index of the node that it goes to, among the nodes of the graph.
        title: title of that node.
        returned: the gradient as the rule returned it; None if it is zero.
        delivered: the gradient as it is delivered, after the engine has summed over broadcast dimensions and converted
            it to the dtype of the input.
        total: for a leaf the sum of all gradients delivered to it so far, this one included; None for other nodes.
    """

    name: str
    box: int
    title: str
    returned: Value | None
    delivered: Value | None
    total: Value | None


@dataclasses.dataclass(frozen=True, eq=False)
class Step:
    """A step of a backward pass: one node runs.

    Args:
        number: position in the pass, from 0.
        box: index of the node among the nodes of the graph.
        node: title, module and source line of the node.
        operator: name of the operator that recorded it; empty for a leaf.
        arriving: the gradient that arrives at each output of the operator; None where none does.
        reads: what was saved for the rule, by the names of its parameters: a `Value`, or text for what is not a tensor.
        rules: the rules that run; none if no gradient arrives.
        passed: the gradients that it passes on.
    """

    number: int
    box: int
    node: GraphNode
    operator: str
    arriving: tuple[Value | None, ...]
    reads: tuple[tuple[str, Value | str], ...]
    rules: tuple[RuleText, ...]
    passed: tuple[Passed, ...]

    @property
    def title(self) -> str:
        """Name of the node, or of the leaf."""
        return self.node.title

    def __str__(self) -> str:
        return "\n".join(write_step(self))

    def __repr__(self) -> str:
        return f"Step({self.number}, {self.title!r})"


def write_steps(gradient: Value, steps: Sequence[Step]) -> str:
    """Return all steps as text, one block for each.

    Args:
        gradient: the gradient with which the pass began.
        steps: the steps.
    """
    lines = [f"A backward pass of {len(steps)} steps; it begins with the gradient {gradient.in_one_line()}"]
    for step in steps:
        lines += ["", *write_step(step)]
    return "\n".join(lines)


def write_step(step: Step) -> Iterator[str]:
    """Yield the lines of one step."""
    node = step.node
    about = [f"operator {step.operator}"] if step.operator else ["leaf"]
    about += [f"module {clean(node.module)}"] if node.module and step.operator else []
    yield f"[{step.number}] {clean(node.title)} ({', '.join(about)})"
    if node.source:
        yield f"  made at {clean(node.source)}"
    for nr, value in enumerate(step.arriving):
        output = f" at output {nr}" if len(step.arriving) > 1 else ""
        yield from labelled(f"arrives{output}:", value)
    if node.kind in (PARAMETER, LEAF):
        yield "  loss.backward() would add it to .grad"
        return
    if not step.rules:
        yield "  no gradient arrives, so its rule does not run"
    for name, saved in step.reads:
        yield from labelled(f"reads {name}:", saved)
    for rule in step.rules:
        yield f"  rule for {', '.join(rule.inputs)}, {rule.place}" + (
            f", natively {rule.native}" if rule.native else ""
        )
        yield from (f"    | {line}".rstrip() for line in rule.source.splitlines())
        if rule.remark:
            yield f"    {rule.remark}"
    for passed in step.passed:
        yield from labelled(f"passes on to {clean(passed.title)}, for {passed.name}:", passed.returned)
        if passed.delivered is not passed.returned:
            yield from labelled("  which the engine reduces to:", passed.delivered)


def labelled(label: str, value: Value | str | None) -> Iterator[str]:
    """Yield the lines of a value behind its label."""
    rows = value.body().splitlines() if isinstance(value, Value) else []
    if isinstance(value, Value) and len(rows) > 1:  # rows of a matrix stand below one another
        yield f"  {label} {value.head()}"
        yield from (f"      {row}" for row in rows)
    else:
        yield f"  {label} {'nothing' if value is None else value}"
