"""Zero derivatives of backward operators that are linear between kinks, with respect to the input.

As far as the graph is concerned these operators depend on the input, as in torch: a gradient computed with
`create_graph` requires a gradient, which is zero. Hence such an operator takes the input as its last argument, `place`,
beside the shape that its kernel needs, and does not read it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SCATTERS = ("", "Adaptive", "Fractional")
"""Kinds of windows whose indices the gradients of maxima are scattered to: contiguous ones, or others."""
SCATTERED = (
    *("MaxPool2DWithIndicesBackwardBackward0", "AdaptiveMaxPool2DBackwardBackward0"),
    "FractionalMaxPool2DBackwardBackward0",
)
"""The node that each records, for planes."""


def zeros_like_grad(cotangent: Any) -> Any:
    """Gradient with respect to the input: zeros of the shape of the gradient."""
    return cotangent.new_zeros(cotangent.shape)


def zeros_like_tangent(tangent: Any) -> Any:
    """Tangent of the result from that of the input: zeros."""
    return tangent.new_zeros(tangent.shape)


def flat_in_place(card: Any) -> Any:
    """Add the rules of the parameter `place` of an operator."""
    card.vjp("place")(zeros_like_grad)
    card.jvp("place")(zeros_like_tangent)
    return card


def without_place(native: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """Return the native function for calls whose last argument is the input, or None."""
    if native is None:
        return None

    def plain(*args: Any) -> Any:
        return native(*args[:-1]) if args[-1] is None or isinstance(args[-1], np.ndarray) else NotImplemented

    return plain
