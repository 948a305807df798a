"""Steps of optimisers: tensors written in place, outside of any graph. No cards: nothing here has a derivative."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import flags
from ..._core.cards.card import registered
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.storage import count_write
from ..._core.tensor.tracing import told_reading
from ..._kernels import newton_schulz

Array = np.ndarray[Any, Any]


def zeros_as(tensor: Tensor) -> Tensor:
    """Return zeros with the shape, dtype and strides of a tensor: state of an optimiser."""
    if tensor._flags_ & flags.OBSERVED:
        return registered("zeros_like").public(tensor)
    return wrap(np.zeros_like(tensor._array_))


def written(tensors: Iterable[Tensor]) -> None:
    """Count a write to each tensor."""
    told_reading(None, "an optimiser's step")
    for tensor in tensors:
        count_write(tensor._storage_, "an optimiser's step")


def arrays_of(tensors: Sequence[Tensor]) -> list[Array]:
    """Return the values as NumPy arrays."""
    return [tensor._array_ for tensor in tensors]


def real_parts(tensors: Sequence[Tensor]) -> list[Array]:
    """Return the values; for complex tensors two views, of the real and imaginary part."""
    arrays: list[Array] = []
    for tensor in tensors:
        array = tensor._array_
        arrays += (array.real, array.imag) if array.dtype.kind == "c" else (array,)
    return arrays


def repeated(values: Sequence[Any], tensors: Sequence[Tensor]) -> list[Any]:
    """Return one value for each array of `real_parts(tensors)`."""
    return [
        value
        for value, tensor in zip(values, tensors, strict=True)
        for _ in range(2 if tensor._array_.dtype.kind == "c" else 1)
    ]


def counted(steps: Sequence[Tensor]) -> list[int]:
    """Increment each 0-dim tensor by one; return the new values."""
    for step in steps:
        step._array_[...] += 1
    return [int(step._array_) for step in steps]


def sgd_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    momentum_buffers: Sequence[Tensor | None],
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> list[Tensor | None]:
    """Step of stochastic gradient descent.

    Args:
        params: parameters, written.
        grads: gradient of each parameter, of its shape and dtype.
        momentum_buffers: buffer of each parameter, written; None before the first step.
        lr: step size.
        momentum: fraction of the buffer that is kept.
        dampening: 1 minus the fraction of the gradient that enters it.
        weight_decay: multiple of the parameter added to the gradient.
        nesterov: step by gradient + momentum * buffer.
        maximize: ascend instead of descending.

    Returns:
        The buffers, new where they were None; all None without momentum.
    """
    before = [None if buffer is None else buffer._array_ for buffer in momentum_buffers]
    state = arrays_of(params), arrays_of(grads), before
    after = current().quietly(kernels.sgd_step, (*state, lr, momentum, dampening, weight_decay, nesterov, maximize))
    written(params)
    buffers: list[Tensor | None] = []
    for known, array in zip(momentum_buffers, after, strict=True):
        if known is None:
            buffers.append(None if array is None else wrap(array))
        else:
            written((known,))
            buffers.append(known)
    return buffers


def adam_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    exp_avgs: Sequence[Tensor],
    exp_avg_sqs: Sequence[Tensor],
    max_exp_avg_sqs: Sequence[Tensor],
    steps: Sequence[Tensor],
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
    decoupled: bool,
    amsgrad: bool,
    maximize: bool,
) -> None:
    """Step of Adam or AdamW.

    Args:
        params: parameters, written.
        grads: gradient of each parameter, of its shape and dtype.
        exp_avgs: running means of the gradients, written.
        exp_avg_sqs: running means of their squares, written.
        max_exp_avg_sqs: their maxima, written; empty without `amsgrad`.
        steps: 0-dim tensors that count the steps of each parameter, without this one; written.
        lr: step size.
        betas: fractions of the mean and of the mean square that are kept.
        eps: added to the divisor.
        weight_decay: multiple of the parameter added to the gradient or, if `decoupled`, subtracted times the step
            size.
        decoupled: AdamW's decay instead of Adam's.
        amsgrad: divide by the maximum of the mean square.
        maximize: ascend instead of descending.

    Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization, 2019, for the decoupled form.
    """
    counts = counted(steps)
    arrays = real_parts(params)
    if decoupled and weight_decay != 0:
        for array in arrays:
            array *= array.dtype.type(1 - lr * weight_decay)
        weight_decay = 0.0
    maxima = real_parts(max_exp_avg_sqs) if amsgrad else None
    state = arrays, real_parts(grads), real_parts(exp_avgs), real_parts(exp_avg_sqs), maxima, repeated(counts, params)
    current().quietly(kernels.adam_step, (*state, lr, betas[0], betas[1], eps, weight_decay, amsgrad, maximize))
    for changed in (params, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps):
        written(changed)


def formula_step(
    kind: str,
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    states: Sequence[Sequence[Tensor | None]],
    numbers: Sequence[tuple[float, ...]],
    shrink: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """Step of an elementwise optimiser, for all parameters at once.

    Args:
        kind: a name of `_kernels.formulas.FORMULAS`.
        params: parameters, written.
        grads: gradient of each parameter, of its shape and dtype.
        states: state of each parameter for its formula, written; None for tensors that the formula does not use.
        numbers: numbers of the formula for each parameter.
        shrink: factor that parameters are multiplied by first.
        weight_decay: multiple of the parameter added to the gradient.
        maximize: ascend instead of descending.
    """
    by_piece: list[tuple[Array | None, ...]] = []
    for param, state in zip(params, states, strict=True):
        parts = [None if tensor is None else real_parts((tensor,)) for tensor in state]
        pieces = 2 if param._array_.dtype.kind == "c" else 1
        by_piece += [tuple(None if tensor is None else tensor[at] for tensor in parts) for at in range(pieces)]
    arrays = real_parts(params), real_parts(grads), by_piece, repeated(numbers, params)
    current().quietly(kernels.formula_step, (kind, *arrays, shrink, weight_decay, maximize))
    written(params)
    written(tensor for state in states for tensor in state if tensor is not None)


def orthogonalised(update: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Muon's step for a matrix: approximately the orthogonal matrix nearest to `update`.

    Args:
        update: (n, m), real.
        coefficients: factors of X, X X' X and (X X')^2 X in an iteration.
        steps: number of iterations.
        eps: smallest divisor of the matrix.

    Returns:
        float32 of the same shape, with values that bfloat16 can represent.
    """
    return wrap(current().quietly(newton_schulz.newton_schulz, (update._array_, coefficients, steps, eps)))
