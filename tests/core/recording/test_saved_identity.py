"""What a node shows of a tensor that lives and is unchanged is that very tensor."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg
from wengert.utils.checkpoint import CheckpointError, checkpoint


def leaf(*values):
    return wg.tensor(values or (1.0, 2.0), dtype=wg.float64, requires_grad=True)


class Product(wg.autograd.Function):
    """Saves its arguments; `read` is called with the context in the backward pass."""

    read = staticmethod(lambda ctx: None)

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        ctx.arguments = (a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        Product.read(ctx)
        return grad, grad


@pytest.fixture
def reading():
    """Sets what `Product` does in its backward pass; returns the list of what that has returned."""
    seen = []

    def use(function):
        Product.read = staticmethod(lambda ctx: seen.append(function(ctx)))
        return seen

    yield use
    Product.read = staticmethod(lambda ctx: None)


@pytest.mark.parametrize(
    "make",
    [
        leaf,
        lambda: leaf() * 2,
        lambda: (leaf() * 2)[:],
        lambda: leaf().detach(),
        lambda: wg.ones(2, dtype=wg.float64)[:],
        lambda: wg.nn.Parameter(wg.ones(2)),
    ],
)
def test_a_saved_input_is_the_tensor_that_was_given(make):
    other = make()
    product = leaf() * other
    assert product.grad_fn._saved_other is other
    assert product.grad_fn._raw_saved_other.unpack() is other
    assert product.grad_fn._raw_saved_other.data is other


def test_tensors_on_the_same_memory_are_told_apart():
    constant = wg.ones(2)
    others = [constant.detach(), wg.nn.Parameter(constant), constant.data]
    product = leaf() * constant
    assert product.grad_fn._saved_other is constant
    product = leaf() * others[0]
    assert product.grad_fn._saved_other is others[0]


def test_a_saved_tensor_that_nobody_holds_is_made_once_while_it_is_held():
    product = leaf() * wg.ones(2)
    node = product.grad_fn
    seen = node._saved_other
    assert seen is node._saved_other
    seen.mark = 1
    assert node._saved_other.mark == 1


def test_a_tensor_that_was_written_to_or_left_the_graph_is_not_shown():
    constant, x = wg.ones(2), leaf()
    product = x * constant
    constant.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.grad_fn._saved_other  # noqa: B018 - to read it is the test
    moved = wg.ones(2)
    product = x * moved
    moved.data = wg.zeros(2)
    assert product.grad_fn._saved_other.tolist() == [1.0, 1.0]


def test_a_constant_that_requires_a_gradient_later_is_still_itself():
    constant = wg.ones(2)
    product = leaf() * constant
    constant.requires_grad_()
    assert product.grad_fn._saved_other is constant


@pytest.mark.lifetime
def test_the_node_keeps_no_tensor_alive():
    x, middle = leaf(), leaf() * 2
    product = x * middle
    watched = weakref.ref(middle)
    del middle
    assert watched() is None and product.grad_fn._saved_other.tolist() == [2.0, 4.0]


def test_a_function_gets_the_tensors_that_it_saved(reading):
    seen = reading(lambda ctx: [one is other for one, other in zip(ctx.saved_tensors, ctx.arguments, strict=True)])
    for a in (leaf(), leaf() * 2, (leaf() * 2)[:]):
        Product.apply(a, wg.ones(2, dtype=wg.float64)).sum().backward()
    assert seen == [[True, True]] * 3


def test_a_function_that_saves_does_not_keep_its_inputs_in_a_cycle():
    gc.collect()
    gc.disable()
    try:
        a = leaf() * 2
        out = Product.apply(a, wg.ones(2))
        out.grad_fn.arguments = None
        watched = weakref.ref(a)
        del a
        assert watched() is None
        assert [each.tolist() for each in out.grad_fn.saved_tensors] == [[2.0, 4.0], [1.0, 1.0]]
    finally:
        gc.enable()


def test_a_checkpointed_function_gets_the_constants_that_it_saved(reading):
    a, constant = leaf(), wg.ones(2, dtype=wg.float64)
    seen = reading(lambda ctx: [each is constant for each in ctx.saved_tensors])
    checkpoint(lambda x, y: Product.apply(x, y) * 2, a, constant, use_reentrant=False).sum().backward()
    assert seen == [[False, True]]


def test_what_a_region_saved_is_unpacked_once_in_a_pass(reading):
    def read(ctx):
        found = len(ctx.saved_tensors)
        with pytest.raises(CheckpointError, match="triggered for a tensor that was already unpacked once"):
            ctx.saved_tensors  # noqa: B018 - to read it is the test
        return found

    seen = reading(read)
    a = leaf()
    out = checkpoint(lambda x: Product.apply(x, x) * 2, a, use_reentrant=False)
    out.sum().backward(retain_graph=True)
    out.sum().backward()
    assert seen == [2, 2] and a.grad.tolist() == [8.0, 8.0]
    node = checkpoint(lambda x: x.exp(), a, use_reentrant=False).grad_fn
    assert node._saved_result.tolist() == node._saved_result.tolist()  # outside of a pass as often as one likes


def test_an_output_read_by_a_program_comes_with_its_node():
    for make in (lambda x: x.exp(), lambda x: checkpoint(lambda y: y.exp(), x, use_reentrant=False)):
        out = make(leaf())
        with wg.no_grad():
            assert out.grad_fn._saved_result.grad_fn is out.grad_fn


def test_a_number_that_stood_for_a_tensor_is_shown_as_the_tensor_that_torch_saves():
    x = wg.ones(2, requires_grad=True)
    other = (x * 2).grad_fn._saved_other
    assert (other.dtype, other.shape, other.item()) == (wg.int64, (), 2)
    assert (x / 2.5).grad_fn._saved_other.dtype is wg.float64
    assert (x**3).grad_fn._saved_exponent == 3
