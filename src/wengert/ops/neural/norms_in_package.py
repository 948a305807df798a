"""Normalisations in the package's namespace, with the arguments in another order than in `nn.functional`."""

from __future__ import annotations

from typing import Any

from ..._core.tensor.base import Tensor
from . import batch_norm as batches

_IN_PACKAGE = ("batch_norm", "instance_norm")


def batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Normalise each channel over all items, as `nn.functional.batch_norm`.

    Args:
        input: floating tensor (N, C, ...).
        weight, bias, running_mean, running_var, training, momentum, eps: as there.
        cudnn_enabled: without effect.

    Returns:
        A new tensor of the shape of `input`.

    >>> wg.batch_norm(wg.tensor([[1.0, 5.0], [3.0, 9.0]]), None, None, None, None, True, 0.1, 0.0, False)
    tensor([[-1., -1.],
            [ 1.,  1.]])
    """
    return batches.normalised(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """Normalise each channel of each item, as `nn.functional.instance_norm`.

    Args:
        input: floating tensor (N, C, ...).
        weight, bias, running_mean, running_var, use_input_stats, momentum, eps: as there.
        cudnn_enabled: without effect.

    Returns:
        A new tensor of the shape of `input`.

    >>> wg.instance_norm(wg.tensor([[[1.0, 3.0], [5.0, 9.0]]]), None, None, None, None, True, 0.1, 0.0, False)
    tensor([[[-1.,  1.],
             [-1.,  1.]]])
    """
    result: Any = batches.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)
    return result
