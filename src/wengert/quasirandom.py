"""Quasi-random sequences, which fill a cube more evenly than random points."""

from __future__ import annotations

from typing import Any

from ._tensor.attributes import dtypes
from .ops.create.create import zeros
from .ops.create.ranges import arange
from .ops.randomness import sobol_points as sobol
from .ops.randomness.generator import Generator
from .ops.randomness.random import randint

__all__ = ["SobolEngine"]


class SobolEngine:
    """Sobol' sequence in the unit cube, with the same points as torch's.

    Args:
        dimension: dimension of the cube, from 1 to 21201.
        scramble: mix the digits by random triangular matrices and shift them.
        seed: seed of scrambling; drawn from the default generator if not given.

    Attributes:
        num_generated: number of points that were drawn or skipped.

    Raises:
        ValueError: if `dimension` is outside [1, 21201].

    Source: Joe and Kuo, Constructing Sobol' sequences with better two-dimensional projections, 2008; Matousek, On the
        L2-discrepancy for anchored boxes, 1998, for scrambling.

    >>> import wengert as wg
    >>> wg.quasirandom.SobolEngine(2).draw(3)
    tensor([[0.0000, 0.0000],
            [0.5000, 0.5000],
            [0.7500, 0.2500]])
    """

    MAXBIT = sobol.BITS
    MAXDIM = sobol.DIMENSIONS

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        numbers = sobol.directions(dimension)
        shift: Any = zeros(dimension, dtype=dtypes.int64)
        if scramble:
            numbers, shift = self._scrambled(numbers)
        self.sobolstate = numbers
        self.shift = shift
        self.num_generated = 0

    def _scrambled(self, numbers: Any) -> tuple[Any, Any]:
        generator = None
        if self.seed is not None:
            generator = Generator()
            generator.manual_seed(self.seed)
        digits: Any = randint(2, (self.dimension, self.MAXBIT), generator=generator)
        triangles = randint(2, (self.dimension, self.MAXBIT, self.MAXBIT), generator=generator)
        places = 2 ** arange(self.MAXBIT)
        return sobol.scrambled(numbers, triangles), (digits * places).sum(-1)

    def draw(self, n: int = 1, out: Any = None, dtype: Any = None) -> Any:
        """Draw the next points.

        Args:
            n: number of points.
            out: tensor for the result, or None.
            dtype: floating-point dtype; the default dtype if not given.

        Returns:
            (n, dimension), in [0, 1).
        """
        numerators: Any = sobol.points(self.sobolstate, self.shift, self.num_generated, n)
        self.num_generated += n
        points = numerators.to(dtypes.get_default_dtype() if dtype is None else dtype) / 2**self.MAXBIT
        return points if out is None else out.resize_(points.shape).copy_(points)

    def draw_base2(self, m: int, out: Any = None, dtype: Any = None) -> Any:
        """Draw the next `2**m` points; their total number must then be a power of two.

        Raises:
            ValueError: if the total number of points would not be a power of two.
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Reset to the first point."""
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Skip `n` points."""
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        text = f"dimension={self.dimension}"
        if self.scramble:
            text += ", scramble=True"
        if self.seed is not None:
            text += f", seed={self.seed}"
        return f"{type(self).__name__}({text})"
