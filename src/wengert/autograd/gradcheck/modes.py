"""Comparison of whole Jacobians, or in fast mode of their products with a random vector on each side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.tensor.base import wrap
from . import errors, forward as forward_mode, numerical, reverse
from .comparison import close, compare, part_at, worst
from .errors import GradcheckError
from .subject import Options, Subject, floating

Array = Any
SEED = 67280421310721
"""Seed of the generator of the random vectors, as in torch: a check is reproducible and does not use the program's
generator."""


def check(subject: Subject, options: Options, *, forward: bool = False) -> None:
    """Compare the derivatives of a subject with finite differences.

    Raises:
        GradcheckError: if they differ.
    """
    if options.fast_mode:
        fast(subject, options, forward)
    else:
        slow(subject, options, forward)


def slow(subject: Subject, options: Options, forward: bool) -> None:
    """Compare element by element."""
    places = subject.places
    if not places:
        check_constant(subject, options)
        return
    numeric = numerical.jacobians(subject, places, options.eps)
    if forward:
        for leaf, rows in enumerate(forward_mode.jacobians(subject, options)):
            for output, row in enumerate(rows):
                compare(subject, output, leaf, numeric[leaf][output], row, options, True)
        return
    for output, tensor in enumerate(subject.outputs):
        for leaf, row in enumerate(reverse.jacobian(subject, tensor, options)):
            compare(subject, output, leaf, numeric[leaf][output], row, options, False)


def check_constant(subject: Subject, options: Options) -> None:
    """Check that differences are zero where no output has a derivative.

    Raises:
        GradcheckError: if a difference is not zero.
    """
    places = [at for at, result in enumerate(subject.results) if floating(result)]
    for jacobian in numerical.jacobians(subject, places, options.eps):
        if any(column.any() for column in jacobian):
            raise GradcheckError(errors.NOT_ZERO)


def fast(subject: Subject, options: Options, forward: bool) -> None:
    """Compare u J v for random vectors u and v (in forward mode J v)."""
    outputs = subject.outputs
    directions, weights = vectors(subject)
    places = subject.places or [at for at, result in enumerate(subject.results) if floating(result)]
    moved = [
        numerical.along(subject, leaf, places, shaped(direction, leaf._array_.shape), options.eps)
        for leaf, direction in zip(subject.leaves, directions)
    ]
    if not outputs:
        if any((np.abs(value) > options.nondet_tol).any() for values in moved for value in values):
            raise GradcheckError(errors.NOT_ZERO)
        return
    if forward:
        for leaf, direction in enumerate(directions):
            for output, actual in enumerate(forward_mode.along(subject, leaf, direction, options)):
                compare_fast(
                    subject,
                    output,
                    leaf,
                    moved[leaf][output],
                    actual,
                    allowance(options, direction, None),
                    options,
                    True,
                )
        return
    for output, weight in enumerate(weights):
        for leaf, column in enumerate(reverse.along(subject, outputs[output], weight, options)):
            number = (weight * moved[leaf][output]).sum()
            actual = inner(column[:, 0], directions[leaf])
            compare_fast(
                subject, output, leaf, number, actual, allowance(options, directions[leaf], weight), options, False
            )


def vectors(subject: Subject) -> tuple[list[Any], list[Array]]:
    """Return random vectors of norm 1 without negative elements: for each input (two if complex), for each output."""
    random = np.random.RandomState(SEED & 0xFFFFFFFF)  # the Mersenne twister, seeded as in torch

    def vector(like: Array) -> Array:
        words = random.randint(0, 1 << 32, like.size, dtype=np.uint32)
        drawn = ((words & 0xFFFFFF) * 2.0**-24).astype(like.real.dtype)
        length = np.linalg.norm(drawn)
        return drawn / length if length else drawn

    directions = []
    for leaf in subject.leaves:
        array = leaf._array_
        directions.append((vector(array), vector(array)) if array.dtype.kind == "c" else vector(array))
    return directions, [vector(output._array_) for output in subject.outputs]


def shaped(direction: Any, shape: tuple[int, ...]) -> Any:
    """Return a random vector, or two, in the shape of an input."""
    return (
        tuple(part.reshape(shape) for part in direction) if isinstance(direction, tuple) else direction.reshape(shape)
    )


def inner(gradient: Array, direction: Any) -> Any:
    """Return the product of a gradient with a vector.

    The real and imaginary part of a complex gradient are each multiplied with a vector of their own.
    """
    if isinstance(direction, tuple):
        return gradient.real.dot(direction[0]) + 1j * gradient.imag.dot(direction[1])
    return gradient.dot(direction)


def allowance(options: Options, direction: Any, weight: Array | None) -> float:
    """Return the absolute tolerance for a product with vectors: each element of the Jacobian may be off by `atol`."""
    total = sum(float(part.sum()) for part in direction) if isinstance(direction, tuple) else float(direction.sum())
    return options.atol * total * (1.0 if weight is None else float(weight.sum()))


def compare_fast(
    subject: Subject, output: int, leaf: int, number: Any, actual: Any, atol: float, options: Options, forward: bool
) -> None:
    """Compare two products; the error shows the whole Jacobians.

    Raises:
        GradcheckError: if they differ.
    """
    if close(actual, number, options.rtol, atol):
        return
    slow_numerical = numerical.jacobian(subject, subject.leaves[leaf], subject.places, options.eps)[output]
    if forward:
        slow_analytical = forward_mode.jacobians(subject, options)[leaf][output]
    else:
        slow_analytical = reverse.jacobian(subject, subject.outputs[output], options)[leaf]
    part = part_at(subject, output, leaf, forward)
    text = errors.mismatch(output, leaf, part, forward, wrap(np.asarray(number)), wrap(np.asarray(actual)))
    largest = float(np.abs(slow_numerical - slow_analytical).max())
    text += errors.slow_mode(wrap(slow_numerical), wrap(slow_analytical), largest)
    text += worst(subject, output, leaf, slow_numerical, slow_analytical, options)
    if close(slow_analytical, slow_numerical, options.rtol, options.atol):
        text += errors.FAST_FAILED_SLOW_PASSED
    raise GradcheckError(text)
