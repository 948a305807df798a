"""What the kernel tests share: finding a function's twin, and comparing within an error that fits the dtype."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from wengert import _kernels

FAMILIES = [
    "pointwise",
    "activation",
    "reduce",
    "softmax",
    "norm",
    "conv",
    "pool",
    "index",
    "loss",
    "matmul",
    "optimiser",
    "random",
]
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-12, "complex64": 2e-5, "complex128": 1e-12}


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """Kernels run with NumPy's floating-point warnings off, as dispatch runs them."""
    with np.errstate(all="ignore"):
        yield


def find_twin(name: str) -> Callable[..., Any]:
    """The NumPy function `name`, which the native one hides in the package."""
    for family in FAMILIES:
        function = getattr(sys.modules[f"wengert._kernels.{family}"], name, None)
        if function is not None:
            return function
    raise LookupError(f"no twin named {name}")


def assert_close(actual: Any, expected: Any, scale: float = 1) -> None:
    """Arrays, or tuples of arrays and None, agree in shape, dtype and, within `scale` times its error, values."""
    if isinstance(expected, tuple | list):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_close(one, other, scale)
        return
    if expected is None:
        assert actual is None
        return
    assert type(actual) is np.ndarray
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if expected.size == 0:
        return
    tolerance = TOLERANCE.get(expected.dtype.name, 0) * scale
    finite = np.abs(expected[np.isfinite(expected)])
    largest = float(finite.max()) if finite.size else 1.0
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * largest, equal_nan=True)


@pytest.fixture
def twin() -> Callable[[str], Callable[..., Any]]:
    """Finder of twins by name."""
    return find_twin


@pytest.fixture
def close() -> Callable[..., None]:
    """Comparison within the dtype's error."""
    return assert_close


@pytest.fixture
def native() -> Any:
    """The extension module; without it there is nothing native to test."""
    if _kernels.native is None:
        pytest.skip("the native kernels are not built or not wanted")
    return _kernels.native


@pytest.fixture
def only_native(native: Any) -> Iterator[Any]:
    """The extension module with twins that fail: whatever passes was computed natively."""
    names = native.twin_names()

    def forbidden(*args: Any, **keywords: Any) -> None:
        raise AssertionError("the twin was called")

    native.bind_twins(dict.fromkeys(names, forbidden))
    yield native
    native.bind_twins({name: find_twin(name) for name in names})


@pytest.fixture
def random() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20240229)
