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
from ..._core.writes import tensor_lists
from ..._core.writes.tensor_lists import (
    arrays_of,
    completed,
    counted as counted,
    entries as entries,
    have_flag as have_flag,
    have_halves as have_halves,
    real_parts,
    repeated,
    with_gradients as with_gradients,
)
from ..._kernels import newton_schulz

Array = np.ndarray[Any, Any]


def zeros_as(tensor: Tensor) -> Tensor:
    """Return zeros with the shape, dtype and strides of a tensor: state of an optimiser."""
    if tensor._flags_ & flags.OBSERVED:
        return registered("zeros_like").public(tensor)
    return wrap(np.zeros_like(tensor._array_))


def written(*columns: Iterable[Tensor | None]) -> None:
    """Count a write to each tensor of lists."""
    tensor_lists.written(columns, "an optimiser's step")


def sgd_step(
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    momentum_buffers: list[Tensor | None],
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
    after = current().quietly(
        kernels.sgd_step,
        (
            arrays_of(params),
            arrays_of(grads),
            arrays_of(momentum_buffers),
            lr,
            momentum,
            dampening,
            weight_decay,
            nesterov,
            maximize,
        ),
    )
    written(params, momentum_buffers)
    return completed(momentum_buffers, after)


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
    counts: Sequence[int] = counted(steps)
    arrays = real_parts(params)
    if len(arrays) > len(params):
        counts = repeated(counts, params)
    if decoupled and weight_decay != 0:
        shrink(arrays, 1 - lr * weight_decay)
        weight_decay = 0.0
    maxima = real_parts(max_exp_avg_sqs) if amsgrad else None
    state = arrays, real_parts(grads), real_parts(exp_avgs), real_parts(exp_avg_sqs), maxima, counts
    current().quietly(kernels.adam_step, (*state, lr, betas[0], betas[1], eps, weight_decay, amsgrad, maximize))
    written(params, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, steps)


def shrink(arrays: Sequence[Array], factor: float) -> None:
    """Multiply arrays by a number, in place."""
    for array in arrays:
        if array.dtype.char in "fd":
            kernels.multiply(array, factor, out=array)
        else:
            array *= array.dtype.type(factor)


def formula_step(
    kind: str,
    params: Sequence[Tensor],
    grads: Sequence[Tensor],
    states: Sequence[Sequence[Tensor | None]],
    numbers: list[tuple[float, ...]],
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
    arrays = real_parts(params)
    if len(arrays) == len(params):
        pieces = [tuple(arrays_of(state)) for state in states]
    else:
        pieces = pieces_of(params, states)
        numbers = repeated(numbers, params)
    arguments = kind, arrays, real_parts(grads), pieces, numbers, shrink, weight_decay, maximize
    current().quietly(kernels.formula_step, arguments)
    written(params, *states)


def pieces_of(params: Sequence[Tensor], states: Sequence[Sequence[Tensor | None]]) -> list[tuple[Array | None, ...]]:
    """Return the state of each array of `real_parts(params)`."""
    pieces: list[tuple[Array | None, ...]] = []
    for param, state in zip(params, states, strict=True):
        parts = [None if tensor is None else real_parts((tensor,)) for tensor in state]
        count = 2 if param._array_.dtype.kind == "c" else 1
        pieces += [tuple(None if tensor is None else tensor[at] for tensor in parts) for at in range(count)]
    return pieces


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
