"""`torch.fx.subgraph_rewriter`: replacement of patterns in a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from wengert.nn import Module

from .graph import Graph
from .graph_module import GraphModule, copy_attr, has_attr
from .node import Node, map_arg
from .tracer import symbolic_trace

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]

Filter = Callable[[Any, Graph, Graph], bool]


class Match(NamedTuple):
    """A match of a pattern: its last node in the graph, and the node of the graph for each node of the pattern."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A match of a pattern, and the nodes that were put in its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replace all matches of a pattern in the graph of a module.

    Args:
        gm: the module, which changes.
        pattern: a function or module; its parameters match any value.
        replacement: the same with as many parameters.

    Returns:
        The matches.
    """
    replaced = replace_pattern_with_filters(gm, pattern, replacement)
    return [Match(pattern_match.anchor, pattern_match.nodes_map) for pattern_match in replaced]


def replace_pattern_with_filters(
    gm: GraphModule, pattern: Any, replacement: Any = None, match_filters: list[Filter] | None = None, **options: Any
) -> list[ReplacedPatterns]:
    """`replace_pattern` for the matches that all filters accept.

    Args:
        match_filters: functions of the match, the graph and the pattern's graph.
        options: further options of torch.

    Raises:
        NotImplementedError: if an option is given.
    """
    if any(options.values()):
        raise NotImplementedError(f"replace_pattern_with_filters(): {', '.join(options)} cannot be given")
    shape, new = graph_of(pattern), graph_of(replacement)
    matches = [
        match
        for match in matches_in(gm.graph, shape)
        if all(match_filter(match, gm.graph, shape) for match_filter in match_filters or ())
    ]
    moved: dict[Node, Node] = {}
    if isinstance(replacement, Module):
        for node in new.nodes:
            if node.op in ("call_module", "get_attr") and not has_attr(gm, node.target):
                copy_attr(replacement, gm, node.target)
    results = [replace(gm, match, shape, new, moved) for match in matches]
    gm.recompile()
    return results


def graph_of(program: Any) -> Graph:
    """The graph of a function or module, or a graph itself."""
    if isinstance(program, Graph):
        return program
    return program.graph if isinstance(program, GraphModule) else symbolic_trace(program).graph


# ---- where a pattern is ----------------------------------------------------------------------------------------------


def matches_in(graph: Graph, pattern: Graph) -> list[Match]:
    """Return the matches of a pattern; of overlapping ones only the first."""
    results = pattern.output_node().all_input_nodes
    assert results, "replace_pattern(): the pattern returns nothing that it computes"
    anchor = results[-1]
    taken: set[Node] = set()
    matches: list[Match] = []
    for node in graph.nodes:
        match = match_at(anchor, node)
        if match is None or any(result not in match for result in results):
            continue
        inside = {match[pattern_node] for pattern_node in match if pattern_node.op != "placeholder"}
        if inside & taken or not is_closed(match, results):
            continue
        taken |= inside
        matches.append(Match(anchor, match))
    return matches


def match_at(pattern: Node, node: Node, known: dict[Node, Node] | None = None) -> dict[Node, Node] | None:
    """Return the nodes that match those of a pattern ending at this node; None if the pattern does not match."""
    known = {} if known is None else known
    if pattern in known:
        return known if known[pattern] is node else None
    if pattern.op == "placeholder":
        known[pattern] = node
        return known
    if pattern.op != node.op or pattern.target != node.target:
        return None
    known[pattern] = node
    return known if same([*pattern.args, pattern.kwargs], [*node.args, node.kwargs], known) else None


def same(pattern: Any, value: Any, known: dict[Node, Node]) -> bool:
    """Return whether arguments match those of a pattern."""
    if isinstance(pattern, Node):
        if isinstance(value, Node):
            return match_at(pattern, value, known) is not None
        return False
    if isinstance(pattern, (list, tuple)):
        if not isinstance(value, (list, tuple)) or len(pattern) != len(value):
            return False
        return all(same(argument, other, known) for argument, other in zip(pattern, value, strict=True))
    if isinstance(pattern, dict):
        if not isinstance(value, dict) or list(pattern) != list(value):
            return False
        return all(same(pattern[key], value[key], known) for key in pattern)
    return bool(type(pattern) is type(value) and pattern == value)


def is_closed(match: dict[Node, Node], results: list[Node]) -> bool:
    """Return whether no node outside uses intermediate values of a match."""
    inside = set(match.values())
    return all(
        pattern.op == "placeholder" or pattern in results or all(user in inside for user in node.users)
        for pattern, node in match.items()
    )


# ---- replacement -----------------------------------------------------------------------------------------------------


def replace(gm: GraphModule, match: Match, pattern: Graph, new: Graph, moved: dict[Node, Node]) -> ReplacedPatterns:
    """Replace the nodes of a match by those of a replacement.

    Args:
        moved: new nodes for those that earlier replacements removed.
    """
    graph, nodes = gm.graph, match.nodes_map
    values = parameters(pattern, new, nodes, moved)
    with graph.inserting_before(first_user(result_nodes(pattern, nodes), graph)):
        before = set(values)
        result = graph.graph_copy(new, values)
    created = [node for old, node in values.items() if old not in before]
    for old, replaced in zip(result_nodes(pattern, nodes), outputs(result), strict=True):
        moved[old] = replaced
        old.replace_all_uses_with(replaced)
    for node in reversed([node for node in graph.nodes if node in set(inner(nodes))]):
        if not node.users:
            graph.erase_node(node)
    return ReplacedPatterns(match.anchor, nodes, created)


def parameters(pattern: Graph, new: Graph, nodes: dict[Node, Node], moved: dict[Node, Node]) -> dict[Node, Node]:
    """Return the value of each parameter of a replacement for a match."""
    names = pattern.find_nodes(op="placeholder")
    wanted = new.find_nodes(op="placeholder")
    assert len(names) == len(wanted), "replace_pattern(): pattern and replacement have different numbers of parameters"
    return {to: moved.get(nodes[name], nodes[name]) for name, to in zip(names, wanted, strict=True) if name in nodes}


def first_user(results: list[Node], graph: Graph) -> Node:
    """Return the node before which a replacement is inserted: the first user of the replaced nodes."""
    return min(user for node in results for user in node.users) if any(node.users for node in results) else results[-1]


def inner(nodes: dict[Node, Node]) -> list[Node]:
    """The nodes of a match that a replacement makes needless."""
    return [node for pattern, node in nodes.items() if pattern.op != "placeholder"]


def result_nodes(pattern: Graph, nodes: dict[Node, Node]) -> list[Node]:
    """The nodes of a match that the pattern returns."""
    return [nodes[node] for node in pattern.output_node().all_input_nodes]


def outputs(result: Any) -> list[Node]:
    """Return the nodes in the result of a replacement."""
    results: list[Node] = []

    def note(node: Node) -> Node:
        results.append(node)
        return node

    map_arg(result, note)
    return results
