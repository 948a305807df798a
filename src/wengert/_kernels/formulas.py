"""Steps of element-wise optimisers, to be subtracted from the parameter, in NumPy. State is written in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .results import Array


def rmsprop(grad: Array, state: Any, numbers: Any) -> Array:
    """Hinton, Neural Networks for Machine Learning, lecture 6e, 2012; centred: Graves, Generating Sequences With
    Recurrent Neural Networks, 2013. State: mean square, mean or None, moving step or None.
    """
    (square, mean, buffer), (lr, alpha, entering, eps, momentum) = state, numbers
    square *= alpha
    square += grad * grad * entering
    spread = square
    if mean is not None:
        mean += (grad - mean) * entering
        spread = square - mean * mean
    step: Array = grad / (np.sqrt(spread) + eps)
    if buffer is not None:
        buffer *= momentum
        buffer += step
        step = buffer
    return step * lr


def adagrad(grad: Array, state: Any, numbers: Any) -> Array:
    """Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011. State: sum of squares."""
    (total,), (lr, eps) = state, numbers
    total += grad * grad
    step: Array = lr * grad / (np.sqrt(total) + eps)
    return step


def adadelta(grad: Array, state: Any, numbers: Any) -> Array:
    """Zeiler, Adadelta, 2012. State: mean squares of the gradient and of the steps."""
    (square, moved), (lr, rho, entering, eps) = state, numbers
    square *= rho
    square += grad * grad * entering
    change: Array = np.sqrt(moved + eps) / np.sqrt(square + eps) * grad
    moved *= rho
    moved += change * change * entering
    return change * lr


def adamax(grad: Array, state: Any, numbers: Any) -> Array:
    """Kingma and Ba, Adam, 2015, section 7. State: mean, and largest size, which fades."""
    (mean, largest), (lr, entering, decay, eps) = state, numbers
    mean += (grad - mean) * entering
    largest *= decay
    np.maximum(largest, np.abs(grad) + eps, out=largest)
    step: Array = mean / largest * lr
    return step


def nadam(grad: Array, state: Any, numbers: Any) -> Array:
    """Dozat, Incorporating Nesterov Momentum into Adam, 2016. State: mean, mean square."""
    (mean, square), (entering, decay, squares_entering, eps, correction, of_slope, of_mean) = state, numbers
    mean += (grad - mean) * entering
    square *= decay
    square += grad * grad * squares_entering
    step: Array = (grad * of_slope + mean * of_mean) / (np.sqrt(square / correction) + eps)
    return step


def radam(grad: Array, state: Any, numbers: Any) -> Array:
    """Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2020. State: mean, mean square. The last
    number is 0 as long as the rate cannot be rectified.
    """
    (mean, square), (entering, decay, squares_entering, eps, of_mean, scale) = state, numbers
    mean += (grad - mean) * entering
    square *= decay
    square += grad * grad * squares_entering
    move: Array = mean * of_mean
    return move * scale / (np.sqrt(square) + eps) if scale else move


def rprop(grad: Array, state: Any, numbers: Any) -> Array:
    """Riedmiller and Braun, A Direct Adaptive Method for Faster Backpropagation Learning, 1993. State: the gradient
    before, sizes of steps.
    """
    (before, size), (shorter, longer, least, most) = state, numbers
    agreed = grad * before
    size *= np.where(agreed > 0, longer, np.where(agreed < 0, shorter, size.dtype.type(1)))
    np.clip(size, least, most, out=size)
    before[...] = np.where(agreed < 0, grad.dtype.type(0), grad)
    step: Array = np.sign(before) * size
    return step


FORMULAS: dict[str, Callable[[Array, Any, Any], Array]] = {
    formula.__name__: formula for formula in (rmsprop, adagrad, adadelta, adamax, nadam, radam, rprop)
}
"""By name: functions of a gradient, the state, which is written, and numbers of the dtype; they return the step that is
subtracted from the parameter."""
