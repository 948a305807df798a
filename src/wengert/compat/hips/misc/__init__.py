"""What programs for HIPS autograd use beside it: flattening of containers, optimisers."""

from __future__ import annotations

from . import flatten, optimizers

__all__ = ["flatten", "optimizers"]
