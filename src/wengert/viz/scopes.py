"""Modules and name scopes of the operators of a graph."""

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from wengert.autograd.scopes import noting_places, scope
from wengert.viz.data import LEAF, OUTPUT, PARAMETER, GraphEdge, GraphNode

if TYPE_CHECKING:
    from wengert import nn

__all__ = ["infer_modules", "record_scopes", "scope"]

# Operators by which a module changes the shape of a parameter before it uses it.
_VIEWS = frozenset(
    (
        *("T", "Transpose", "Permute", "View", "UnsafeView", "Unsqueeze", "Squeeze", "Expand", "Select", "Slice"),
        *("Clone", "ToCopy", "Alias"),
    )
)


@contextlib.contextmanager
def record_scopes(model: "nn.Module | None" = None) -> Iterator[None]:
    """Record, for the nodes created in the block, their module in `model` and the scopes around them.

    Args:
        model: module whose parts are distinguished, by the names of `model.named_modules()`. Without it, only the names
            of `viz.scope` are recorded.

    Raises:
        TypeError: if `model` is not a module.

    Only nodes created by the thread that entered the block are recorded.

    >>> import wengert as wg
    >>> model = wg.nn.Sequential(wg.nn.Linear(3, 2), wg.nn.Tanh())
    >>> with wg.viz.record_scopes(model), wg.viz.scope("loss"):
    ...     loss = model(wg.ones(1, 3)).sum()
    >>> [(node.title, node.module, node.scope) for node in wg.viz.graph(loss).nodes if node.scope]
    [('SumBackward0', '', 'loss'), ('TanhBackward0', '1', 'loss'), ('AddmmBackward0', '0', 'loss'), ...]
    """
    if model is not None and not hasattr(model, "named_modules"):
        raise TypeError(f"viz.record_scopes(): model must be a module, but got {type(model).__name__}")
    with noting_places() as opened, contextlib.ExitStack() as hooks:
        if model is not None:
            follow(model, opened.modules, hooks)
        yield


def follow(model: "nn.Module", entered: list[tuple[int, str]], hooks: contextlib.ExitStack) -> None:
    """Keep the modules of `model` whose forward runs in this thread in `entered`, the innermost last."""
    names = {id(module): name for name, module in model.named_modules()}
    thread = threading.get_ident()

    def enter(module: Any, args: Any) -> None:
        if threading.get_ident() == thread:
            entered.append((id(module), names[id(module)]))

    def leave(module: Any, args: Any, output: Any) -> None:
        if threading.get_ident() == thread and any(key == id(module) for key, _ in entered):
            while entered.pop()[0] != id(module):  # a module whose own hooks failed was not removed
                pass

    for _, module in model.named_modules():
        hooks.enter_context(module.register_forward_pre_hook(enter, prepend=True))
        hooks.enter_context(module.register_forward_hook(leave, always_call=True))


def infer_modules(nodes: list[GraphNode], edges: list[GraphEdge]) -> list[str]:
    """Infer the modules of the boxes from the names of the parameters.

    An operator of parameters belongs to their module. An operator between two such operators belongs to the common part
    of their modules: a rectifier between "block.0" and "block.2" belongs to "block".

    Args:
        nodes: the boxes; all arrows lead from later to earlier ones, or all the reverse.
        edges: the arrows.

    Returns:
        One path for each box; empty if unknown.
    """
    order, sources, targets = sorted_boxes(len(nodes), edges)
    module_paths: list[str | None] = [None] * len(nodes)
    fixed = [node.kind in (PARAMETER, LEAF) for node in nodes]  # a leaf, possibly in another shape
    for box in order:
        if nodes[box].kind == PARAMETER:
            module_paths[box] = nodes[box].title.rpartition(".")[0]
        elif sources[box] and nodes[box].kind != OUTPUT:
            module_paths[box] = common(
                [path for source in sources[box] if fixed[source] and (path := module_paths[source]) is not None]
            )
            fixed[box] = nodes[box].title.partition("Backward")[0] in _VIEWS and all(
                map(fixed.__getitem__, sources[box])
            )
    before = spread(order, sources, module_paths, fixed)
    after = spread(order[::-1], targets, module_paths, [False] * len(nodes))
    paths = []
    for box, path in enumerate(module_paths):
        if path is None and before[box] is not None and after[box] is not None:
            path = common([before[box] or "", after[box] or ""])
        paths.append(path or "")
    return paths


def sorted_boxes(count: int, edges: list[GraphEdge]) -> tuple[list[int], list[list[int]], list[list[int]]]:
    """Return the boxes, each after its sources, and the sources and targets of each box."""
    sources: list[list[int]] = [[] for _ in range(count)]
    targets: list[list[int]] = [[] for _ in range(count)]
    for edge in edges:
        sources[edge.target].append(edge.source)
        targets[edge.source].append(edge.target)
    missing = [len(sources_of_box) for sources_of_box in sources]
    order = [box for box in range(count) if not missing[box]]
    for box in order:  # the list grows during the loop
        for target in targets[box]:
            missing[target] -= 1
            if not missing[target]:
                order.append(target)
    return order, sources, targets


def spread(order: list[int], near: list[list[int]], paths: list[str | None], skipped: list[bool]) -> list[str | None]:
    """Return the path of each box; boxes without a path take the common path of the boxes before them."""
    carried: list[str | None] = list(paths)
    for box in order:
        if carried[box] is None:
            carried[box] = common(
                [path for neighbour in near[box] if not skipped[neighbour] and (path := carried[neighbour]) is not None]
            )
    return carried


def common(paths: list[str]) -> str | None:
    """Return the common part of paths; None if there are none."""
    if not paths:
        return None
    first, *others = (path.split(".") if path else [] for path in paths)
    length = len(first)
    for other in others:
        same = 0
        while same < min(length, len(other)) and first[same] == other[same]:
            same += 1
        length = same
    return ".".join(first[:length])
