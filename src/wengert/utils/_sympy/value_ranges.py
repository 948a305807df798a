"""`torch.utils._sympy.value_ranges`: between what numbers a symbol lies. Nothing here is one; see `symbolic_shapes`."""

from __future__ import annotations

from ..._start.absent import StandIn
from .numbers import SAYS


class ValueRanges(metaclass=StandIn):
    """Such a range: cannot be made."""

    path, says = "torch.utils._sympy.value_ranges.ValueRanges", SAYS
