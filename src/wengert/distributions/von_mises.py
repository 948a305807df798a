"""Von Mises distribution, the analogue of the normal distribution on a circle."""

from __future__ import annotations

import math
from typing import Any

from .._core.state.grad_mode import no_grad
from .._core.types.dtypes import float64
from .._tensor import Tensor
from ..ops.pointwise.bessel import i0e, i1e
from ..ops.randomness.random import rand
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, of_part

__all__ = ["VonMises"]


class VonMises(Distribution):
    """Von Mises distribution of angles in radians, from -pi to pi.

    Args:
        loc: the angle of the peak.
        concentration: above 0; for large values the distribution is nearly normal with variance 1 / concentration.
        validate_args: see `Distribution`.

    Source: Best and Fisher, Efficient simulation of the von Mises distribution (1979), for the samples.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}  # noqa: RUF012
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    mean = mode = of_part("loc", "Mean: loc.")

    @property
    def variance(self) -> Tensor:
        """Circular variance: 1 - I1(k) / I0(k)."""
        return 1 - i1e(self.concentration) / i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - i0e(k).log()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`; computed in double precision, which small concentrations need."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            loc, k = (parameter.to(float64).expand(shape) for parameter in (self.loc, self.concentration))
            tau = 1 + (1 + 4 * k**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            r = ((1 + rho**2) / (2 * rho)).where(k > 1e-5, 1 / k + k)
            angles, done = loc * 0, loc != loc
            while not bool(done.all()):
                u = rand((3, *shape), dtype=float64)
                z = (math.pi * u[0]).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                taken = (c * (2 - c) - u[1] > 0) | ((c / u[1]).log() + 1 - c >= 0)
                # numbers accepted in an earlier round are replaced, too, as in torch, for the same numbers with a seed
                angles = ((u[2] - 0.5).sign() * f.clamp(-1, 1).acos()).where(taken, angles)
                done = done | taken
            return ((angles + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
