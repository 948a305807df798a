"""uint16, uint32 and uint64: what torch computes with them."""

from __future__ import annotations

import pytest

import wengert as wg

KINDS = (wg.uint16, wg.uint32, wg.uint64)


def of(dtype, *values):
    return wg.tensor(values, dtype=wg.int64).to(dtype)


@pytest.mark.parametrize("dtype", KINDS)
def test_products_bits_and_comparisons(dtype):
    a, b = of(dtype, 3, 5, 2), of(dtype, 3, 1, 4)
    for made, wanted in (
        (a * b, [9, 5, 8]),
        (a * 2, [6, 10, 4]),
        (a & b, [3, 1, 0]),
        (a | 1, [3, 5, 3]),
        (a ^ b, [0, 4, 6]),
        (wg.where(a == b, a, 7), [3, 7, 7]),
        (wg.outer(a, b)[2], [6, 2, 8]),
        (a.clone().mul_(b), [9, 5, 8]),
    ):
        assert made.dtype is dtype and made.tolist() == wanted
    assert (a == b).tolist() == [True, False, False] and (a != 5).tolist() == [True, False, True]
    assert a.equal(a.clone()) and a[a != b].tolist() == [5, 2]


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round", "nan_to_num"])
def test_whole_numbers_stay_what_they_are(dtype, name):
    a = of(dtype, 3, 2**16 - 1)
    made = getattr(a, name)()
    assert made.dtype is dtype and made.tolist() == [3, 2**16 - 1] and made.data_ptr() != a.data_ptr()


@pytest.mark.parametrize("dtype", KINDS)
def test_what_torch_has_no_loop_for_is_refused(dtype):
    a = of(dtype, 3, 5)
    for call in (
        lambda: a + a,
        lambda: a < a,
        lambda: a.abs(),
        lambda: a.cummax(0),
        lambda: a.mode(),
        lambda: a.topk(1),
        lambda: ~a,
        lambda: a.logical_not(),
        lambda: a.logical_and(a),
        lambda: a.logical_xor_(a),
    ):
        with pytest.raises(NotImplementedError, match="not implemented for 'UInt"):
            call()
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
        a * wg.tensor([1, 2])
    with pytest.raises(RuntimeError, match="Promotion for uint16, uint32, uint64 types is not supported"):
        a.logical_or(wg.tensor([1, 2]))
    assert a.logical_or(wg.tensor([1.0, 2.0])).all()


@pytest.mark.parametrize("dtype", KINDS)
def test_a_single_one_has_an_order(dtype):
    a = of(dtype, 7)[0]
    for values, place in (a.cummax(0), a.cummin(0), a.mode(), a.topk(1)):
        assert values.dtype is dtype and values == 7 and place.item() == 0
