"""Order and positions within the layers of a drawing; `layout` divides a graph into layers."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["count_crossings", "order_layers", "place_in_layers"]

Segment = tuple[int, int]
_ORDER_ROUNDS = 6
_PLACE_ROUNDS = 10
_GAP = 18.0
# Weight of a segment by the number of bends at its ends: long arrows become straight first.
_PULL = (1.0, 2.0, 6.0)
# Factor for boxes without incoming arrows: parameters are placed beside the main line instead of bending it.
_BEGINNING = 0.2


def order_layers(layers: Sequence[Sequence[int]], segments: Sequence[Segment]) -> list[list[int]]:
    """Reorder each layer so that few segments cross.

    Args:
        layers: the items of each layer; items are numbered from 0.
        segments: pairs of items, the first in the layer above that of the second.

    Returns:
        The layers in their new order: the best of all rounds, never worse than the original.
    """
    above, below = _neighbours(sum(map(len, layers)), segments)
    best = [list(layer) for layer in layers]
    fewest = count_crossings(best, below)
    current = [list(layer) for layer in best]
    place = {item: position for layer in current for position, item in enumerate(layer)}
    for _ in range(_ORDER_ROUNDS):
        if not fewest:
            break
        for layer in current:
            _sort_by_barycentre(layer, above, place)
        for layer in reversed(current):
            _sort_by_barycentre(layer, below, place)
        crossings = count_crossings(current, below)
        if crossings < fewest:
            fewest, best = crossings, [list(layer) for layer in current]
    return best


def _neighbours(count: int, segments: Sequence[Segment]) -> tuple[list[list[int]], list[list[int]]]:
    """Return the neighbours of each item in the layer above, and in the layer below."""
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for upper, lower in segments:
        above[lower].append(upper)
        below[upper].append(lower)
    return above, below


def _sort_by_barycentre(layer: list[int], neighbours: list[list[int]], place: dict[int, int]) -> None:
    """Sort `layer` by the mean position of each item's neighbours; an item without neighbours keeps its position."""
    wanted = {
        item: sum(place[near] for near in neighbours[item]) / len(neighbours[item]) if neighbours[item] else place[item]
        for item in layer
    }
    layer.sort(key=wanted.__getitem__)
    for position, item in enumerate(layer):
        place[item] = position


def count_crossings(layers: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """Return the number of pairs of segments that cross, over all layers.

    Args:
        layers: the items of each layer, in order.
        below: the neighbours of each item in the next layer.
    """
    crossings = 0
    for upper, lower in pairwise(layers):
        place = {item: position for position, item in enumerate(lower)}
        # Segments from left to right: each crosses the earlier ones that end to its right.
        ends: list[int] = []
        for item in upper:
            for target in sorted(place[near] for near in below[item]):
                position = bisect_left(ends, target + 1)
                crossings += len(ends) - position
                ends.insert(position, target)
    return crossings


def place_in_layers(
    layers: Sequence[Sequence[int]], segments: Sequence[Segment], widths: Sequence[float], boxes: int
) -> list[float]:
    """Place the items of each layer, in the given order, near to their neighbours.

    Args:
        layers: the items of each layer from left to right.
        segments: pairs of items in neighbouring layers.
        widths: width of each item.
        boxes: items below this number are boxes, the others are bends of arrows.

    Returns:
        The centre of each item; the leftmost box or bend starts at 0.
    """
    pulls: tuple[list[list[tuple[int, float]]], ...] = ([[] for _ in widths], [[] for _ in widths])
    reached = {lower for _, lower in segments}
    for upper, lower in segments:
        pull = _PULL[(upper >= boxes) + (lower >= boxes)]
        if upper not in reached:
            pull *= _BEGINNING
        pulls[0][lower].append((upper, pull))
        pulls[1][upper].append((lower, pull))
    centre = [0.0] * len(widths)
    offsets = [_packed(layer, widths) for layer in layers]
    for layer, offset in zip(layers, offsets, strict=True):
        for item, place in zip(layer, offset, strict=True):
            centre[item] = place - offset[-1] / 2
    downwards = list(zip(layers, offsets, strict=True))
    for round_nr in range(_PLACE_ROUNDS):
        for layer, offset in downwards if round_nr % 2 == 0 else reversed(downwards):
            # The first rounds propagate positions through the graph, the last ones balance both sides.
            sides = pulls if round_nr >= _PLACE_ROUNDS - 4 else (pulls[round_nr % 2],)
            _fit_layer(layer, offset, sides, centre)
    left = min(centre[item] - width / 2 for item, width in enumerate(widths))
    return [place - left for place in centre]


def _packed(layer: Sequence[int], widths: Sequence[float]) -> list[float]:
    """Return the centres of the items of one layer at their minimum distances; the first one is at 0."""
    places = [0.0]
    for left, right in pairwise(layer):
        places.append(places[-1] + (widths[left] + widths[right]) / 2 + _GAP)
    return places


def _fit_layer(
    layer: Sequence[int],
    offset: Sequence[float],
    sides: Sequence[Sequence[Sequence[tuple[int, float]]]],
    centre: list[float],
) -> None:
    """Move the items of one layer as near to their neighbours as order and distances allow.

    After subtraction of the packed offsets, the distances require that positions do not decrease: the remaining
    weighted least-squares problem is isotonic regression, solved exactly by pooling adjacent violators.
    """
    # Blocks (sum of weighted positions, sum of weights, number of items) of packed items.
    blocks: list[tuple[float, float, int]] = []
    for item, packed in zip(layer, offset, strict=True):
        pulled = total = 0.0
        for side in sides:
            for near, pull in side[item]:
                pulled += pull * centre[near]
                total += pull
        if not total:  # no weight: stay, but give way easily
            total = 0.01
            pulled = total * centre[item]
        block = (pulled - total * packed, total, 1)
        while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
            last = blocks.pop()
            block = (last[0] + block[0], last[1] + block[1], last[2] + block[2])
        blocks.append(block)
    position = 0
    for pulled, total, count in blocks:
        for _ in range(count):
            centre[layer[position]] = pulled / total + offset[position]
            position += 1
