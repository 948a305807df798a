"""Calls with `out=`: results written into tensors that the program gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dispatch, dtypes, errors, flags
from .base import Tensor
from .declaration import bind
from .modes import current


def call(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call with `out=`: the results are written into given tensors, which are resized if they are empty.

    Raises:
        RuntimeError: an argument requires a gradient, or dtype or shape do not fit.
    """
    kwargs = dict(kwargs)
    out = kwargs.pop("out")
    bound = bind(op, args, kwargs)
    if out is None:
        return dispatch.perform(op, bound)
    modes = current()
    given = out if isinstance(out, (tuple, list)) else (out,)
    word = dispatch.input_word(op, bound)
    for each in given:
        word |= each.flags
    if word & modes.mask & flags.REQUIRES_GRAD:
        raise RuntimeError(errors.out_requires_grad(op.name))
    results = dispatch.perform(op, bound)
    for tensor, made in zip(given, results if op.several else (results,)):
        put_out(tensor, made)
    return out


def put_out(tensor: Tensor, made: Tensor) -> None:
    """Write one result of a call with `out=`."""
    if not dtypes.can_cast(made.dtype, tensor.dtype):
        raise RuntimeError(errors.uncastable(made.dtype, tensor.dtype))
    if tensor.array.shape != made.array.shape:
        tensor.array = np.empty(made.array.shape, tensor.array.dtype)
        tensor.storage.array = tensor.array
    np.copyto(tensor.array, made.array, "unsafe")
    tensor.storage.version += 1
