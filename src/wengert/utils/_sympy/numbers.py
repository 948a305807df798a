"""Mirror of `torch.utils._sympy.numbers`: placeholders for symbolic infinities; see `symbolic_shapes`."""

from __future__ import annotations

from ..._start.absent import StandIn

SAYS = "sizes are numbers here, not symbols"


class IntInfinity(metaclass=StandIn):
    """Infinite size; cannot be instantiated."""

    path, says = "torch.utils._sympy.numbers.IntInfinity", SAYS


class NegativeIntInfinity(metaclass=StandIn):
    """Negative infinite size; cannot be instantiated."""

    path, says = "torch.utils._sympy.numbers.NegativeIntInfinity", SAYS
