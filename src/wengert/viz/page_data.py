"""What the explorer page is told: a graph and a profile as plain data, compact and safe to stand in a page.

The page gets one JSON text. Each node is an entry in several columns; names are numbers of entries in one list of
strings, since most recur. Nodes come in an order in which each stands after its sources: that of the computation.
"""

import heapq
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from wengert.viz.boxes import readable_shapes, summary
from wengert.viz.data import LEAF, OPERATOR, OUTPUT, PARAMETER, Drawable, GraphNode, Saved, Shape

__all__ = ["as_json", "describe_graph", "describe_profile"]

KINDS = (OUTPUT, OPERATOR, PARAMETER, LEAF)


class Strings:
    """A list of strings in which each stands once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The place of a string in the list."""
        return self.numbers.setdefault(text, len(self.numbers))


def as_json(value: Any) -> str:
    """`value` as JSON that can stand in a `<script>` of a page: no character in it means anything to HTML."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text  # U+2028 and U+2029 are no ASCII: they are escaped already


def finite(value: float | None) -> float | str | None:
    """A number as the page reads it: JSON has no NaN and no infinities."""
    if value is None or math.isfinite(value):
        return value if value is None else float(f"{value:.6g}")
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def describe_graph(graph: Drawable, strings: Strings) -> dict[str, Any]:
    """The graph for the page.

    Args:
        graph: What to show.
        strings: Where its strings go.
    """
    order = in_order(graph)
    place = {box: position for position, box in enumerate(order)}
    nodes = [graph.nodes[box] for box in order]
    memories: dict[object, int] = {}

    def column(read: Callable[[GraphNode], Any]) -> list[Any] | None:
        values = [read(node) for node in nodes]
        return values if any(value is not None for value in values) else None

    def saved_of(one: Saved) -> list[Any]:
        memory = memories.setdefault(one.memory, len(memories))
        words = f"{one.dtype} {readable_shapes((one.shape,))}" if one.dtype else ""
        return [strings.number(one.name), strings.number(words), one.nbytes, memory, int(one.packed)]

    edges = sorted((place[edge.source], place[edge.target], edge.count) for edge in graph.edges)
    return {
        "summary": summary(graph),
        "kind": [KINDS.index(node.kind) for node in nodes],
        "title": [strings.number(node.title) for node in nodes],
        "shapes": [strings.number(shapes_in_words(node.shapes)) for node in nodes],
        "module": [strings.number(node.module) for node in nodes],
        "scope": [strings.number(node.scope) for node in nodes],
        "source": [strings.number(node.source) for node in nodes],
        "saved": [[saved_of(one) for one in node.saved] for node in nodes],
        "released": [position for position, node in enumerate(nodes) if node.released],
        "sequence": column(lambda node: node.sequence),
        "gradient": column(lambda node: finite(node.gradient)),
        "forward": column(lambda node: finite(node.forward)),
        "backward": column(lambda node: finite(node.backward)),
        "edges": [number for edge in edges for number in edge],
    }


def shapes_in_words(shapes: tuple[Shape, ...]) -> str:
    """The shapes of all outputs; empty where none is known."""
    return readable_shapes(shapes) if shapes else ""


def in_order(graph: Drawable) -> list[int]:
    """The boxes in an order of computation: each after its sources, older operators first, leaves before their use."""
    count = len(graph.nodes)
    targets: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for edge in graph.edges:
        targets[edge.source].append(edge.target)
        missing[edge.target] += 1
    # Nodes found later lie nearer to the beginning, where they have no sequence numbers.
    made = [(node.sequence if node.sequence is not None else -box) for box, node in enumerate(graph.nodes)]
    when = [
        min((made[target] for target in targets[box]), default=math.inf) - 0.5
        if node.kind in (PARAMETER, LEAF)
        else made[box]
        for box, node in enumerate(graph.nodes)
    ]
    ready = [(when[box], box) for box in range(count) if not missing[box]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, box = heapq.heappop(ready)
        order.append(box)
        for target in targets[box]:
            missing[target] -= 1
            if not missing[target]:
                heapq.heappush(ready, (when[target], target))
    return order


def describe_profile(events: Iterable[Any], strings: Strings) -> dict[str, Any]:
    """The timeline for the page: for each thread its events as a flat list, each before those within it.

    Args:
        events: With the attributes of torch's `FunctionEvent`.
        strings: Where their strings go.
    """
    every = list(events)
    threads: dict[Any, list[Any]] = {}
    for event in every:
        if event.cpu_parent is None:
            threads.setdefault(event.thread, []).append(event)
    begin = min((float(event.time_range.start) for event in every), default=0.0)
    return {
        "threads": [
            {
                "name": strings.number(f"thread {thread}"),
                "events": [entry(event, depth, begin, strings) for event, depth in nested(roots)],
            }
            for thread, roots in threads.items()
        ]
    }


def nested(roots: Sequence[Any]) -> Iterator[tuple[Any, int]]:
    """Events, each followed by those within it, with their depths; however deep they are nested."""
    waiting = [(event, 0) for event in sorted(roots, key=start_of, reverse=True)]
    while waiting:
        event, depth = waiting.pop()
        yield event, depth
        waiting += [(child, depth + 1) for child in sorted(event.cpu_children, key=start_of, reverse=True)]


def start_of(event: Any) -> float:
    """When an event began, in microseconds."""
    return float(event.time_range.start)


def entry(event: Any, depth: int, begin: float, strings: Strings) -> list[Any]:
    """One event: name, depth, start and duration in microseconds, sequence number, shapes, bytes, FLOPs, line."""
    start, end = float(event.time_range.start), float(event.time_range.end)
    shapes = getattr(event, "input_shapes", None) or []
    stack = getattr(event, "stack", None) or []
    number = getattr(event, "sequence_nr", None)
    return [
        strings.number(str(event.name)),
        depth,
        finite(round(start - begin, 3)),
        finite(round(end - start, 3)),
        -1 if number is None else number,
        strings.number(", ".join(str(list(shape)) for shape in shapes)),
        getattr(event, "cpu_memory_usage", 0) or 0,
        getattr(event, "flops", None) or 0,
        strings.number(str(stack[0]) if stack else ""),
    ]
