"""The layered layout: arrows point down, nothing overlaps, arrows arrive where they should, and size is no problem."""

import random
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, strategies as st

from wengert.viz.layout import Layout, lay_out
from wengert.viz.order import count_crossings, order_layers

Size = tuple[float, float]
Edge = tuple[int, int]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Size], list[Edge]]:
    """Boxes of any size and arrows from larger to smaller numbers, so that there are no circles."""
    side = st.floats(1, 300)
    sizes = draw(st.lists(st.tuples(side, side), min_size=1, max_size=25))
    pair = st.tuples(st.integers(0, len(sizes) - 1), st.integers(0, len(sizes) - 1))
    pairs = draw(st.lists(pair, max_size=60))
    return sizes, sorted({(max(a, b), min(a, b)) for a, b in pairs if a != b})


def boxes_apart(sizes: list[Size], layout: Layout) -> bool:
    """Whether no two boxes overlap."""
    boxes = list(zip(sizes, layout.centres, strict=True))
    return all(
        abs(x0 - x1) >= (w0 + w1) / 2 - 1e-6 or abs(y0 - y1) >= (h0 + h1) / 2 - 1e-6
        for index, ((w0, h0), (x0, y0)) in enumerate(boxes)
        for (w1, h1), (x1, y1) in boxes[:index]
    )


@given(graphs())
def test_boxes_do_not_overlap_and_lie_inside(graph: tuple[list[Size], list[Edge]]) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    assert boxes_apart(sizes, layout)
    for (width, height), (x, y) in zip(sizes, layout.centres, strict=True):
        assert x - width / 2 >= -1e-6 and x + width / 2 <= layout.width + 1e-6
        assert y - height / 2 >= -1e-6 and y + height / 2 <= layout.height + 1e-6


@given(graphs())
def test_arrows_point_down_and_end_on_their_target(graph: tuple[list[Size], list[Edge]]) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    assert len(layout.routes) == len(edges)
    for (_, target), route in zip(edges, layout.routes, strict=True):
        assert len(route) % 2 == 0
        heights = [y for _, y in route]
        assert heights == sorted(heights)
        (x, y), (width, height) = layout.centres[target], sizes[target]
        assert abs(route[-1][0] - x) <= width / 2
        assert route[-1][1] == pytest.approx(y - height / 2)


@given(graphs())
def test_each_source_is_left_by_at_least_one_arrow_from_its_lower_side(graph: tuple[list[Size], list[Edge]]) -> None:
    sizes, edges = graph
    layout = lay_out(sizes, edges)
    for box in {source for source, _ in edges}:
        x, y = layout.centres[box]
        starts = [route[0] for (source, _), route in zip(edges, layout.routes, strict=True) if source == box]
        assert any(start == pytest.approx((x, y + sizes[box][1] / 2)) for start in starts)


def test_a_chain_is_a_straight_line() -> None:
    layout = lay_out([(100, 30), (50, 30), (80, 30)], [(2, 1), (1, 0)])
    assert [x for x, _ in layout.centres] == pytest.approx([50, 50, 50])
    tops = [y for _, y in layout.centres]
    assert tops == sorted(tops, reverse=True)


def test_a_leaf_stands_right_above_its_use() -> None:
    chain = [(3, 2), (2, 1), (1, 0)]
    layout = lay_out([(40, 20)] * 5, [*chain, (4, 0)])
    assert layout.centres[4][1] == layout.centres[1][1]


def test_a_long_arrow_is_led_around_the_boxes() -> None:
    edges = [(3, 2), (2, 1), (1, 0), (3, 0)]
    layout = lay_out([(200, 40)] * 4, edges)
    route = layout.routes[3]
    assert len(route) == 6
    for box in (1, 2):
        x, y = layout.centres[box]
        passing = [place for place, height in route[1:-1] if abs(height - y) <= 20]
        assert passing and all(abs(place - x) > 100 for place in passing)


def test_crossed_arrows_are_untangled() -> None:
    # Boxes 0 to 3 above, 4 to 7 below, joined in reverse: six crossings as they come, none when sorted.
    segments = [(0, 7), (1, 6), (2, 5), (3, 4)]
    below = [[target for source, target in segments if source == item] for item in range(8)]
    layers = [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert count_crossings(layers, below) == 6
    assert count_crossings(order_layers(layers, segments), below) == 0


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(8, 15)), max_size=40, unique=True))
def test_crossings_are_counted_as_by_comparing_all_pairs(segments: list[Edge]) -> None:
    below = [[target for source, target in segments if source == item] for item in range(16)]
    expected = sum(a < c and b > d for a, b in segments for c, d in segments)
    assert count_crossings([list(range(8)), list(range(8, 16))], below) == expected


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(8, 15)), max_size=40, unique=True))
def test_ordering_never_adds_crossings(segments: list[Edge]) -> None:
    below = [[target for source, target in segments if source == item] for item in range(16)]
    layers = [list(range(8)), list(range(8, 16))]
    ordered = order_layers(layers, segments)
    assert [sorted(layer) for layer in ordered] == layers
    assert count_crossings(ordered, below) <= count_crossings(layers, below)


def test_nothing_at_all_is_laid_out() -> None:
    assert lay_out([], []) == Layout(0.0, 0.0, (), ())


def test_a_circle_is_refused() -> None:
    with pytest.raises(ValueError, match="circle"):
        lay_out([(10, 10)] * 3, [(0, 1), (1, 2), (2, 1)])


def test_the_same_graph_gives_the_same_picture() -> None:
    edges = [(5, 1), (4, 2), (5, 3), (3, 0), (2, 0), (1, 0)]
    sizes = [(30.0, 20.0)] * 6
    assert lay_out(sizes, edges) == lay_out(sizes, edges)


def recurrent(steps: int) -> tuple[list[Size], list[Edge]]:
    """A chain with one leaf that every step uses and one end that uses every step."""
    edges = [(step + 1, step) for step in range(1, steps)]
    edges += [(steps + 1, step) for step in range(1, steps + 1)]
    edges += [(step, 0) for step in range(1, steps + 1)]
    return [(80.0, 40.0)] * (steps + 2), edges


def tangled(boxes: int) -> tuple[list[Size], list[Edge]]:
    """Each box uses two of the forty before it."""
    dice = random.Random(0)
    edges = {(box + dice.randint(1, 40), box) for box in range(boxes - 40) for _ in range(2)}
    return [(80.0, 40.0)] * boxes, sorted(edges)


def count_lines(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs: the same on every machine."""
    lines = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("graph", [recurrent(1000), tangled(1000)], ids=["recurrent", "tangled"])
def test_a_thousand_boxes_take_little_work(graph: tuple[list[Size], list[Edge]]) -> None:
    found: list[Layout] = []
    lines = count_lines(lambda: found.append(lay_out(*graph)))
    assert lines < 10_000 * len(graph[0]), "about 3,000 lines for each box"
    assert len(found[0].centres) == len(graph[0])


def test_depth_beyond_the_recursion_limit_is_no_problem() -> None:
    count = 5 * sys.getrecursionlimit()
    layout = lay_out([(10.0, 10.0)] * count, [(box + 1, box) for box in range(count - 1)])
    assert layout.width == pytest.approx(10)
