"""The page on which the steps of a backward pass can be gone through: its data, compact and safe to embed."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from wengert.viz.data import Drawable
from wengert.viz.explorer import GRAPH_LIBRARIES
from wengert.viz.page_data import Strings, describe_graph, finite, in_order
from wengert.viz.page_text import fill_page, join_scripts
from wengert.viz.step_data import Passed, Step
from wengert.viz.values import Value

__all__ = ["describe_steps", "write_steps_page"]

PARTS = ("words", "theme", "nodes", "groups", "layout", "drawing", "details", "stepping", "step_panel", "step_main")


def write_steps_page(graph: Drawable, gradient: Value, steps: Sequence[Step]) -> str:
    """Return the text of the page.

    Args:
        graph: the graph of the pass.
        gradient: the gradient with which it began.
        steps: its steps.
    """
    strings = Strings()
    data: dict[str, Any] = {"graph": describe_graph(graph, strings), **describe_steps(graph, gradient, steps, strings)}
    data["strings"] = list(strings.numbers)
    return fill_page("steps.html", script(), data)


@cache
def script() -> str:
    """Return the script of the page."""
    return join_scripts(GRAPH_LIBRARIES, PARTS)


def describe_steps(graph: Drawable, gradient: Value, steps: Sequence[Step], strings: Strings) -> dict[str, Any]:
    """Return the steps for the page; nodes are numbered as in `describe_graph`.

    Args:
        graph: the graph of the pass.
        gradient: the gradient with which it began.
        steps: its steps.
        strings: list for their strings.
    """
    place = {box: position for position, box in enumerate(in_order(graph))}

    def lines(text: str) -> list[int]:
        return [strings.number(line) for line in text.expandtabs(4).splitlines()]

    def value(grad: Value | None) -> list[Any] | None:
        return None if grad is None else [strings.number(grad.head()), lines(grad.body()), finite(grad.norm)]

    def passed(output: Passed) -> list[Any]:
        delivered = None if output.delivered is output.returned else value(output.delivered)
        return [strings.number(output.name), place[output.box], value(output.returned), delivered, value(output.total)]

    return {
        "gradient": value(gradient),
        "steps": [
            {
                "node": place[step.box],
                "operator": strings.number(step.operator),
                "arrives": [value(grad) for grad in step.arriving],
                "reads": [
                    [strings.number(name), value(read) if isinstance(read, Value) else [-1, lines(read), None]]
                    for name, read in step.reads
                ],
                "rules": [
                    [
                        [strings.number(name) for name in rule.inputs],
                        lines(rule.source),
                        strings.number(rule.place),
                        strings.number(rule.native),
                        strings.number(rule.remark),
                    ]
                    for rule in step.rules
                ],
                "passes": [passed(output) for output in step.passed],
            }
            for step in steps
        ],
    }
