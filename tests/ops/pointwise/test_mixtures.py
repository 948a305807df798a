"""Mixtures of two tensors."""

from __future__ import annotations

import pytest

import wengert as wg


def test_real_tensors_have_no_complex_mixture():
    x = wg.ones(3)
    for call in (x.lerp, x.lerp_):
        with pytest.raises(RuntimeError, match="cannot be converted to type float without overflow"):
            call(x + 1, 0.5j)
    assert x.lerp(x + 1, 0.5 + 0j).tolist() == [1.5] * 3
    assert x.lerp(x + 1, wg.tensor(0.5, dtype=wg.bfloat16)).dtype is wg.float32


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16, wg.float32])
def test_three_numbers_in_tensors_are_mixed_in_the_widest_dtype(dtype):
    one, two, weight = wg.tensor(1.0, dtype=dtype), wg.tensor(2.0, dtype=dtype), wg.tensor(0.4, dtype=wg.float64)
    made = wg.lerp(one, two, weight)
    assert made.dtype is wg.float64 and made.item() == pytest.approx(1.4)
    assert wg.lerp(one[None], two, weight).dtype is dtype
    assert one.clone().lerp_(two, weight).dtype is dtype
    one.requires_grad_()
    wg.lerp(one, two, weight).backward()
    assert one.grad.dtype is dtype and one.grad.item() == pytest.approx(0.6, rel=1e-2)
