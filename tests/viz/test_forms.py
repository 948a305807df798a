"""A graph as SVG, in Graphviz's language and as PNG: well formed, complete, and safe with any name."""

import importlib
import re
import struct
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, strategies as st

from wengert.viz.boxes import box_lines, readable_bytes, readable_shape, summary
from wengert.viz.data import GraphEdge, GraphNode, Saved
from wengert.viz.graph import Graph

SVG = "{http://www.w3.org/2000/svg}"
WEIGHT = Saved("weight", (10, 64), "float32", 1, 2560)
INPUT = Saved("input", (32, 64), "float32", 2, 8192)
SMALL = Graph(
    (
        GraphNode("output", "output", ((),)),
        GraphNode("operator", "AddmmBackward0", ((32, 10),), (INPUT, WEIGHT)),
        GraphNode("operator", "MulBackward0", ((10, 64),), (WEIGHT,)),
        GraphNode("parameter", "fc.weight", ((10, 64),)),
        GraphNode("leaf", "leaf", ((10,),)),
    ),
    (GraphEdge(1, 0), GraphEdge(2, 1), GraphEdge(3, 2, 2), GraphEdge(4, 1)),
)
NASTY = "a<b>&\"c'\\n$\\frac$\n\t\x00\x1b\ud800]]>--><script>名"


def named(name: str) -> Graph:
    """A graph with one leaf of that name."""
    return Graph((GraphNode("output", "output", ((),)), GraphNode("parameter", name, ((2,),))), (GraphEdge(1, 0),))


def texts(svg: str) -> list[str]:
    """All words of a picture."""
    return ["".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_svg_shows_every_name_shape_and_number_of_bytes() -> None:
    words = texts(SMALL.to_svg())
    for expected in ("AddmmBackward0", "MulBackward0", "fc.weight", "[32, 10]", "scalar", "saves 10.5 KiB", "×2"):
        assert expected in words
    assert words.count("saves 2.5 KiB") == 1


def test_the_svg_has_a_title_a_summary_and_a_legend() -> None:
    root = ElementTree.fromstring(SMALL.to_svg())
    assert root.find(f"{SVG}title") is not None
    words = texts(SMALL.to_svg())
    assert "Autograd graph" in words
    assert "2 operators, 1 parameter, 1 other leaf; 10.5 KiB saved for the backward pass" in words
    assert {"parameter", "other leaf", "operator", "operator that saves most", "output"} <= set(words)


def test_each_box_of_the_svg_tells_all_that_is_known() -> None:
    tips = [element.text or "" for element in ElementTree.fromstring(SMALL.to_svg()).iter(f"{SVG}title")]
    assert any("saves weight: float32 [10, 64], 2560 bytes" in tip for tip in tips)


def test_the_svg_has_one_line_per_arrow() -> None:
    root = ElementTree.fromstring(SMALL.to_svg())
    assert len(root.findall(f".//{SVG}g[@fill='none']/{SVG}path")) == len(SMALL.edges)


def test_words_fit_into_their_boxes() -> None:
    root = ElementTree.fromstring(SMALL.to_svg())
    for group in root.iter(f"{SVG}g"):
        box = group.find(f"{SVG}rect")
        for line in group.findall(f"{SVG}text") if box is not None else []:
            assert len(line.text or "") * 12 * 0.6 <= float(box.get("width", "0"))


def test_the_box_that_saves_most_has_the_strongest_colour() -> None:
    root = ElementTree.fromstring(SMALL.to_svg())
    fills = {}
    for group in root.iter(f"{SVG}g"):
        box, title = group.find(f"{SVG}rect"), group.find(f"{SVG}text")
        if box is not None and title is not None:
            fills[title.text] = box.get("fill")
    assert fills["AddmmBackward0"] == "#fdba74"
    assert fills["MulBackward0"] not in ("#fdba74", "#ffffff")


@given(st.text())
def test_any_name_gives_well_formed_svg(name: str) -> None:
    svg = named(name).to_svg()
    svg.encode("utf-8")
    assert len(list(ElementTree.fromstring(svg).iter(f"{SVG}rect"))) == 1 + 5 + 2


@pytest.mark.parametrize("form", ["to_svg", "to_dot"])
def test_a_name_cannot_break_out_of_its_place(form: str) -> None:
    text = getattr(named(NASTY), form)()
    text.encode("utf-8")
    if form == "to_svg":
        assert "<script" not in text
        assert list(ElementTree.fromstring(text).iter(f"{SVG}script")) == []
    else:
        (line,) = [line for line in text.splitlines() if line.startswith("  n1 [")]
        strings = re.findall(r'"(?:[^"\\]|\\.)*"', line)
        assert '"' not in re.sub(r'"(?:[^"\\]|\\.)*"', "", line)
        assert any("a<b>&\\\"c'\\\\n" in string for string in strings)


def test_the_dot_file_names_every_box_and_arrow() -> None:
    dot = SMALL.to_dot()
    assert dot.startswith("digraph autograd {")
    assert dot.rstrip().endswith("}")
    assert 'label="AddmmBackward0\\n[32, 10]\\nsaves 10.5 KiB"' in dot
    assert re.findall(r"n(\d) -> n(\d)", dot) == [("1", "0"), ("2", "1"), ("3", "2"), ("4", "1")]
    assert 'n3 -> n2 [label="×2"];' in dot


def test_the_png_has_the_proportions_of_the_svg() -> None:
    width, height = struct.unpack(">II", SMALL.to_png()[16:24])
    root = ElementTree.fromstring(SMALL.to_svg())
    assert width / height == pytest.approx(float(root.get("width", "0")) / float(root.get("height", "0")), rel=0.01)
    assert width > 500


def test_the_png_draws_any_name_without_a_warning() -> None:
    assert named(NASTY).to_png().startswith(b"\x89PNG")


def test_a_tall_graph_gives_a_png_of_bounded_size() -> None:
    count = 300
    nodes = (GraphNode("output", "output", ((),)), *[GraphNode("operator", "NegBackward0", ((2,),))] * count)
    content = Graph(nodes, tuple(GraphEdge(box + 1, box) for box in range(count))).to_png()
    width, height = struct.unpack(">II", content[16:24])
    assert max(width, height) <= 30_001
    assert width * height <= 20_100_000


def test_png_without_matplotlib_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("matplotlib.figure", "matplotlib.backends.backend_agg"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"wengert\[full\]"):
        SMALL.to_png()
    assert SMALL.to_svg().startswith("<svg")


def test_matplotlib_is_imported_only_for_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(sys.modules)
    for name in [name for name in sys.modules if name.startswith(("wengert.viz", "matplotlib"))]:
        monkeypatch.delitem(sys.modules, name)
    viz = importlib.import_module("wengert.viz")
    assert viz.Graph is not Graph
    assert not any(name.startswith("matplotlib") for name in sys.modules)
    for name in [name for name in sys.modules if name.startswith("wengert.viz") and name not in before]:
        monkeypatch.delitem(sys.modules, name)


def test_a_long_name_is_shortened_in_the_box_only() -> None:
    name = "encoder." + "layer." * 20 + "weight"
    title = box_lines(GraphNode("parameter", name, ()))[0]
    assert len(title) == 40
    assert title.startswith("encoder.") and title.endswith("layer.weight") and "…" in title
    assert name in named(name).to_svg()


def test_outputs_of_the_same_shape_are_counted() -> None:
    assert box_lines(GraphNode("operator", "A", ((3,),) * 5))[1] == "5 × [3]"
    assert box_lines(GraphNode("operator", "A", ((3,), (), (4,), (5,))))[1] == "[3]  scalar  [4]  and 1 more"


def test_released_tensors_are_said_to_be_released() -> None:
    assert box_lines(GraphNode("operator", "A", (), (), True)) == ("A", "saved: released")


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (2560, "2.5 KiB"),
        (1024**2 - 1, "1.0 MiB"),
        (3 * 1024**3, "3.0 GiB"),
        (5000 * 1024**4, "5000.0 TiB"),
    ],
)
def test_bytes_are_readable(count: int, text: str) -> None:
    assert readable_bytes(count) == text


def test_shapes_are_written_as_in_torch() -> None:
    assert readable_shape((64, 10)) == "[64, 10]"
    assert readable_shape((0,)) == "[0]"
    assert readable_shape(()) == "scalar"


def test_the_summary_leaves_out_what_there_is_none_of() -> None:
    assert summary(named("x")) == "0 operators, 1 parameter; 0 B saved for the backward pass"
