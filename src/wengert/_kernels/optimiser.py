"""Optimiser steps over lists of arrays, in NumPy. Parameters and state are written in place."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .results import Array


def descent(param: Array, grad: Array, weight_decay: float, maximize: bool) -> Array:
    """The gradient to follow: turned round to maximise, with weight decay added."""
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
        momentum: how much of the buffer is kept.
        dampening: 1 minus how much of the gradient enters it.
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
        steps: number of each one's step, this one included, so from 1.
        lr: step size.
        beta1: how much of the mean is kept.
        beta2: how much of the mean square is kept.
        eps: added to the divisor.
        weight_decay: multiple of the parameter added to the gradient.
        amsgrad: divide by the maximum of the mean square.
        maximize: go up instead of down.

    Source: Kingma and Ba, Adam, 2015, algorithm 1; Reddi et al., On the convergence of Adam and beyond, 2018.
    """
    for place, param in enumerate(params):
        number = param.dtype.type
        mean, square = exp_avgs[place], exp_avg_sqs[place]
        slope = descent(param, grads[place], weight_decay, maximize)
        mean += (slope - mean) * number(1 - beta1)
        square *= number(beta2)
        square += slope * slope * number(1 - beta2)
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
    """One step of an optimiser that goes element by element.

    Args:
        kind: a name of `FORMULAS`.
        params: floating arrays, written.
        grads: one for each, of its shape and dtype.
        states: for each the arrays that its formula keeps, written; None for what it does without.
        numbers: for each the numbers of its formula.
        shrink: what parameters are multiplied by before, for decay that is not part of the gradient.
        weight_decay: multiple of the parameter added to the gradient.
        maximize: go up instead of down.
    """
    formula = FORMULAS[kind]
    for param, grad, state, given in zip(params, grads, states, numbers, strict=True):
        number = param.dtype.type
        if shrink != 1:
            param *= number(shrink)
        param -= formula(descent(param, grad, weight_decay, maximize), state, tuple(map(number, given)))


def rmsprop(slope: Array, state: Any, numbers: Any) -> Array:
    """Hinton, Neural Networks for Machine Learning, lecture 6e, 2012; centred: Graves, Generating Sequences With
    Recurrent Neural Networks, 2013. State: mean square, mean or None, moving step or None.
    """
    (square, mean, buffer), (lr, alpha, entering, eps, momentum) = state, numbers
    square *= alpha
    square += slope * slope * entering
    spread = square
    if mean is not None:
        mean += (slope - mean) * entering
        spread = square - mean * mean
    step: Array = slope / (np.sqrt(spread) + eps)
    if buffer is not None:
        buffer *= momentum
        buffer += step
        step = buffer
    return step * lr


def adagrad(slope: Array, state: Any, numbers: Any) -> Array:
    """Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011. State: sum of squares."""
    (total,), (lr, eps) = state, numbers
    total += slope * slope
    step: Array = lr * slope / (np.sqrt(total) + eps)
    return step


def adadelta(slope: Array, state: Any, numbers: Any) -> Array:
    """Zeiler, Adadelta, 2012. State: mean squares of the gradient and of the steps."""
    (square, moved), (lr, rho, entering, eps) = state, numbers
    square *= rho
    square += slope * slope * entering
    change: Array = np.sqrt(moved + eps) / np.sqrt(square + eps) * slope
    moved *= rho
    moved += change * change * entering
    return change * lr


def adamax(slope: Array, state: Any, numbers: Any) -> Array:
    """Kingma and Ba, Adam, 2015, section 7. State: mean, and largest size, which fades."""
    (mean, largest), (lr, entering, kept, eps) = state, numbers
    mean += (slope - mean) * entering
    largest *= kept
    np.maximum(largest, np.abs(slope) + eps, out=largest)
    step: Array = mean / largest * lr
    return step


def nadam(slope: Array, state: Any, numbers: Any) -> Array:
    """Dozat, Incorporating Nesterov Momentum into Adam, 2016. State: mean, mean square."""
    (mean, square), (entering, kept, squares_entering, eps, correction, of_slope, of_mean) = state, numbers
    mean += (slope - mean) * entering
    square *= kept
    square += slope * slope * squares_entering
    step: Array = (slope * of_slope + mean * of_mean) / (np.sqrt(square / correction) + eps)
    return step


def radam(slope: Array, state: Any, numbers: Any) -> Array:
    """Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2020. State: mean, mean square. The last
    number is 0 as long as the rate cannot be rectified.
    """
    (mean, square), (entering, kept, squares_entering, eps, of_mean, scale) = state, numbers
    mean += (slope - mean) * entering
    square *= kept
    square += slope * slope * squares_entering
    move: Array = mean * of_mean
    return move * scale / (np.sqrt(square) + eps) if scale else move


def rprop(slope: Array, state: Any, numbers: Any) -> Array:
    """Riedmiller and Braun, A Direct Adaptive Method for Faster Backpropagation Learning, 1993. State: the gradient
    before, sizes of steps.
    """
    (before, size), (shorter, longer, least, most) = state, numbers
    agreed = slope * before
    size *= np.where(agreed > 0, longer, np.where(agreed < 0, shorter, size.dtype.type(1)))
    np.clip(size, least, most, out=size)
    before[...] = np.where(agreed < 0, slope.dtype.type(0), slope)
    step: Array = np.sign(before) * size
    return step


FORMULAS: dict[str, Callable[[Array, Any, Any], Array]] = {
    each.__name__: each for each in (rmsprop, adagrad, adadelta, adamax, nadam, radam, rprop)
}
"""By name: what is taken off a parameter, of its gradient, its state, which is written, and numbers of its dtype."""
