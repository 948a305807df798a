"""The walk over the autograd graph: names, shapes, bytes, leaves; on real graphs and on made-up nodes."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import wengert as wg
from wengert.viz import Graph, graph
from wengert.viz.data import GraphEdge, GraphNode


class MadeUpNode:
    """A node with only what is documented of nodes."""

    def __init__(self, title: str, *inputs: Any, **attributes: Any) -> None:
        self.title = title
        self.next_edges = tuple(node and SimpleNamespace(node=node, nr=0, shape=None) for node in inputs)
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


class Product(wg.autograd.Function):
    """A custom Function that saves its inputs, and calls attributes of its `ctx` as nodes call theirs."""

    @staticmethod
    def forward(ctx: Any, a: wg.Tensor, b: wg.Tensor) -> wg.Tensor:
        ctx.save_for_backward(a, b)
        ctx.name = "mine"
        ctx.variable = ctx.inner = ctx.saved = 7
        return a * b

    @staticmethod
    def backward(ctx: Any, grad: wg.Tensor) -> tuple[wg.Tensor, wg.Tensor]:
        a, b = ctx.saved_tensors
        return grad * b, grad * a


def test_the_saved_tensors_of_a_custom_function_count() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    found = graph(Product.apply(x, wg.ones(3)).sum(), {"x": x})
    box = only(found, "ProductBackward")
    assert [(one.name, one.shape, one.nbytes) for one in box.saved] == [
        ("saved_tensors[0]", (2, 3), 24),
        ("saved_tensors[1]", (3,), 12),
    ]
    assert box.shapes == ((2, 3),)
    assert ("x", "ProductBackward", 1) in arrows(found)


def test_lists_of_saved_tensors_count() -> None:
    rows = wg.ones(3, 4, requires_grad=True)
    index = wg.tensor([0, 2])
    box = only(graph(rows[index, index]), "IndexBackward0")
    assert [(one.name, one.dtype, one.nbytes) for one in box.saved] == [
        ("indices[0]", "int64", 16),
        ("indices[1]", "int64", 16),
    ]
    assert box.saved_bytes == 16


def test_saved_numbers_do_not_count() -> None:
    assert only(graph(wg.ones(2, 3, requires_grad=True).sum((0, 1), True)), "SumBackward1").saved == ()


def test_a_tensor_written_to_since_it_was_saved_still_counts() -> None:
    x = wg.ones(4, requires_grad=True)
    y = x.exp()
    z = y * 1
    y.add_(1)
    assert only(graph(z), "ExpBackward0").saved_bytes == 16


def test_what_hooks_packed_is_measured_and_not_unpacked() -> None:
    def refuse(packed: Any) -> wg.Tensor:
        raise AssertionError("a picture must not unpack")

    x = wg.ones(8, requires_grad=True)
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: (tensor.half(), [1]), refuse):
        halves = x.exp()
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: "a file", refuse):
        hidden = x.exp()
        both = Product.apply(x, x)
    found = graph(halves)
    (saved,) = only(found, "ExpBackward0").saved
    assert (saved.name, saved.dtype, saved.nbytes, saved.packed) == ("result", "float16", 16, True)
    assert ">saves 16 B, packed<" in found.to_svg()
    assert "saves result: float16 [8], 16 bytes, packed by a hook" in found.to_svg()
    found = graph(hidden)
    (saved,) = only(found, "ExpBackward0").saved
    assert (saved.nbytes, saved.packed, found.saved_bytes) == (0, True, 0)
    assert "packed by a hook, where its size cannot be seen" in found.to_svg()
    assert only(graph(both), "ProductBackward").saved_bytes == 0


def test_a_write_to_a_view_shows_the_operator_that_wrote_and_what_it_saved() -> None:
    x, factor = wg.ones(2, 3, requires_grad=True), wg.ones(3, requires_grad=True)
    base = x * 1
    base[0].mul_(factor)
    found = graph(base.sum(), {"x": x, "factor": factor})
    box = only(found, "CopySlices(MulBackward0)")
    assert {one.name for one in box.saved} == {"other", "self"}
    assert box.shapes == ((2, 3),)
    assert ("factor", "CopySlices(MulBackward0)", 1) in arrows(found)


def test_a_write_to_a_view_shows_the_result_that_it_saved() -> None:
    base = wg.ones(2, 3, requires_grad=True) * 1
    base[0].sigmoid_()
    box = only(graph(base.sum(), {}), "CopySlices(SigmoidBackward0)")
    assert [one.name for one in box.saved] == ["result"]


def test_a_custom_function_that_wrote_to_a_view_is_shown() -> None:
    class Twice(wg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: wg.Tensor) -> wg.Tensor:
            ctx.save_for_backward(wg.ones(5))
            ctx.mark_dirty(a)
            return a.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: wg.Tensor) -> wg.Tensor:
            return grad * 2

    base = wg.ones(2, 3, requires_grad=True) * 1
    Twice.apply(base[0])
    assert only(graph(base.sum()), "CopySlices(TwiceBackward)").saved_bytes == 20


def test_views_of_views_and_their_reads_are_shown() -> None:
    x = wg.ones(3, 4, requires_grad=True)
    base = x * 1
    part = base.t()[1:]
    part.add_(1)
    found = graph(part.sum(), {"x": x})
    titles = [node.title for node in found.nodes]
    assert "CopySlices(AddBackward0)" in titles
    assert found.to_svg()


def test_a_graph_without_anything_kept_is_drawn_after_a_backward_pass_through_all_kinds_of_nodes() -> None:
    x = wg.ones(2, 3, requires_grad=True)
    base = Product.apply(x, x)
    base[0].mul_(x[0])
    loss = base.exp().sum()
    loss.backward()
    found = graph(loss, {"x": x})
    assert found.saved_bytes == 0
    for title in ("ProductBackward", "CopySlices(MulBackward0)", "ExpBackward0"):
        assert only(found, title).released
    assert "saved: released" in found.to_svg()


def test_a_tensor_with_several_recorded_outputs_shows_the_shapes_that_are_used() -> None:
    a, b = wg.ones(5, requires_grad=True).split([2, 3])
    assert only(graph(a.sum() + b.sum()), "SplitWithSizesBackward0").shapes == ((2,), (3,))


def test_a_thousand_nodes_are_drawn_in_all_forms(tmp_path: Path) -> None:
    x = wg.ones(2, requires_grad=True)
    rows = [x]
    for at in range(1000):
        rows.append(rows[-1] * rows[at // 2])
    found = graph(rows[-1], {"x": x})
    assert len(found.nodes) == 1002
    for name in ("g.svg", "g.dot", "g.png"):
        assert found.save(tmp_path / name).stat().st_size > 10_000


def test_shapes_come_from_the_arrows() -> None:
    inner = MadeUpNode("UnbindBackward0", leaf()[1])
    edges = (SimpleNamespace(node=inner, nr=1, shape=(5,)), SimpleNamespace(node=inner, nr=0, shape=(6,)))
    outer = MadeUpNode("AddBackward0", next_edges=edges)
    found = graph(MadeUpTensor((7,), outer))
    assert only(found, "UnbindBackward0").shapes == ((6,), (5,))
    assert only(found, "AddBackward0").shapes == ((7,),)


def test_a_tensor_without_history_is_refused() -> None:
    with pytest.raises(ValueError, match=r"has no history.*requires_grad is False"):
        graph(wg.ones(3))
    with wg.no_grad(), pytest.raises(ValueError, match="has no history"):
        graph(wg.ones(3, requires_grad=True) * 2)


def test_a_volatile_tensor_is_refused_with_the_reason() -> None:
    with pytest.warns(DeprecationWarning, match="no_grad"):
        x = wg.autograd.Variable(wg.ones(3), volatile=True)
    with pytest.raises(ValueError, match=r"has no history.*volatile"):
        graph(x * wg.ones(3, requires_grad=True))


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
