"""Data of the explorer page: a graph and a profile as plain data, compact and safe to embed in a page.

The page receives one JSON text. Each node is an entry in several columns; names are indices into one list of strings,
since most recur. Nodes are in the order of the computation: each comes after its sources.
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
    """A list of distinct strings."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """Return the index of a string in the list."""
        return self.numbers.setdefault(text, len(self.numbers))


def as_json(value: Any) -> str:
    """Return `value` as JSON for a `<script>` of a page: it contains no character special to HTML."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text  # U+2028 and U+2029 are not ASCII: they are escaped already


def finite(value: float | None) -> float | str | None:
    """Return a number as the page reads it: JSON has neither NaN nor infinities."""
    if value is None or math.isfinite(value):
        return value if value is None else float(f"{value:.6g}")
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def describe_graph(graph: Drawable, strings: Strings) -> dict[str, Any]:
    """Return the graph for the page.

    Args:
        graph: the graph.
        strings: list for its strings.
    """
    order = in_order(graph)
    place = {box: position for position, box in enumerate(order)}
    nodes = [graph.nodes[box] for box in order]
    memories: dict[object, int] = {}

    def column(read: Callable[[GraphNode], Any]) -> list[Any] | None:
        values = [read(node) for node in nodes]
        return values if any(value is not None for value in values) else None

    def saved_of(tensor: Saved) -> list[Any]:
        memory = memories.setdefault(tensor.memory, len(memories))
        words = f"{tensor.dtype} {readable_shapes((tensor.shape,))}" if tensor.dtype else ""
        return [strings.number(tensor.name), strings.number(words), tensor.nbytes, memory, int(tensor.packed)]

    edges = sorted((place[edge.source], place[edge.target], edge.count) for edge in graph.edges)
    return {
        "summary": summary(graph),
        "kind": [KINDS.index(node.kind) for node in nodes],
        "title": [strings.number(node.title) for node in nodes],
        "shapes": [strings.number(shapes_in_words(node.shapes)) for node in nodes],
        "module": [strings.number(node.module) for node in nodes],
        "scope": [strings.number(node.scope) for node in nodes],
        "source": [strings.number(node.source) for node in nodes],
        "saved": [[saved_of(tensor) for tensor in node.saved] for node in nodes],
        "released": [position for position, node in enumerate(nodes) if node.released],
        "sequence": column(lambda node: node.sequence),
        "gradient": column(lambda node: finite(node.gradient)),
        "forward": column(lambda node: finite(node.forward)),
        "backward": column(lambda node: finite(node.backward)),
        "edges": [number for edge in edges for number in edge],
        "modules": [[strings.number(path), strings.number(name)] for path, name in graph.modules.items() if path],
    }


def shapes_in_words(shapes: tuple[Shape, ...]) -> str:
    """Return the shapes of all outputs; empty if none is known."""
    return readable_shapes(shapes) if shapes else ""


def in_order(graph: Drawable) -> list[int]:
    """Return the boxes in order of computation: after their sources, older operators first, leaves before their use."""
    count = len(graph.nodes)
    targets: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for edge in graph.edges:
        targets[edge.source].append(edge.target)
        missing[edge.target] += 1
    # Nodes without sequence numbers: later ones of the walk are nearer to the start of the computation.
    created = [(node.sequence if node.sequence is not None else -box) for box, node in enumerate(graph.nodes)]
    when = [
        min((created[target] for target in targets[box]), default=math.inf) - 0.5
        if node.kind in (PARAMETER, LEAF)
        else created[box]
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
    """Return the timeline for the page: for each thread a flat list of events, each before those within it.

    Args:
        events: events with the attributes of torch's `FunctionEvent`.
        strings: list for their strings.
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
    """Iterate over events with their depths, each followed by those within it, at any depth of nesting."""
    waiting = [(event, 0) for event in sorted(roots, key=start_of, reverse=True)]
    while waiting:
        event, depth = waiting.pop()
        yield event, depth
        waiting += [(child, depth + 1) for child in sorted(event.cpu_children, key=start_of, reverse=True)]


def start_of(event: Any) -> float:
    """Return the start of an event in microseconds."""
    return float(event.time_range.start)


def entry(event: Any, depth: int, begin: float, strings: Strings) -> list[Any]:
    """Return one event: name, depth, start, duration (microseconds), sequence number, shapes, bytes, FLOPs, line."""
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
