"""Comparison of batched derivatives with single ones."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.backward import passes
from ..._core.tensor.base import Tensor, wrap
from .. import forward_ad
from . import errors
from .comparison import close
from .errors import GradcheckError
from .subject import Subject, as_tuple, floating

Array = Any
Many = Callable[[Tensor], "tuple[Tensor, ...]"]


def vmap() -> Callable[..., Any]:
    """Return `wengert.vmap`, which is defined in a layer above."""
    return sys.modules[__name__.partition(".")[0]].vmap


def check_reverse(subject: Subject) -> None:
    """Check that a batch of cotangents has the same gradients as each of them.

    Raises:
        GradcheckError: if they differ.
    """
    batched = vmap()
    leaves = subject.leaves
    for nr, output in enumerate(subject.outputs):

        def gradients(cotangent: Tensor, output: Tensor = output) -> tuple[Tensor, ...]:
            grads = passes.grad([output], leaves, [cotangent], True, False, True)
            return tuple(zeros_like(leaf) if grad is None else grad for leaf, grad in zip(leaves, grads))

        compare(batched, gradients, output._array_, errors.BATCHED_NOTES, nr)


def check_forward(subject: Subject) -> None:
    """Check that a batch of tangents has the same derivatives as each of them.

    Raises:
        GradcheckError: if they differ.
    """
    batched = vmap()
    for place, leaf in enumerate(subject.inputs):
        if not floating(leaf) or not leaf.requires_grad:
            continue

        def tangents(tangent: Tensor, place: int = place) -> tuple[Tensor, ...]:
            inputs = [input_.detach() if isinstance(input_, Tensor) else input_ for input_ in subject.inputs]
            with forward_ad.dual_level():
                inputs[place] = forward_ad.make_dual(inputs[place], tangent)
                pairs = [
                    forward_ad.unpack_dual(value) for value in as_tuple(subject.func(*inputs)) if value is not None
                ]
                return tuple(zeros_like(value) if tangent is None else tangent for value, tangent in pairs)

        compare(batched, tangents, leaf._array_, errors.BATCHED_FORWARD_NOTES, None)


def zeros_like(tensor: Tensor) -> Tensor:
    """Return zeros of the shape and dtype of a tensor."""
    return wrap(np.zeros(tensor._array_.shape, tensor._array_.dtype))


def compare(batched: Any, function: Many, like: Array, notes: str, output: int | None) -> None:
    """Compare a function of a batch of two random tensors with the function of each tensor.

    Args:
        output: the number of the output, for errors; None if there is one result for each output.

    Raises:
        GradcheckError: if they differ, or the batch is refused.
    """
    random = np.random.default_rng(0)
    pair = np.asarray(random.standard_normal((2, *like.shape)), like.dtype)
    if like.dtype.kind == "c":
        pair = np.asarray((pair + 1j * random.standard_normal(pair.shape)) / np.sqrt(2), like.dtype)
    single = [function(wrap(np.array(row))) for row in pair]
    try:
        results = batched(function)(wrap(pair))
    except RuntimeError as error:
        raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{notes}") from error
    for nr, (result, *singles) in enumerate(zip(results, *single)):
        wanted = np.stack([single._array_ for single in singles])
        if not close(result._array_, wanted, 1e-5, 1e-8):
            raise GradcheckError(
                errors.batched_mismatch(nr if output is None else output, nr, result, wrap(wanted), notes)
            )
