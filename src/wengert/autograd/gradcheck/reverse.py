"""Derivatives by reverse mode, and further requirements on a backward pass."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..._core.backward import passes
from ..._core.tensor.base import Tensor, wrap
from ..function import Function
from . import errors
from .errors import GradcheckError
from .subject import Options, Subject, as_tuple, differentiable

Array = Any


def jacobian(subject: Subject, output: Tensor, options: Options) -> list[Array]:
    """Return the derivatives of an output with respect to each input, with a column for each element of the output.

    Raises:
        GradcheckError: if a gradient does not have the shape of its input, or differs the second time.
    """
    array = output._array_
    cotangent = np.zeros(array.shape, array.dtype)
    flat = cotangent.reshape(-1)
    return repeated(subject, output, wrap(cotangent), flat, options)


def along(subject: Subject, output: Tensor, direction: Array, options: Options) -> list[Array]:
    """Return the gradients of the product of an output and a direction: for each input an array of one column."""
    cotangent = np.asarray(direction.reshape(output._array_.shape), output._array_.dtype)
    return repeated(subject, output, wrap(cotangent), None, options)


def repeated(subject: Subject, output: Tensor, cotangent: Tensor, units: Array | None, options: Options) -> list[Array]:
    """Return the columns from backward passes, which must agree in two runs."""
    leaves = subject.leaves
    first = columns(output, leaves, cotangent, units, options)
    again = columns(output, leaves, cotangent, units, options)
    for grad, other in zip(first, again):
        with np.errstate(invalid="ignore"):
            if grad.size and np.abs(grad - other).max() > options.nondet_tol:
                raise GradcheckError(errors.not_reentrant(options.nondet_tol))
    return first


def columns(
    output: Tensor, leaves: list[Tensor], cotangent: Tensor, units: Array | None, options: Options
) -> list[Array]:
    """Return the gradients of the leaves, flat, with a column for each backward pass.

    Args:
        units: the memory of the cotangent, which is set to each unit vector in turn; None for one pass with it
            unchanged.
    """
    count = 1 if units is None else units.size
    matrices = [np.zeros((leaf._array_.size, count), leaf._array_.dtype) for leaf in leaves]
    for column in range(count):
        if units is not None:
            units[column] = 1
        grads = passes.grad([output], leaves, [cotangent], True, False, True)
        for leaf, grad, into in zip(leaves, grads, matrices):
            if grad is not None:
                check_space(leaf, grad, options)
                into[:, column] = grad._array_.reshape(-1)
        if units is not None:  # not before: a gradient may be the cotangent itself
            units[column] = 0
    return matrices


def check_space(leaf: Tensor, grad: Tensor, options: Options) -> None:
    """Check that a gradient has the shape of its input and, if the options ask for it, its dtype.

    Raises:
        GradcheckError: if the shape or dtype is wrong.
    """
    if grad._array_.shape != leaf._array_.shape:
        raise GradcheckError(errors.WRONG_SIZE)
    if options.check_grad_dtypes and grad._array_.dtype != leaf._array_.dtype:
        raise GradcheckError(errors.WRONG_DTYPE)


def zeros(outputs: list[Tensor]) -> list[Tensor]:
    """Return for each output a cotangent of zeros."""
    return [wrap(np.zeros(output._array_.shape, output._array_.dtype)) for output in outputs]


def check_product(subject: Subject, masked: bool | None) -> None:
    """Check that gradients are zeros if the cotangents are.

    Raises:
        GradcheckError: if a gradient is not zero, or its shape, dtype or layout is not that of its input.
    """
    outputs = subject.outputs
    if not outputs:
        return
    leaves = subject.leaves
    for leaf, grad in zip(leaves, passes.grad(outputs, leaves, zeros(outputs), None, False, True)):
        if grad is None:
            continue
        array = grad._array_
        if not (np.abs(array) <= 1e-8).all() if masked else array.any():
            raise GradcheckError(errors.NOT_MULTIPLIED)
        if array.dtype != leaf._array_.dtype:
            raise GradcheckError("grad is incorrect type")
        if array.shape != leaf._array_.shape:
            raise GradcheckError("grad is incorrect size")


class Undefined(Function):
    """Identity whose backward pass returns no gradient, as for an output that was not used."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """Return the same values in the same memory."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        """Return None."""


def check_undefined(subject: Subject) -> None:
    """Check that backward functions treat missing gradients as zeros: of all outputs, and of each single one.

    Raises:
        GradcheckError: if a backward function does not.
    """
    count = len(subject.outputs)
    missing: list[set[int]] = [set(range(count))]
    if count > 1:
        missing += [{at} for at in range(count)]
    for places in missing:
        results = as_tuple(subject.func(*subject.inputs))
        outputs = [results[at] for at in differentiable(results)]
        check_missing(
            [Undefined.apply(output) if at in places else output for at, output in enumerate(outputs)], subject.leaves
        )


def check_missing(outputs: list[Tensor], leaves: list[Tensor]) -> None:
    """Check that the gradients of the leaves are None or zero if those of the outputs are.

    Raises:
        GradcheckError: if a backward function fails, or returns a gradient that is not zero.
    """
    if not outputs:
        return
    try:
        grads = passes.grad(outputs, leaves, zeros(outputs), None, False, True)
    except RuntimeError as error:
        warnings.warn(errors.UNDEFINED_WARNING, stacklevel=6)
        raise GradcheckError(errors.UNDEFINED_UNHANDLED) from error
    if any(grad is not None and grad._array_.any() for grad in grads):
        warnings.warn(errors.UNDEFINED_WARNING, stacklevel=6)
        raise GradcheckError(errors.UNDEFINED_NOT_ZERO)
