"""Derivatives of products that an index collects, where factors are zero: what is a formula of the other factors."""

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
