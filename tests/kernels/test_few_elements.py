"""What is gathered at once where elements are few agrees with the way that many take."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert._kernels import resample
from wengert.nn import functional as F
from wengert.ops.images import pad, pool_adaptive

LIMITS = ((pad, "FEW"), (pool_adaptive, "FEW"), (resample, "SMALL"))
NUMBERS = st.floats(-4, 4, width=32)
ODD = st.sampled_from([0.0, 1.0, 2.5, float("nan"), float("inf"), -float("inf")])


@st.composite
def images(draw: Any, elements: Any = NUMBERS) -> Any:
    shape = draw(st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(1, 6), st.integers(1, 6)))
    count = int(np.prod(shape))
    image = np.array(draw(st.lists(elements, min_size=count, max_size=count)), np.float32).reshape(shape)
    return image.transpose(0, 1, 3, 2) if draw(st.booleans()) else image


def found(call: Any, array: Any) -> list[Any]:
    """The values of a call, and the gradient of their sum with weights."""
    x = wg.tensor(array, requires_grad=True)
    made = call(x)
    values = made if isinstance(made, tuple) else (made,)
    weights = wg.arange(values[0].numel(), dtype=x.dtype).reshape(values[0].shape)
    values[0].backward(weights)
    return [*[each.detach().numpy() for each in values], x.grad.numpy()]


def check_both(call: Any, array: Any, close: float = 0.0) -> None:
    few = found(call, array)
    with ExitStack() as stack:
        for module, name in LIMITS:
            stack.enter_context(mock.patch.object(module, name, -1))
        many = found(call, array)
    for one, other in zip(few, many):
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=close, atol=close)


@given(image=images(ODD), widths=st.tuples(*[st.integers(-2, 3)] * 4), mode=st.sampled_from(pad.MODES))
def test_borders(image: Any, widths: Any, mode: str) -> None:
    try:
        F.pad(wg.tensor(image), widths, mode=mode)
    except RuntimeError:
        return
    check_both(lambda x: F.pad(x, widths, mode=mode), image)


@given(image=images(ODD), size=st.tuples(st.integers(1, 7), st.integers(1, 7)))
def test_adaptive_maxima(image: Any, size: Any) -> None:
    check_both(lambda x: F.adaptive_max_pool2d(x, size, return_indices=True), image)


@given(image=images(), size=st.tuples(st.integers(1, 7), st.integers(1, 7)))
def test_adaptive_means(image: Any, size: Any) -> None:
    check_both(lambda x: F.adaptive_avg_pool2d(x, size), image)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
@given(image=images(), size=st.tuples(st.integers(1, 9), st.integers(1, 9)), align=st.booleans())
def test_other_sizes(mode: str, image: Any, size: Any, align: bool) -> None:
    options = {} if mode.startswith("nearest") else {"align_corners": align}
    check_both(lambda x: F.interpolate(x, size, mode=mode, **options), image, 1e-5)


@given(image=images(), size=st.tuples(st.integers(1, 9), st.integers(1, 9)))
def test_other_sizes_smoothed(image: Any, size: Any) -> None:
    check_both(lambda x: F.interpolate(x, size, mode="bicubic", antialias=True), image, 1e-5)


def test_what_is_kept_is_not_taken_for_what_is_refused() -> None:
    """Widths that equal integers but are none are refused after calls with these."""
    x = wg.ones(2, 3)
    assert F.pad(x, (1, 1)).shape == (2, 5)
    with pytest.raises(TypeError):
        F.pad(x, (1.0, 1.0))
    image = wg.ones(1, 4, 4)
    assert F.avg_pool2d(image, 2).shape == (1, 2, 2)
    with pytest.raises(TypeError):
        F.avg_pool2d(image, 2.0)
    with pytest.raises(RuntimeError):
        F.adaptive_max_pool2d(image, -1)
