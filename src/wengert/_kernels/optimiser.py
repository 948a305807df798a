"""Optimiser steps over lists of arrays, in NumPy. Parameters and state are written in place."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .results import Array


def descent(param: Array, grad: Array, weight_decay: float, maximize: bool) -> Array:
    """The gradient to descend: negated to maximise, with weight decay added."""
    if maximize:
        grad = np.negative(grad)
    if weight_decay != 0:
        grad = grad + param * param.dtype.type(weight_decay)
    return grad


def sgd_step(
    params: Sequence[Array],
    grads: Sequence[Array],
    momentum_buffers: Sequence[Array | None],
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> list[Array | None]:
    """One step of stochastic gradient descent.

    Args:
        params: floating arrays, written.
        grads: one for each, of its shape and dtype.
        momentum_buffers: one for each, written, or None before the first step.
        lr: step size.
        momentum: factor of the buffer.
        dampening: 1 minus the factor of the gradient that is added to the buffer.
        weight_decay: multiple of the parameter added to the gradient.
        nesterov: step by gradient + momentum * buffer.
        maximize: go up instead of down.

    Returns:
        The buffers, new where they were None; all None without momentum.

    Source: Sutskever et al., On the importance of initialization and momentum in deep learning, 2013, in torch's form.
    """
    buffers: list[Array | None] = []
    for param, grad, buffer in zip(params, grads, momentum_buffers, strict=True):
        number = param.dtype.type
        step = descent(param, grad, weight_decay, maximize)
        if momentum != 0:
            if buffer is None:
                buffer = np.array(step)  # of a 0-dim parameter, `step` may be a NumPy scalar
            else:
                buffer *= number(momentum)
                buffer += step * number(1 - dampening)
            step = step + buffer * number(momentum) if nesterov else buffer
        param += step * number(-lr)
        buffers.append(buffer)
    return buffers


def adam_step(
    params: Sequence[Array],
    grads: Sequence[Array],
    exp_avgs: Sequence[Array],
    exp_avg_sqs: Sequence[Array],
    max_exp_avg_sqs: Sequence[Array] | None,
    steps: Sequence[int],
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    amsgrad: bool,
    maximize: bool,
) -> None:
    """One step of Adam.

    Args:
        params: floating arrays, written.
        grads: one for each, of its shape and dtype.
        exp_avgs: running means of the gradients, written.
        exp_avg_sqs: running means of their squares, written.
        max_exp_avg_sqs: their maxima, written; None without `amsgrad`.
        steps: number of steps of each parameter, this one included, so from 1.
        lr: step size.
        beta1: factor of the running mean.
        beta2: factor of the running mean square.
        eps: added to the divisor.
        weight_decay: multiple of the parameter added to the gradient.
        amsgrad: divide by the maximum of the mean square.
        maximize: go up instead of down.

    Source: Kingma and Ba, Adam, 2015, algorithm 1; Reddi et al., On the convergence of Adam and beyond, 2018.
    """
    for place, param in enumerate(params):
        number = param.dtype.type
        mean, square = exp_avgs[place], exp_avg_sqs[place]
        gradient = descent(param, grads[place], weight_decay, maximize)
        mean += (gradient - mean) * number(1 - beta1)
        square *= number(beta2)
        square += gradient * gradient * number(1 - beta2)
        if amsgrad and max_exp_avg_sqs is not None:
            largest = max_exp_avg_sqs[place]
            np.maximum(largest, square, out=largest)
            square = largest
        step_size = lr / (1 - beta1 ** steps[place])
        root_correction = math.sqrt(1 - beta2 ** steps[place])
        divisor = np.sqrt(square) / number(root_correction) + number(eps)
        param += mean * number(-step_size) / divisor


def formula_step(
    kind: str,
    params: Sequence[Array],
    grads: Sequence[Array],
    states: Sequence[tuple[Array | None, ...]],
    numbers: Sequence[tuple[float, ...]],
    shrink: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """One step of an element-wise optimiser.

    Args:
        kind: a name of `formulas.FORMULAS`.
        params: floating arrays, written.
        grads: one for each, of its shape and dtype.
        states: for each the arrays of its formula's state, written; None for those that it does not use.
        numbers: for each the numbers of its formula.
        shrink: factor of the parameters before the step, for decay that is not part of the gradient.
        weight_decay: multiple of the parameter added to the gradient.
        maximize: go up instead of down.
    """
    from .formulas import FORMULAS  # not loaded where the native function is used

    formula = FORMULAS[kind]
    for param, grad, state, constants in zip(params, grads, states, numbers, strict=True):
        number = param.dtype.type
        if shrink != 1:
            param *= number(shrink)
        param -= formula(descent(param, grad, weight_decay, maximize), state, tuple(map(number, constants)))
