"""Selection and order of the checks of `gradcheck` and `gradgradcheck`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.backward import passes
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from . import batching, errors, forward, modes, reverse, sparse
from .subject import (
    AnyFunction,
    Options,
    Subject,
    as_tuple,
    check_inputs,
    differentiable,
    parts_of_inputs,
    parts_of_outputs,
)


def check_first_order(func: AnyFunction, inputs: Any, options: Options) -> bool:
    """Run the checks that the options ask for.

    Raises:
        GradcheckError: if a derivative is wrong.
        AssertionError: if the options contradict each other.
        ValueError: if a result is sparse.
    """
    if not (options.check_forward_ad or options.check_backward_ad):
        raise AssertionError(errors.BACKWARD_OR_FORWARD)
    if options.check_batched_grad and not options.check_backward_ad:
        raise AssertionError(errors.BATCHED_BACKWARD)
    if options.check_batched_forward_grad and not options.check_forward_ad:
        raise AssertionError(errors.BATCHED_FORWARD)
    func, arguments = sparse.of_dense(func, as_tuple(inputs), options.masked)
    check_inputs(arguments)
    subject = Subject(func, arguments, as_tuple(func(*arguments)))
    sparse.check_outputs(subject.results)
    subject.places  # noqa: B018  (refuses results that are no tensors)
    if options.check_backward_ad:
        for part in parts_of_outputs(subject):
            modes.check(part, options)
    if options.check_forward_ad:
        check_forward_mode(subject, options)
    if options.check_backward_ad:
        if options.check_batched_grad:
            batching.check_reverse(subject)
        reverse.check_product(subject, options.masked)
        if options.check_undefined_grad:
            reverse.check_undefined(subject)
    return True


def check_forward_mode(subject: Subject, options: Options) -> None:
    """Run the checks of forward mode."""
    parts = list(parts_of_inputs(subject))
    for part in parts:
        modes.check(part, options, forward=True)
    if options.check_undefined_grad:
        for part in parts:
            forward.check_undefined(part, modes.vectors(part)[0])
    if options.check_batched_forward_grad:
        batching.check_forward(subject)


def check_second_options(forward: bool, backward: bool, undefined: bool, batched: bool) -> None:
    """Refuse options of `gradgradcheck` that contradict each other.

    Raises:
        AssertionError: if options contradict each other.
    """
    if not (forward or backward):
        raise AssertionError(errors.SECOND_ORDER)
    if undefined and not backward:
        raise AssertionError(errors.UNDEFINED_SECOND)
    if batched and not backward:
        raise AssertionError(errors.BATCHED_SECOND)


def gradient_of(
    func: AnyFunction, inputs: Any, grad_outputs: Any, noncontiguous: bool
) -> tuple[AnyFunction, tuple[Any, ...]]:
    """Return the function that `gradgradcheck` checks, gradients of inputs and cotangents, and its arguments.

    Args:
        grad_outputs: the cotangents; None for random ones.

    Raises:
        ValueError: if no input or no output requires a gradient.
    """
    arguments = as_tuple(inputs)
    wanted = [at for at, argument in enumerate(arguments) if isinstance(argument, Tensor) and argument.requires_grad]
    if not wanted:
        raise ValueError(errors.NO_INPUT)
    if grad_outputs is None:
        results = as_tuple(func(*arguments))
        cotangents = tuple(cotangent_for(results[at], noncontiguous) for at in differentiable(results))
        if not cotangents:
            raise ValueError(errors.NO_OUTPUT)
    else:
        cotangents = as_tuple(grad_outputs)
    count = len(arguments)
    recorded = {*wanted, *(count + at for at, cotangent in enumerate(cotangents) if cotangent.requires_grad)}

    def gradient(*args: Any) -> tuple[Any, ...]:
        # Forward mode gets tensors that do not require a gradient.
        ready = [arg.requires_grad_() if at in recorded else arg for at, arg in enumerate(args)]
        results = as_tuple(func(*ready[:count]))
        outputs = [results[at] for at in differentiable(results)]
        grads = passes.grad(outputs, [ready[at] for at in wanted], ready[count:], None, True, True)
        return tuple(grad for grad in grads if grad is not None)

    return gradient, arguments + cotangents


def cotangent_for(output: Tensor, noncontiguous: bool) -> Tensor:
    """Return a leaf of random numbers in [-1, 1), from the program's generator, of an output's shape and dtype."""
    shape: tuple[int, ...] = output._array_.shape
    if noncontiguous and shape:
        shape = (*shape[:-1], 2 * shape[-1])
    array: Any = np.empty(shape, output._array_.dtype)
    if output.dtype.category == dtypes.COMPLEX:  # the parts of a number one after the other
        parts = wrap(np.empty((*shape, 2), array.real.dtype)).uniform_(-1, 1)
        array = parts._array_.view(array.dtype).reshape(shape)
        cotangent = wrap(array)
    else:
        cotangent = wrap(array).uniform_(-1, 1)
    if noncontiguous and shape:
        cotangent = cotangent[..., 1::2]
    cotangent.requires_grad = True
    return cotangent
