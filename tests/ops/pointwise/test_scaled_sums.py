"""Products and quotients that are added: operands of another dtype."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg


@pytest.mark.parametrize("name", ["addcmul_", "addcdiv_"])
@pytest.mark.parametrize("length", [3, 5000])
@pytest.mark.parametrize("dtypes", [("float32", "float64"), ("float64", "float32"), ("float16", "float32")])
def test_operands_of_another_dtype_are_added_in_place(name, length, dtypes):
    target, other = (wg.full((length,), 2.0, dtype=getattr(wg, each)) for each in dtypes)
    wanted = 2 + 3 * (4 if name == "addcmul_" else 1)
    for second in (other, target.clone()):
        x = target.clone()
        assert getattr(x, name)(other, second, value=3) is x
        assert x.dtype is target.dtype and (x == wanted).all()


@pytest.mark.parametrize("dtype", [wg.float32, wg.int64, wg.bfloat16])
def test_a_quotient_of_integers_is_added_to_nothing(dtype):
    x = wg.ones(2, dtype=dtype)
    for pair in ((wg.tensor([1, 2]), wg.tensor([3, 4])), (wg.tensor(True), wg.tensor(2, dtype=wg.uint8))):
        for call in (wg.addcdiv, lambda x, *pair: x.addcdiv_(*pair, value=2)):
            with pytest.raises(RuntimeError, match="Integer division with addcdiv is no longer supported"):
                call(x, *pair)
    assert x.tolist() == [1, 1]
    assert wg.addcdiv(wg.ones(2), wg.tensor([1, 2]), wg.tensor([2.0, 4.0])).tolist() == [1.5, 1.5]


def test_factors_of_sums_are_numbers_of_the_dtype():
    assert wg.tensor([7], dtype=wg.uint8).add_(1, alpha=np.int8(3)).tolist() == [10]
    assert wg.tensor([7], dtype=wg.uint8).add_(1, alpha=np.int64(-2)).tolist() == [5]
    with pytest.raises(RuntimeError, match="must not be a floating point number"):
        wg.tensor([7]).add_(1, alpha=np.float32(2.5))
    with pytest.raises(RuntimeError, match="without overflow"):
        wg.tensor([7], dtype=wg.int8).add_(1, alpha=wg.tensor(200, dtype=wg.uint8))
