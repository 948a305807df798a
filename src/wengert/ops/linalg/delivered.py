"""`out=` of functions that are made of operators."""

from __future__ import annotations

from typing import Any

from ..._core import batch_errors, errors, flags
from ..._core.calls.out import one_output, put_out
from ..._core.state.grad_mode import is_grad_enabled


def delivered(name: str, out: Any, made: Any) -> Any:
    """What a function returns: what it made, or the tensors given as `out`, which take its values.

    Args:
        name: of the function, for errors.
        out: None, a tensor, or of several results a tuple of as many.
        made: the result, or a tuple of them.

    Raises:
        TypeError: `out` is no tensor, or of several results no tuple of as many tensors.
        RuntimeError: an argument requires a gradient, or dtype or shape do not fit.
    """
    if out is None:
        return made
    results = made if isinstance(made, tuple) else (made,)
    if isinstance(made, tuple) and not (isinstance(out, (tuple, list)) and len(out) == len(made)):
        raise TypeError(errors.wrong_out(name, "tuple of Tensors", out))
    given = [one_output(name, each) for each in (out if isinstance(made, tuple) else (out,))]
    concerned = (*given, *results)
    if is_grad_enabled() and any(each.requires_grad for each in concerned):
        raise RuntimeError(errors.out_requires_grad(name))
    if any(each._flags_ & flags.BATCHED for each in concerned):
        raise RuntimeError(batch_errors.OUT.format(name))
    for tensor, result in zip(given, results):
        put_out(tensor, result)
    return type(made)(given) if isinstance(made, tuple) else out
