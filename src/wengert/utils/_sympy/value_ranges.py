"""Mirror of `torch.utils._sympy.value_ranges`: a placeholder for ranges of symbols; see `symbolic_shapes`."""

from __future__ import annotations

from ..._start.absent import StandIn
from .numbers import SAYS


class ValueRanges(metaclass=StandIn):
    """Range of a symbol; cannot be instantiated."""

    path, says = "torch.utils._sympy.value_ranges.ValueRanges", SAYS
