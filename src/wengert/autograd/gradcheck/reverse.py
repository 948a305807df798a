"""Derivatives by reverse mode, and what a backward pass must do beside having the right values."""

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
    """The derivatives of an output by each input that requires a gradient: a column for each element of the output.

    Raises:
        GradcheckError: a gradient has another shape than its input, or another one the second time.
    """
    array = output._array_
    cotangent = np.zeros(array.shape, array.dtype)
    flat = cotangent.reshape(-1)
    return repeated(subject, output, wrap(cotangent), flat, options)


def along(subject: Subject, output: Tensor, direction: Array, options: Options) -> list[Array]:
    """The gradients of the product of an output and a direction: for each input an array of one column."""
    cotangent = np.asarray(direction.reshape(output._array_.shape), output._array_.dtype)
    return repeated(subject, output, wrap(cotangent), None, options)


def repeated(subject: Subject, output: Tensor, cotangent: Tensor, units: Array | None, options: Options) -> list[Array]:
    """The columns that backward passes give, after they have given the same twice."""
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
    """The gradients at the leaves, flat, a column for each backward pass.

    Args:
        units: the memory of the cotangent, which becomes each unit vector in turn; None for one pass with it as it is.
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
    """A gradient has the shape of its input and, if that is to be looked at, its dtype.

    Raises:
        GradcheckError: it has not.
    """
    if grad._array_.shape != leaf._array_.shape:
        raise GradcheckError(errors.WRONG_SIZE)
    if options.check_grad_dtypes and grad._array_.dtype != leaf._array_.dtype:
        raise GradcheckError(errors.WRONG_DTYPE)


def zeros(outputs: list[Tensor]) -> list[Tensor]:
    """For each output a cotangent of zeros."""
    return [wrap(np.zeros(output._array_.shape, output._array_.dtype)) for output in outputs]


def check_product(subject: Subject, masked: bool | None) -> None:
    """Zeros come out of a backward pass that zeros came into.

    Raises:
        GradcheckError: they do not, or a gradient does not lie in the space of its input.
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
    """The identity, whose backward pass gives nothing, as for an output that was not used."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """The same values in the same memory."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> None:
        """Nothing."""


def check_undefined(subject: Subject) -> None:
    """Backward functions take a missing gradient for zeros: of all outputs, and of each of several.

    Raises:
        GradcheckError: they do not.
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
    """The gradients at the leaves are missing or zero where those of the outputs are.

    Raises:
        GradcheckError: a backward function fails, or makes something of it.
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
