"""Whose memory a gradient lies in: a leaf keeps what nobody else can see, and copies the rest."""

import numpy as np
import pytest

import wengert as wg
from wengert.autograd import Function


class Twice(Function):
    """Gives the same gradient to both inputs."""

    made = None

    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad):
        made = grad * 2
        Twice.made = made.data_ptr()
        return made, made


class Kept(Function):
    """Keeps a hold of what it gives: the tensor, a view of it, or the array."""

    held = made = None

    @staticmethod
    def forward(ctx, x, hold):
        ctx.hold = hold
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        made = grad * 2
        Kept.held, Kept.made = ctx.hold(made), made.data_ptr()
        return made, None


def leaf(value=1.0):
    return wg.full((3,), value, requires_grad=True)


def test_one_of_the_leaves_keeps_a_gradient_that_came_twice_uncopied():
    a, b = leaf(), leaf()
    Twice.apply(a, b).sum().backward()
    assert [each.grad.data_ptr() == Twice.made for each in (a, b)].count(True) == 1
    a.grad.zero_()
    assert b.grad.tolist() == [2.0] * 3


def test_a_leaf_keeps_the_gradient_that_a_function_made_uncopied():
    a = leaf()
    Twice.apply(a, wg.ones(3)).sum().backward()
    assert a.grad.data_ptr() == Twice.made


@pytest.mark.parametrize(
    "hold",
    [
        lambda made: made,
        lambda made: made[1:],
        lambda made: made.detach(),
        lambda made: made.numpy(),
        lambda made: made.numpy()[1:],
        lambda made: memoryview(made.numpy()),
        lambda made: made.untyped_storage(),
    ],
)
def test_a_gradient_that_somebody_holds_is_copied(hold):
    a = leaf()
    Kept.apply(a, hold).sum().backward()
    assert a.grad.data_ptr() != Kept.made
    Kept.held = None


def test_a_gradient_that_lies_in_memory_of_the_program_is_copied():
    memory = np.ones(3, np.float32)

    class FromMemory(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return wg.from_numpy(memory)

    a = leaf()
    FromMemory.apply(a).sum().backward()
    a.grad.zero_()
    assert memory.tolist() == [1.0] * 3


def test_a_gradient_that_was_given_to_the_pass_is_copied():
    a, given = leaf(), wg.ones(3)
    (a * 1).backward(given)
    a.backward(given)
    a.grad.zero_()
    assert given.tolist() == [1.0] * 3


@pytest.mark.parametrize("size", [0, 1, 6, 5000])
def test_a_shared_gradient_is_copied_into_the_layout_of_each_leaf(size):
    class Both(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad):
            shared = grad * 2
            return shared, shared

    rows = wg.ones(size, 3, requires_grad=True)
    columns = wg.ones(3, size).t().requires_grad_()
    Both.apply(rows, columns).sum().backward()
    for leaf in (rows, columns):
        assert leaf.grad.tolist() == [[2.0] * 3] * size and leaf.grad._version <= 1
        assert leaf.grad.stride() == (leaf.stride() if size > 1 else leaf.grad.stride())
    assert rows.grad.untyped_storage().data_ptr() != columns.grad.untyped_storage().data_ptr() or not size
