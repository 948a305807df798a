"""Derivatives of products and extremes that an index collects: of factors that are zero, and of equal elements."""

from __future__ import annotations

import pytest

import wengert as wg


def product_by_hand(old, source, include_self):
    """The result of collecting rows 0, 2, 3 of `source` into row 0 and row 1 into row 2, of products alone."""
    first = source[0] * source[2] * source[3]
    third = source[1]
    return wg.stack([old[0] * first, old[1], old[2] * third]) if include_self else wg.stack([first, old[1], third])


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("zeros", [(), (0,), (0, 2), (0, 2, 3)])
@pytest.mark.parametrize("own_zero", [False, True])
def test_second_derivatives_are_those_of_the_product(include_self, zeros, own_zero):
    old = wg.tensor([2.0, 3.0, 5.0], dtype=wg.float64)
    source = wg.tensor([1.5, 2.5, 3.5, 4.5], dtype=wg.float64)
    source[list(zeros)] = 0.0
    if own_zero:
        old[0] = 0.0
    index = wg.tensor([0, 2, 0, 0])
    weights = wg.tensor([1.0, 10.0, 100.0], dtype=wg.float64)

    def found(old, source):
        return (old.index_reduce(0, index, source, "prod", include_self=include_self) * weights).sum()

    def wanted(old, source):
        return (product_by_hand(old, source, include_self) * weights).sum()

    rows = [wg.autograd.functional.hessian(function, (old, source)) for function in (found, wanted)]
    for one, other in zip(*rows):
        for mine, hand in zip(one, other):
            wg.testing.assert_close(mine, hand)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_what_the_index_does_not_read_has_a_gradient_of_zero(reduce, include_self):
    old = wg.arange(1.0, 13.0, dtype=wg.float64).reshape(4, 3).requires_grad_()
    source = wg.linspace(0.5, 2, 20, dtype=wg.float64).reshape(5, 4).requires_grad_()
    index = wg.tensor([[0, 3], [1, 3], [0, 0]])
    found = []
    for given in (source, source[:3, :2]):
        made = old.scatter_reduce(0, index, given, reduce, include_self=include_self)
        first = wg.autograd.grad((made * made).sum(), [old, source], create_graph=True)
        found.append([*first, *wg.autograd.grad((first[0] ** 2).sum() + (first[1] ** 3).sum(), [old, source])])
    for one, other in zip(*found, strict=True):
        assert wg.allclose(one, other)
    assert not found[0][1][3:].any() and not found[0][1][:, 2:].any()


@pytest.mark.parametrize("name", ["index_reduce", "scatter_reduce"])
@pytest.mark.parametrize("reduce", ["amin", "amax"])
def test_an_old_value_that_equals_the_result_takes_its_share_even_if_it_does_not_count(name, reduce):
    old, new = wg.tensor([1.0], requires_grad=True), wg.tensor([1.0, 1.0], requires_grad=True)
    made = getattr(old, name)(0, wg.tensor([0, 0]), new, reduce, include_self=False)
    grads = wg.autograd.grad(made.sum(), (old, new))
    assert [each.tolist() for each in grads] == [[0.0], pytest.approx([1 / 3, 1 / 3])]
