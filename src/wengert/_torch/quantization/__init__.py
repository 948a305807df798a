"""`torch.quantization`, the former name of `ao.quantization`: calls raise, there are no quantised tensors."""

from __future__ import annotations

from typing import Any

from ..ao import stand_in


def __getattr__(name: str) -> Any:
    """Return a placeholder that raises when it is called or instantiated."""
    return stand_in(__name__, name)
