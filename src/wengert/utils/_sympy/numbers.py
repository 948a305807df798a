"""`torch.utils._sympy.numbers`: numbers of SymPy that torch adds. Nothing here is one; see `symbolic_shapes`."""

from __future__ import annotations

from ..._start.absent import StandIn

SAYS = "sizes are numbers here, not symbols"


class IntInfinity(metaclass=StandIn):
    """An infinite size: cannot be made."""

    path, says = "torch.utils._sympy.numbers.IntInfinity", SAYS


class NegativeIntInfinity(metaclass=StandIn):
    """The same, below all others."""

    path, says = "torch.utils._sympy.numbers.NegativeIntInfinity", SAYS
