"""`Maker`: the argument `make` of the samplers of cards.

`make(3, 4)` is a tensor of the dtype under test, with `requires_grad` if that is floating-point or complex. The values
are the same in every dtype, exactly representable in half precision, distinct within one tensor, and at least 0.01
away from multiples of 1/2, where many functions have kinks. `make(3, low=0, high=1)` draws from another range;
`dtype=` sets a fixed dtype (`make(4, dtype=wg.int64, low=0, high=3)` for indices); `requires_grad=False` makes a
constant; `kind=` is one of `KINDS`.
"""

from __future__ import annotations

import zlib
from typing import Any, TypeAlias

import numpy as np

from .._core.tensor.base import Tensor, wrap
from .._core.types import dtypes
from .._core.types.dtypes import dtype as DType

KINDS = {
    "any": "both signs; what is made unless told otherwise",
    "positive": "between 0.25 and 2.75",
    "negative": "between -2.75 and -0.25",
    "nonzero": "both signs, at least 0.25 away from zero",
    "unit": "inside the unit interval, as probabilities are",
    "ties": "whole numbers of which some are equal",
    "special": "zeros of both signs, infinities and NaN among ordinary values (no derivative is checked there)",
    "bool": "truth values, dtype bool",
    "index": "int64, whole numbers from `low` (0) up to, not including, `high` (2)",
}
_RANGES = {
    "any": (-2.0, 2.0),
    "positive": (0.25, 2.75),
    "negative": (-2.75, -0.25),
    "nonzero": (0.25, 2.0),
    "unit": (0.05, 0.95),
}

Request: TypeAlias = tuple[tuple[int, ...], float | None, float | None, str]
"""Shape, lowest, highest and kind of numbers."""

DRAWN: dict[str, dict[Request, Any]] = {}
"""Tree of random numbers: for each seed those of each first request, and below them those of the next request."""


class Maker:
    """Creates the tensors of an operator's samples, the same ones each time.

    Attributes:
        dtype: the dtype under test.
        made: the tensors of the current sample.
        smooth: whether none of these has ties or special values.
    """

    def __init__(self, dtype: DType = dtypes.float64, seed: str = "", requires_grad: bool = True) -> None:
        self.dtype = dtype
        self.begin()
        self._seed = seed
        self._requires_grad = requires_grad
        self._requests: list[Request] = []
        self._following = DRAWN.setdefault(seed, {})
        self._random: Any = None
        self._advanced = 0  # number of requests drawn from the generator

    def begin(self) -> None:
        """Start the next sample."""
        self.tensors: list[Tensor] = []
        self.smooth = True

    def __call__(
        self,
        *shape: Any,
        low: float | None = None,
        high: float | None = None,
        kind: str = "any",
        dtype: DType | None = None,
        requires_grad: bool | None = None,
    ) -> Tensor:
        """Return a tensor of the given shape.

        Args:
            low, high: range of the values; for complex dtypes that of the real and the imaginary part.
            kind: kind of values, one of `KINDS`.
            dtype: dtype instead of that under test.
            requires_grad: whether it requires a gradient; by default if the dtype allows it.

        Raises:
            ValueError: if `kind` is unknown.
        """
        sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        wanted = dtype or {"bool": dtypes.bool_, "index": dtypes.int64}.get(kind, self.dtype)
        result = wrap(np.asarray(self._values(sizes, low, high, kind, wanted)))
        differentiable = wanted.category >= dtypes.FLOAT
        if differentiable and (self._requires_grad if requires_grad is None else requires_grad):
            result.requires_grad = True
        self.tensors.append(result)
        self.smooth = self.smooth and kind not in ("ties", "special")
        return result

    def _values(self, shape: tuple[int, ...], low: float | None, high: float | None, kind: str, wanted: DType) -> Any:
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, not {kind!r}")
        drawn = self._drawn((shape, low, high, kind))
        if kind == "index":
            return drawn[0].astype(wanted.numpy)
        real, imaginary = drawn
        if kind == "bool" or wanted.category == dtypes.BOOL:
            return np.asarray(real > np.median(real) if real.size > 1 else real > 0).astype(wanted.numpy)
        if wanted.category == dtypes.COMPLEX:
            return (real + 1j * imaginary).astype(wanted.numpy)
        if wanted.category == dtypes.INTEGER:
            return self._whole(real, low, high, kind, wanted)
        return real.astype(wanted.numpy)

    def _drawn(self, request: Request) -> tuple[Any, ...]:
        """Return the numbers of a request: cached ones if the same requests came before, as they do for each sample."""
        self._requests.append(request)
        if request not in self._following:
            if self._random is None or self._advanced < len(self._requests) - 1:
                self._random = np.random.default_rng(zlib.crc32(self._seed.encode()))
                for value in self._requests[:-1]:
                    draw(self._random, *value)
            self._following[request] = (draw(self._random, *request), {})
            self._advanced = len(self._requests)
        numbers, self._following = self._following[request]
        return numbers

    def _whole(self, real: Any, low: float | None, high: float | None, kind: str, wanted: DType) -> Any:
        """Return integers: from 1 on for unsigned dtypes, no zeros unless the range includes them."""
        if kind == "special":
            real = np.nan_to_num(real, nan=0.0, posinf=100.0, neginf=-100.0)
        if low is not None or high is not None or kind == "ties":
            rounded = np.floor(real)
        else:
            rounded = np.sign(real) * np.ceil(np.abs(real) * 2.5)
        return (rounded if wanted.is_signed else np.abs(rounded)).astype(wanted.numpy)


def draw(random: Any, shape: tuple[int, ...], low: float | None, high: float | None, kind: str) -> tuple[Any, ...]:
    """Draw numbers for a tensor: integers for an index, else those of the real and the imaginary part."""
    if kind == "index":
        return (random.integers(int(low or 0), 2 if high is None else int(high), shape),)
    return tuple([draw_real(random, shape, low, high, kind) for _ in range(2)])


def draw_real(random: Any, shape: tuple[int, ...], low: float | None, high: float | None, kind: str) -> Any:
    """Draw numbers for one part of a tensor."""
    if kind == "ties":
        return random.integers(-2 if low is None else int(low), 3 if high is None else int(high), shape).astype(float)
    least, most = _RANGES.get(kind, _RANGES["any"])
    least, most = least if low is None else low, most if high is None else high
    values = spread_out(random, int(np.prod(shape)), least, most).reshape(shape)
    if kind == "nonzero" and low is None:
        values *= random.choice([-1.0, 1.0], shape)
    if kind == "special" and values.size:
        flat = values.reshape(-1)
        special = (0.0, -0.0, np.inf, -np.inf, np.nan)[: max(values.size - 1, 0)]
        flat[: len(special)] = special
    return values


def spread_out(random: Any, count: int, low: float, high: float) -> Any:
    """Return distinct values in [low, high], away from multiples of 1/2, exact in half precision, in random order."""
    grid = (np.arange(count) + random.uniform(0.2, 0.8)) / max(count, 1)
    values = low + (high - low) * random.permutation(grid)
    step = 2.0 ** (np.ceil(np.log2(max(abs(low), abs(high), 1.0))) - 11)
    margin = min(0.0125, (high - low) / 20)
    kink = np.round(values * 2) / 2
    distance = values - kink
    near = np.abs(distance) < margin
    side = np.where(kink <= low, 1.0, np.where(kink >= high, -1.0, np.where(distance < 0, -1.0, 1.0)))
    values = np.where(near, kink + side * (margin + np.abs(distance)), values)
    return np.round(values / step) * step
