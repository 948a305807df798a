"""Steps of element-wise optimisers, to be subtracted from the parameter, in NumPy. State is written in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .results import Array


def rmsprop(grad: Array, state: Any, numbers: Any) -> Array:
    """RMSprop. State: mean square, mean or None, moving step or None.

    Source: Hinton, Neural Networks for Machine Learning, lecture 6e, 2012; centred: Graves, Generating Sequences With
    Recurrent Neural Networks, 2013.
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
    """Adagrad. State: sum of squares.

    Source: Duchi, Hazan and Singer, Adaptive Subgradient Methods, 2011.
    """
    (total,), (lr, eps) = state, numbers
    total += grad * grad
    step: Array = lr * grad / (np.sqrt(total) + eps)
    return step


def adadelta(grad: Array, state: Any, numbers: Any) -> Array:
    """Adadelta. State: mean squares of the gradient and of the steps.

    Source: Zeiler, Adadelta, 2012.
    """
    (square, moved), (lr, rho, entering, eps) = state, numbers
    square *= rho
    square += grad * grad * entering
    change: Array = np.sqrt(moved + eps) / np.sqrt(square + eps) * grad
    moved *= rho
    moved += change * change * entering
    return change * lr


def adamax(grad: Array, state: Any, numbers: Any) -> Array:
    """Adamax. State: mean, and largest absolute value, which decays.

    Source: Kingma and Ba, Adam, 2015, section 7.
    """
    (mean, largest), (lr, entering, decay, eps) = state, numbers
    mean += (grad - mean) * entering
    largest *= decay
    np.maximum(largest, np.abs(grad) + eps, out=largest)
    step: Array = mean / largest * lr
    return step


def nadam(grad: Array, state: Any, numbers: Any) -> Array:
    """NAdam. State: mean, mean square.

    Source: Dozat, Incorporating Nesterov Momentum into Adam, 2016.
    """
    (mean, square), (entering, decay, squares_entering, eps, correction, grad_factor, mean_factor) = state, numbers
    mean += (grad - mean) * entering
    square *= decay
    square += grad * grad * squares_entering
    step: Array = (grad * grad_factor + mean * mean_factor) / (np.sqrt(square / correction) + eps)
    return step


def radam(grad: Array, state: Any, numbers: Any) -> Array:
    """RAdam. State: mean, mean square. The last number is 0 as long as the rate cannot be rectified.

    Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond, 2020.
    """
    (mean, square), (entering, decay, squares_entering, eps, mean_factor, scale) = state, numbers
    mean += (grad - mean) * entering
    square *= decay
    square += grad * grad * squares_entering
    move: Array = mean * mean_factor
    return move * scale / (np.sqrt(square) + eps) if scale else move


def rprop(grad: Array, state: Any, numbers: Any) -> Array:
    """Rprop. State: the previous gradient, sizes of steps.

    Source: Riedmiller and Braun, A Direct Adaptive Method for Faster Backpropagation Learning, 1993.
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
