"""Slopes of operators that are linear between their kinks: they are the same wherever they are taken.

As far as the graph is concerned they depend on the place, as in torch: a gradient made with `create_graph` requires a
gradient, which is zero. So such an operator takes the place as its last argument, beside the shape that its kernel asks
for, and leaves it unread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SCATTERS = ("", "Adaptive", "Fractional")
"""Whose places the slopes of largest elements are scattered to: those of windows side by side, or others."""
SCATTERED = (
    *("MaxPool2DWithIndicesBackwardBackward0", "AdaptiveMaxPool2DBackwardBackward0"),
    "FractionalMaxPool2DBackwardBackward0",
)
"""The node that each records, for planes."""


def zeros_like_cotangent(cotangent: Any) -> Any:
    """What reverse mode gives the place: it has the shape of the slope."""
    return cotangent.new_zeros(cotangent.shape)


def zeros_like_tangent(tangent: Any) -> Any:
    """What forward mode has of the place."""
    return tangent.new_zeros(tangent.shape)


def flat_in_place(card: Any) -> Any:
    """Give an operator the rules of its parameter `place`."""
    card.vjp("place")(zeros_like_cotangent)
    card.jvp("place")(zeros_like_tangent)
    return card


def without_place(native: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """A native function for a call whose last argument is the place, or None."""
    if native is None:
        return None

    def plain(*args: Any) -> Any:
        return native(*args[:-1]) if args[-1] is None or isinstance(args[-1], np.ndarray) else NotImplemented

    return plain
