"""Layout of a directed graph: boxes in layers, few crossings, long arrows around the boxes.

The steps are those of Sugiyama's method: the layer of a box is given by the longest path to the end of the graph,
arrows that cross layers get bends there, layers are ordered by the barycentres of neighbours, and the positions within
a layer come from a least-squares fit that keeps order and distances. Nothing is recursive, each step is nearly linear.

Source: K. Sugiyama, S. Tagawa, M. Toda: Methods for visual understanding of hierarchical system structures, 1981.
"""

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

from wengert.viz.order import order_layers, place_in_layers

__all__ = ["Layout", "lay_out"]

Point = tuple[float, float]
# Limit of bends in a picture. Beyond it, the longest arrows are straight.
_MOST_BENDS = 6000
_LAYER_GAP = 34.0
_PORT_DISTANCE = 14.0
_PORT_SHARE = 0.6


@dataclasses.dataclass(frozen=True)
class Layout:
    """Positions of boxes and arrows; x grows to the right and y downwards, both from 0.

    Args:
        width: total width.
        height: total height.
        centres: centre of each box.
        routes: points of each arrow, an even number: a curve from the first to the second, a straight line to the
            third, a curve to the fourth and so on; curves leave and arrive vertically. An arrow that shares its first
            part with another one of the same box starts where it branches off.
    """

    width: float
    height: float
    centres: tuple[Point, ...]
    routes: tuple[tuple[Point, ...], ...]


def lay_out(sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> Layout:
    """Place the boxes of a graph so that all arrows point downwards.

    Args:
        sizes: width and height of each box.
        edges: distinct pairs (source, target) of indices of boxes; the source is drawn above.

    Returns:
        The positions of boxes and arrows.

    Raises:
        ValueError: if the arrows form a cycle.
    """
    if not sizes:
        return Layout(0.0, 0.0, (), ())
    return _Plan(sizes, edges).finish()


def _longest_paths(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layer of each box, from 0 at the top: as low as its targets allow, so leaves are near their use."""
    sources: list[list[int]] = [[] for _ in range(count)]
    open_targets = [0] * count
    for source, target in edges:
        sources[target].append(source)
        open_targets[source] += 1
    to_end = [0] * count
    ready = [box for box in range(count) if not open_targets[box]]
    for box in ready:  # the list grows during the loop
        for source in sources[box]:
            to_end[source] = max(to_end[source], to_end[box] + 1)
            open_targets[source] -= 1
            if not open_targets[source]:
                ready.append(source)
    if len(ready) < count:
        raise ValueError("lay_out(): the edges form a circle; a layered picture needs a graph without circles")
    deepest = max(to_end)
    return [deepest - steps for steps in to_end]


class _Plan:
    """The items of one picture: first the boxes, then the bends of long arrows."""

    def __init__(self, sizes: Sequence[Point], edges: Sequence[tuple[int, int]]) -> None:
        self.sizes = sizes
        self.edges = edges
        self.boxes = len(sizes)
        self.layer = _longest_paths(self.boxes, edges)  # of each item
        self.segments: list[tuple[int, int]] = []  # pairs of items in neighbouring layers
        self.chains: dict[tuple[int, int], list[int]] = {}  # items along each arrow
        self._bend_arrows()

    def _bend_arrows(self) -> None:
        """Add a bend in each layer that an arrow crosses; the arrows of one source share a trunk."""
        targets: dict[int, list[int]] = {}
        for source, target in self.edges:
            targets.setdefault(source, []).append(target)
        reach = {source: max(self.layer[t] for t in below) for source, below in targets.items()}
        bends = 0
        for source in sorted(targets, key=lambda box: reach[box] - self.layer[box]):
            length = reach[source] - self.layer[source] - 1
            bends += length
            self._add_trunk(source, targets[source], length if bends <= _MOST_BENDS else 0)

    def _add_trunk(self, source: int, targets: list[int], length: int) -> None:
        """Route the arrows of `source` along one trunk of `length` bends; those that it does not reach are straight."""
        top = self.layer[source]
        trunk = [source, *range(len(self.layer), len(self.layer) + length)]
        self.layer.extend(range(top + 1, top + 1 + length))
        self.segments.extend(pairwise(trunk))
        drawn = 0  # bends of the trunk that an arrow has drawn already
        for target in sorted(targets, key=lambda box: -self.layer[box]):
            above = self.layer[target] - top - 1
            if above > length:
                self.chains[source, target] = [source, target]
                continue
            self.segments.append((trunk[above], target))
            self.chains[source, target] = [trunk[above], target] if drawn else [*trunk[: above + 1], target]
            drawn = max(drawn, above)

    def finish(self) -> Layout:
        """Order and place all items."""
        layers: list[list[int]] = [[] for _ in range(max(self.layer) + 1)]
        for item, layer in enumerate(self.layer):
            layers[layer].append(item)
        widths = [size[0] for size in self.sizes] + [0.0] * (len(self.layer) - self.boxes)
        layers = order_layers(layers, self.segments)
        across = place_in_layers(layers, self.segments, widths, self.boxes)
        tops, bottoms = self._bands(layers)
        centres = tuple(
            (across[box], (tops[self.layer[box]] + bottoms[self.layer[box]]) / 2) for box in range(self.boxes)
        )
        width = max(across[item] + widths[item] / 2 for item in range(len(across)))
        routes = self._routes(across, centres, tops, bottoms)
        return Layout(width, bottoms[-1], centres, routes)

    def _bands(self, layers: list[list[int]]) -> tuple[list[float], list[float]]:
        """Return the upper and lower end of each layer."""
        tops: list[float] = []
        bottoms: list[float] = []
        for items in layers:
            tops.append(bottoms[-1] + _LAYER_GAP if bottoms else 0.0)
            bottoms.append(tops[-1] + max((self.sizes[item][1] for item in items if item < self.boxes), default=0.0))
        return tops, bottoms

    def _routes(
        self, across: list[float], centres: tuple[Point, ...], tops: list[float], bottoms: list[float]
    ) -> tuple[tuple[Point, ...], ...]:
        """Return the points of each arrow."""
        ports = self._ports(across)
        routes = []
        for edge in self.edges:
            chain = self.chains[edge]
            points = []
            for item in chain[:-1]:
                low = bottoms[self.layer[item]]
                if item < self.boxes:
                    low = centres[item][1] + self.sizes[item][1] / 2
                elif item != chain[0]:
                    points.append((across[item], tops[self.layer[item]]))
                points.append((across[item], low))
            target = edge[1]
            points.append((across[target] + ports[edge], centres[target][1] - self.sizes[target][1] / 2))
            routes.append(tuple(points))
        return tuple(routes)

    def _ports(self, across: list[float]) -> dict[tuple[int, int], float]:
        """Return the offset from the middle where each arrow meets the top of its target, in order of arrival."""
        arriving: dict[int, list[tuple[int, int]]] = {}
        for edge in self.edges:
            arriving.setdefault(edge[1], []).append(edge)
        ports = {}
        for target, edges in arriving.items():
            edges.sort(key=lambda edge: across[self.chains[edge][-2]])
            distance = min(_PORT_DISTANCE, self.sizes[target][0] * _PORT_SHARE / len(edges))
            for position, edge in enumerate(edges):
                ports[edge] = (position - (len(edges) - 1) / 2) * distance
        return ports
