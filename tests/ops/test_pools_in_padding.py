"""Max pooling whose windows have no element of the input is refused; all others give elements of the input."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import wengert as wg

F = wg.nn.functional


def empty_windows(length: int, kernel: int, stride: int, padding: int, dilation: int, count: int) -> bool:
    """Whether one of `count` windows has no element of an axis."""
    starts = range(-padding, -padding + count * stride, stride)
    return any(all(not 0 <= start + tap * dilation < length for tap in range(kernel)) for start in starts)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_a_window_without_elements_is_refused_and_every_index_is_one_of_the_input(
    dims: int, kernel: int, ceil_mode: bool
) -> None:
    pool: Any = getattr(F, f"max_pool{dims}d")
    refused = 0
    for length, stride, padding, dilation in product((1, 2, 3, 5), (1, 2), range(kernel // 2 + 1), (1, 2, 3, 4)):
        reach = length + 2 * padding - dilation * (kernel - 1) - 1
        count = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
        if ceil_mode and (count - 1) * stride >= length + padding:
            count -= 1
        if count < 1:
            continue
        options = (kernel, stride, padding, dilation, ceil_mode)
        x = wg.arange(float(length**dims)).view(1, 1, *(length,) * dims).requires_grad_()
        if empty_windows(length, kernel, stride, padding, dilation, count):
            refused += 1
            for indices in (False, True):
                for each in (x, x.detach()):
                    with pytest.raises(RuntimeError, match="window lies wholly in the padding"):
                        pool(each, *options, return_indices=indices)
            continue
        values, indices = pool(x, *options, return_indices=True)
        assert wg.equal(values.flatten(), x.flatten()[indices.flatten()])
        assert wg.equal(values, pool(x.detach(), *options))
        values.sum().backward()
        expected = wg.bincount(indices.flatten(), minlength=length**dims).to(x.dtype)
        assert x.grad is not None and wg.equal(x.grad.flatten(), expected)
    assert refused or kernel != 2  # larger windows would reach beyond the axis


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("name", ["max_pool", "avg_pool"])
def test_padding_beyond_half_of_a_window_is_refused(dims: int, name: str) -> None:
    pool: Any = getattr(F, f"{name}{dims}d")
    for kernel in (1, 2, 3):
        with pytest.raises(RuntimeError, match="pad"):
            pool(wg.ones(1, 1, *(6,) * dims), kernel, 1, kernel // 2 + 1)
