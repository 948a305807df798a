"""Deprecated functions that are still public in torch; use `gradcheck`."""

from __future__ import annotations

import warnings
from typing import Any

from ..._core.tensor.base import Tensor, wrap
from . import errors, numerical, reverse
from .errors import GradcheckError
from .subject import AnyFunction, Options, Subject, as_tuple, floating


def options_of(nondet_tol: float) -> Options:
    """Return options with this tolerance; the others are not used."""
    return Options(0.0, 0.0, 0.0, nondet_tol, False, False, False, False, False, True, False, None)


def get_numerical_jacobian(
    fn: AnyFunction, inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> Any:
    """Return the Jacobians of the first output of `fn(inputs)` by central differences. Deprecated.

    Args:
        fn: a function of one argument.
        inputs: that argument, a tensor or a tuple of tensors.
        target: the tensors to differentiate with respect to; by default `inputs`. They may be others that `fn` reads.
        eps: step of the differences.
        grad_out: 1.

    Returns:
        For each target that requires a gradient a tensor with a row for each of its elements.

    Raises:
        ValueError: if `grad_out` is not 1, or an output is complex.
    """
    warnings.warn(errors.deprecated("get_numerical_jacobian"), FutureWarning, stacklevel=2)
    if grad_out != 1.0:
        raise ValueError(errors.wrong_grad_out("get_numerical_jacobian"))
    results = as_tuple(fn(inputs))
    if any(result.is_complex() for result in results):
        raise ValueError(errors.complex_output("get_numerical_jacobian"))
    subject = Subject(lambda *_: fn(inputs), as_tuple(inputs if target is None else target), results)
    return tuple(wrap(jacobian[0]) for jacobian in numerical.jacobians(subject, [0], eps))


def get_numerical_jacobian_wrt_specific_input(
    fn: AnyFunction,
    input_idx: int,
    inputs: Any,
    outputs: Any,
    eps: float,
    input: Tensor | None = None,
    is_forward_ad: bool = False,
) -> tuple[Tensor, ...]:
    """Return the Jacobians of all floating-point outputs of `fn(*inputs)` with respect to one input, by differences.

    Args:
        input_idx: the index of the input.
        outputs: the result of `fn`.
        eps: step of the differences.
        input: the tensor to differentiate with respect to, if it is not `inputs[input_idx]`.
        is_forward_ad: allow complex outputs.

    Raises:
        AssertionError: if the input does not require a gradient, or an output is complex.
    """
    leaf = inputs[input_idx] if input is None else input
    assert leaf.requires_grad, "Expected input to have requires_grad=True"
    subject = Subject(fn, as_tuple(inputs), as_tuple(outputs))
    places = [at for at, result in enumerate(subject.results) if floating(result)]
    if not is_forward_ad or leaf.is_complex():
        assert not any(result.is_complex() for result in subject.results), errors.COMPLEX_DIFFERENCE
    return tuple(wrap(row) for row in numerical.jacobian(subject, leaf, places, eps))


def get_analytical_jacobian(inputs: Any, output: Tensor, nondet_tol: float = 0.0, grad_out: float = 1.0) -> Any:
    """Return the Jacobians of an output by backward passes. Deprecated.

    Args:
        inputs: a tensor or tensors from which the output was computed.
        nondet_tol: largest allowed difference between two runs of the same pass.
        grad_out: 1.

    Returns:
        For each input that requires a gradient a tensor with a row for each of its elements; whether both runs agree,
        whether the gradients have the right shapes, and whether they have the right dtypes.

    Raises:
        ValueError: if `grad_out` is not 1, or the output is complex.
    """
    warnings.warn(errors.deprecated("get_analytical_jacobian"), FutureWarning, stacklevel=2)
    if grad_out != 1.0:
        raise ValueError(errors.wrong_grad_out("get_analytical_jacobian"))
    if output.is_complex():
        raise ValueError(errors.complex_output("get_analytical_jacobian"))
    subject = Subject(lambda *_: output, as_tuple(inputs), (output,))
    try:
        jacobian, reentrant = reverse.jacobian(subject, output, options_of(nondet_tol)), True
    except GradcheckError:
        jacobian, reentrant = reverse.jacobian(subject, output, options_of(float("inf"))), False
    return tuple(map(wrap, jacobian)), reentrant, True, True  # the engine ensures shapes and dtypes
