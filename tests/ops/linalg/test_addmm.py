"""Products that are added: factors that count for nothing, that integers have not, that wrap around."""

from __future__ import annotations

import math

import pytest

import wengert as wg

NOTHING = wg.ones(5, 0), wg.ones(0, 3)


@pytest.mark.parametrize("alpha", [math.nan, math.inf, 2.0])
def test_sums_of_no_products_are_zero_whatever_they_are_multiplied_by(alpha):
    bias, (first, second) = wg.ones(3), NOTHING
    made = [
        wg.addmm(bias, first, second, alpha=alpha),
        wg.addbmm(bias, first[None], second[None], alpha=alpha),
        wg.addbmm(bias, wg.ones(0, 5, 2), wg.ones(0, 2, 3), alpha=alpha),
        wg.baddbmm(bias, first[None], second[None], alpha=alpha)[0],
    ]
    assert all(each.equal(wg.ones(5, 3)) for each in made)
    assert wg.addmv(wg.ones(5), first, wg.ones(0), alpha=alpha).equal(wg.ones(5))


@pytest.mark.parametrize("count", [3, 200])
def test_a_product_that_counts_for_nothing_is_not_read(count):
    start, bad = wg.ones(count, count), wg.full((count, count), float("inf"))
    assert wg.equal(wg.addmm(start, bad, bad, alpha=0), start)
    assert wg.equal(wg.addmv(start[0], bad, bad[0], alpha=0), start[0])
    assert wg.equal(wg.addbmm(start, bad[None], bad[None], alpha=0), start)


def test_a_negative_factor_of_unsigned_integers_wraps_around():
    x, y = wg.tensor([[1, 2], [3, 4]], dtype=wg.uint8), wg.tensor([5, 6], dtype=wg.uint8)
    assert x.addcmul(x, x, value=-1).tolist() == [[0, 254], [250, 244]]
    assert x.addmm(x, x, beta=-1).tolist() == [[6, 8], [12, 18]]
    assert y.addmv(x, x[0], alpha=-1).tolist() == [0, 251]
    assert x.addr(y, y, alpha=-1, beta=-1).tolist() == [[230, 224], [223, 216]]
    assert x[None].baddbmm(x[None], x[None], alpha=-2).tolist() == [[[243, 238], [229, 216]]]


@pytest.mark.parametrize("factor", [256, 1e20, math.nan, -2.5])
def test_a_factor_that_integers_have_not_is_refused(factor):
    x = wg.ones(2, 2, dtype=wg.uint8)
    for call in (
        lambda: x.addcmul(x, x, value=factor),
        lambda: x.addmm(x, x, alpha=factor),
        lambda: x.addbmm(x[None], x[None], beta=factor),
    ):
        with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
            call()


@pytest.mark.parametrize("factor", [math.nan, math.inf])
def test_integers_are_not_multiplied_by_what_no_integer_is(factor):
    table, line = wg.tensor([[1, 2], [3, 4]]), wg.tensor([1, 2])
    for given in ({"alpha": factor}, {"beta": factor}):
        with pytest.raises(RuntimeError, match="value cannot be converted to type int64_t without overflow"):
            wg.addmv(line, table, line, **given)
