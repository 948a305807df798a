"""Derivatives by forward mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.postponed import resolved
from .. import forward_ad
from . import errors
from .comparison import close
from .errors import GradcheckError
from .subject import Options, Subject, as_tuple, floating

Array = Any


def jacobians(subject: Subject, options: Options) -> list[list[Array]]:
    """Return for each input that requires a gradient, for each output: the derivatives, a row for each element."""
    matrices = []
    for nr, leaf in enumerate(subject.leaves):
        count = leaf._array_.size
        rows = [np.zeros((count, output._array_.size), output._array_.dtype) for output in subject.outputs]
        for row in range(count):
            unit = np.zeros(count, leaf._array_.dtype)
            unit[row] = 1
            for into, tangent in zip(rows, along(subject, nr, unit, options)):
                into[row] = tangent
        matrices.append(rows)
    return matrices


def along(subject: Subject, nr: int, direction: Array, options: Options) -> list[Array]:
    """Return the derivatives of the outputs, flat, along a direction of one input that requires a gradient."""
    tangents = []
    with forward_ad.dual_level():
        results = as_tuple(subject.func(*duals(subject, {nr: direction})))
        for at in subject.places:
            value, tangent = forward_ad.unpack_dual(results[at])
            if tangent is None:
                tangents.append(np.zeros(value._array_.size, value._array_.dtype))
                continue
            if options.check_grad_dtypes and value.is_complex() != tangent.is_complex():
                raise GradcheckError(errors.WRONG_FORWARD_DTYPE)
            tangents.append(resolved(tangent._array_).reshape(-1))
    return tangents


def duals(subject: Subject, directions: dict[int, Array]) -> list[Any]:
    """Return the arguments with tangents: a direction, or zeros; no tangent where the direction is None."""
    inputs, nr = [], 0
    for input_ in subject.inputs:
        if isinstance(input_, Tensor) and input_.requires_grad:
            array = input_._array_
            tangent = directions.get(nr, np.zeros(array.shape, array.dtype))
            plain = input_.detach()
            input_ = plain
            if tangent is not None:
                input_ = forward_ad.make_dual(plain, wrap(np.array(tangent, array.dtype).reshape(array.shape)))
            nr += 1
        inputs.append(input_)
    return inputs


def check_undefined(subject: Subject, directions: list[Array]) -> None:
    """Check that an input without a tangent is treated like one with a tangent of zeros.

    Args:
        directions: tangents for the other inputs.

    Raises:
        GradcheckError: if the derivatives differ.
    """
    for nr, leaf in enumerate(subject.leaves):
        missing_of = dict(enumerate(directions))
        with forward_ad.dual_level():
            tangents = []
            for missing in (np.zeros(leaf._array_.shape), None):
                results = as_tuple(subject.func(*duals(subject, {**missing_of, nr: missing})))
                tangents.append([forward_ad.unpack_dual(result)[1] for result in results if floating(result)])
            for at, (zero, none) in enumerate(zip(*tangents)):
                if zero is not None and none is not None and not close(zero._array_, none._array_, 1e-5, 1e-8):
                    raise GradcheckError(
                        f"Mismatch in tangent values for output with index: {at} when input: {leaf} has an undefined "
                        f"tangent value.  Got: {zero} but expected: {none}"
                    )
