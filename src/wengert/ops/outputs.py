"""`out=` of functions made of operators."""

from __future__ import annotations

from typing import Any

from .._core import errors
from .._core.calls.out import one_output, put_out
from .._core.flags import REQUIRES_GRAD
from .._core.state.modes import current


def written(name: str, made: Any, out: Any) -> Any:
    """A result, or `out` with its values in it.

    Raises:
        TypeError: `out` is no tensor.
        RuntimeError: a gradient would have to flow through it, or dtype or shape do not fit.
    """
    if out is None:
        return made
    target = one_output(name, out)
    if (made.requires_grad or target.requires_grad) and current().mask & REQUIRES_GRAD:
        raise RuntimeError(errors.out_requires_grad(name))
    put_out(target, made)
    return out
