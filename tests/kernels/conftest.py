"""What the kernel tests share: finding a function's twin, and comparing within an error that fits the dtype."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from wengert import _kernels

FAMILIES = [
    "pointwise",
    "activation",
    "copies",
    "reduce",
    "softmaxes",
    "norm",
    "normal",
    "conv",
    "pool",
    "fourier",
    "index",
    "loss",
    "matmul",
    "optimiser",
    "recurrent",
    "random",
]
TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "float64": 1e-12, "complex64": 2e-5, "complex128": 1e-12}


@pytest.fixture(scope="session", autouse=True)
def bounded(sizes_are_refused: None) -> None:
    """Hostile arguments ask for more memory than there is."""


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """Kernels run with NumPy's floating-point warnings off, as dispatch runs them."""
    with np.errstate(all="ignore"):
        yield


def find_twin(name: str) -> Callable[..., Any]:
    """The NumPy function `name`, which the native one hides in the package."""
    for family in FAMILIES:
        function = getattr(importlib.import_module(f"wengert._kernels.{family}"), name, None)
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


@functools.cache
def has_loops(instructions: str) -> bool:
    """Whether the native kernels can be imported with the loops for some instructions."""
    environment = {**os.environ, "WENGERT_INSTRUCTIONS": instructions}
    command = [sys.executable, "-c", "import wengert"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 or "WENGERT_INSTRUCTIONS: expected" in ran.stderr, ran.stderr
    return ran.returncode == 0


@pytest.fixture
def pass_on(native: Any, request: pytest.FixtureRequest) -> Callable[..., None]:
    """Run tests in a process of their own, with the loops for other instructions: all must pass.

    Plugins that happen to be installed stay away: one of them may refuse to run below a worker of xdist.
    """

    def run(instructions: str, *tests: Callable[..., Any]) -> None:
        if not has_loops(instructions):
            pytest.skip(
                f"this build, or this processor, has no loops for {instructions} (WENGERT_ALL_LOOPS=1 compiles all)"
            )
        chosen = [f"{request.path}::{test.__name__}" for test in tests]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
        environment = {**os.environ, "WENGERT_INSTRUCTIONS": instructions, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout

    return run


@pytest.fixture
def only_native(native: Any) -> Iterator[Any]:
    """The extension module with twins that fail: whatever passes was computed natively."""
    twins = {name: find_twin(name) for name in native.twin_names()}

    def forbidden(*args: Any, **keywords: Any) -> None:
        raise AssertionError("the twin was called")

    native.bind_twins(dict.fromkeys(twins, forbidden))
    yield native
    native.bind_twins(twins)


@pytest.fixture
def random() -> np.random.Generator:
    """A seeded generator."""
    return np.random.default_rng(20240229)


TRIES = int(os.environ.get("WENGERT_FUZZ_TRIES", "40"))
# None lies between what is computed in no time and what no memory holds.
NUMBERS = [0, 1, -1, 2, 3, 7, -7, 1000, 2**45, 2**62, 2**63 - 1, -(2**63), 2**64, 0.5, float("nan"), float("inf"), True]
OTHERS = [None, "mean", "sum", "none", "tanh", (), [], (1,), (0, 0), (-1, -1), (2, 2**62), (2**45, 2**45), ((), ()), 1j]
Arguments = list[Any]


def hostile(random: np.random.Generator, value: Any, all_values: Arguments) -> Any:
    """Something in place of an argument."""
    choice = random.integers(0, 10)
    if isinstance(value, np.ndarray) and choice < 8:
        return hostile_array(random, value)
    if isinstance(value, list | tuple) and value and choice < 7:
        at = int(random.integers(0, len(value)))
        return type(value)(hostile(random, each, all_values) if i == at else each for i, each in enumerate(value))
    if choice == 8:
        return all_values[int(random.integers(0, len(all_values)))]
    pool = NUMBERS if choice < 6 else OTHERS
    return pool[int(random.integers(0, len(pool)))]


def hostile_array(random: np.random.Generator, x: Any) -> Any:
    """An array of another shape, layout, dtype or content."""
    changed = [
        lambda: x[..., :0] if x.ndim else x,
        lambda: x[:0] if x.ndim else x,
        lambda: x.reshape(-1),
        lambda: x[None],
        lambda: x[..., ::-1] if x.ndim else x,
        lambda: x.T,
        lambda: np.repeat(x, 2, 0) if x.ndim else x,
        lambda: x.astype(x.dtype.newbyteorder()),
        lambda: x.astype(random.choice(["f2", "f4", "f8", "i4", "i8", "u8", "?", "c8"])),
        lambda: np.frombuffer(b"x" + x.tobytes(), x.dtype, x.size, 1).reshape(x.shape),
        lambda: np.zeros((0, 2**40), x.dtype),
        lambda: x[(0,) * x.ndim] if x.size else x,
        lambda: np.full_like(x, random.choice([0, 1, 3, 100])),
        lambda: np.full_like(x, random.choice([2**62, -(2**63), -1, 5])) if x.dtype == np.int64 else x * np.inf,
    ]
    return changed[int(random.integers(0, len(changed)))]()


def attempt(function: Callable[..., Any], arguments: Arguments) -> None:
    """Call; whatever error comes is fine, only a crash is not."""
    with np.errstate(all="ignore"), contextlib.suppress(Exception):
        function(*arguments)


@pytest.fixture
def fuzz() -> Callable[..., None]:
    """Call functions with arguments that fit, then hostile ones: an error or a result, and no input is written to."""

    def run(name: str, functions: list[Any], fitting: Callable[..., Arguments], compared: bool) -> None:
        random = np.random.default_rng(zlib.crc32(name.encode()))
        for number in range(TRIES):
            arguments = fitting(random, (np.float32, np.float64)[number % 2])
            for _ in range(number % 3):
                at = int(random.integers(0, len(arguments)))
                arguments[at] = hostile(random, arguments[at], arguments)
            before = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
            for function in functions if compared else functions[:1]:
                attempt(function, arguments)
            out = arguments[-1]
            for one, other in zip(before, arguments, strict=True):
                if not compared or not isinstance(one, np.ndarray):
                    continue
                if not (isinstance(out, np.ndarray) and np.may_share_memory(other, out)):
                    np.testing.assert_array_equal(one, other)

    return run
