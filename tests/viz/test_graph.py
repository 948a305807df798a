"""The walk over the autograd graph: names, shapes, bytes, leaves; on real graphs and on made-up nodes."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wengert as wg
from wengert.viz import Graph, graph
from wengert.viz.graph import GraphEdge, GraphNode


class MadeUpNode:
    """A node with only what is documented of nodes."""

    def __init__(self, title: str, *inputs: Any, **attributes: Any) -> None:
        self.title = title
        self.next_functions = tuple((node, 0) for node in inputs)
        for name, value in attributes.items():
            setattr(self, name, value)

    def name(self) -> str:
        return self.title


class MadeUpTensor:
    """A tensor with only what the walk reads."""

    def __init__(self, shape: tuple[int, ...], grad_fn: Any = None, memory: int = 1, nbytes: int = 0) -> None:
        self.shape = shape
        self.grad_fn = grad_fn
        self.requires_grad = True
        self.dtype = "torch.float32"
        self.untyped_storage = lambda: SimpleNamespace(data_ptr=lambda: memory, nbytes=lambda: nbytes)


def leaf(shape: tuple[int, ...] = (3,)) -> tuple[MadeUpTensor, MadeUpNode]:
    """A leaf and its node."""
    tensor = MadeUpTensor(shape)
    return tensor, MadeUpNode("AccumulateGrad", variable=tensor)


def only(found: Graph, title: str) -> GraphNode:
    """The one box with that title."""
    (box,) = [node for node in found.nodes if node.title == title]
    return box


def arrows(found: Graph) -> set[tuple[str, str, int]]:
    """The arrows by the titles of their ends."""
    return {(found.nodes[edge.source].title, found.nodes[edge.target].title, edge.count) for edge in found.edges}


def test_a_product_and_its_sum_are_found() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    y = wg.ones(2, 3, requires_grad=True)
    found = graph((x * y).sum(), {"x": x})
    assert arrows(found) == {
        ("x", "MulBackward0", 1),
        ("leaf", "MulBackward0", 1),
        ("MulBackward0", "SumBackward0", 1),
        ("SumBackward0", "output", 1),
    }
    assert only(found, "x") == GraphNode("parameter", "x", ((2, 3),))
    assert only(found, "leaf") == GraphNode("leaf", "leaf", ((2, 3),))
    assert only(found, "MulBackward0").shapes == ((2, 3),)
    assert only(found, "SumBackward0").shapes == ((),)
    assert found.nodes[0] == GraphNode("output", "output", ((),))


def test_a_product_saves_both_factors() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    y = wg.ones(2, 3, requires_grad=True)
    box = only(graph(x * y), "MulBackward0")
    assert [(one.name, one.shape, one.dtype, one.nbytes) for one in box.saved] == [
        ("other", (2, 3), "float32", 24),
        ("self", (2, 3), "float32", 24),
    ]
    assert box.saved_bytes == 48


def test_a_storage_that_a_node_saves_twice_counts_once() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    found = graph(x * x)
    assert only(found, "MulBackward0").saved_bytes == 24
    assert ("leaf", "MulBackward0", 2) in arrows(found)


def test_a_storage_that_two_nodes_save_counts_once_in_the_sum() -> None:
    x = wg.ones(4, requires_grad=True)
    y = wg.ones(4, requires_grad=True)
    found = graph(x * y + y * x)
    assert [node.saved_bytes for node in found.nodes if node.title == "MulBackward0"] == [32, 32]
    assert found.saved_bytes == 32


def test_after_a_backward_pass_the_saved_tensors_are_gone() -> None:
    x = wg.ones(4, requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    box = only(graph(loss), "MulBackward0")
    assert box.released
    assert box.saved_bytes == 0


def test_a_leaf_alone_is_a_graph() -> None:
    x = wg.ones(4, requires_grad=True)
    found = graph(x, {"x": x})
    assert arrows(found) == {("x", "output", 1)}


def test_a_long_chain_is_walked_without_recursion() -> None:
    x = wg.ones(2, requires_grad=True)
    y = x
    length = 3 * sys.getrecursionlimit()
    for _ in range(length):
        y = y * x
    found = graph(y)
    assert len(found.nodes) == length + 2
    assert found.to_svg().count("MulBackward0</text>") == length


def test_walking_leaves_the_graph_usable() -> None:
    x = wg.ones(4, requires_grad=True)
    loss = (x * x).sum()
    graph(loss).to_svg()
    loss.backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0, 2.0]


def test_a_shared_node_is_drawn_once() -> None:
    _, end = leaf()
    shared = MadeUpNode("SharedBackward0", end)
    left, right = MadeUpNode("LeftBackward0", shared), MadeUpNode("RightBackward0", shared)
    found = graph(MadeUpTensor((), MadeUpNode("AddBackward0", left, right)))
    assert len(found.nodes) == 6
    assert len(found.edges) == 6


def test_inputs_without_a_gradient_are_left_out() -> None:
    _, end = leaf()
    found = graph(MadeUpTensor((), MadeUpNode("MulBackward0", end, None)))
    assert found.edges == (GraphEdge(1, 0), GraphEdge(2, 1))


def test_lists_of_saved_tensors_and_those_of_own_functions_count() -> None:
    saved = [MadeUpTensor((2,), memory=1, nbytes=8), None, MadeUpTensor((3,), memory=2, nbytes=12)]
    node = MadeUpNode("OwnBackward", leaf()[1], _saved_tensors=saved, saved_tensors=(MadeUpTensor((9,), None, 3, 36),))
    box = only(graph(MadeUpTensor((), node)), "OwnBackward")
    assert [(one.name, one.nbytes) for one in box.saved] == [
        ("tensors[0]", 8),
        ("tensors[2]", 12),
        ("saved_tensors[0]", 36),
    ]
    assert box.saved_bytes == 56


def test_saved_numbers_do_not_count() -> None:
    node = MadeUpNode("SumBackward0", leaf()[1], _saved_dim=(0, 1), _saved_keepdim=True, _saved_self_sizes=[2, 3])
    assert only(graph(MadeUpTensor((), node)), "SumBackward0").saved == ()


def test_shapes_come_from_the_node_where_it_remembers_them() -> None:
    metadata = (SimpleNamespace(shape=[2, 3]), SimpleNamespace(shape=[4]))
    inner = MadeUpNode("UnbindBackward0", leaf()[1], _input_metadata=metadata)
    found = graph(MadeUpTensor((), MadeUpNode("AddBackward0", inner)))
    assert only(found, "UnbindBackward0").shapes == ((2, 3), (4,))


def test_shapes_come_from_the_arrows_otherwise() -> None:
    inner = MadeUpNode("UnbindBackward0", leaf()[1])
    outer = MadeUpNode("AddBackward0", inner, inner, edges=(SimpleNamespace(shape=(5,)), SimpleNamespace(shape=(6,))))
    outer.next_functions = ((inner, 1), (inner, 0))
    found = graph(MadeUpTensor((7,), outer))
    assert only(found, "UnbindBackward0").shapes == ((6,), (5,))
    assert only(found, "AddBackward0").shapes == ((7,),)


def test_a_tensor_without_history_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has no history.*requires_grad is False"):
        graph(wg.ones(3))


def test_what_is_no_tensor_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a tensor, but got float"):
        graph(1.5)  # type: ignore[arg-type]


def test_parameters_that_are_no_mapping_are_refused() -> None:
    x = wg.ones(3, requires_grad=True)
    with pytest.raises(TypeError, match="named_parameters"):
        graph(x * 2, [x])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "start"), [("g.svg", b"<svg "), ("g.SVG", b"<svg "), ("g.dot", b"digraph "), ("g.png", b"\x89PNG")]
)
def test_the_suffix_chooses_the_form(name: str, start: bytes, tmp_path: Path) -> None:
    found = graph(MadeUpTensor((2,), MadeUpNode("NegBackward0", leaf()[1])))
    assert found.save(tmp_path / name) == tmp_path / name
    assert (tmp_path / name).read_bytes().startswith(start)
    assert found.save(str(tmp_path / name)) == tmp_path / name


@pytest.mark.parametrize("name", ["graph.jpg", "graph", "graph.svg.gz"])
def test_another_suffix_is_refused_with_the_list_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    found = graph(MadeUpTensor((2,), MadeUpNode("NegBackward0", leaf()[1])))
    with pytest.raises(ValueError, match=r"\.svg, \.png, \.dot"):
        found.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_notebook_shows_the_picture() -> None:
    found = graph(MadeUpTensor((2,), MadeUpNode("NegBackward0", leaf()[1])))
    assert found._repr_svg_() == found.to_svg()
    assert repr(found) == "Graph(3 nodes, 2 edges, 0 bytes saved)"
