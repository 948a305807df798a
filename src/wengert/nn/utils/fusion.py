"""Fusion of a linear layer or convolution with the batch normalisation that follows, for evaluation."""

from __future__ import annotations

import copy
from typing import Any

from ...ops.create.like import ones_like, zeros_like
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Return a convolution that computes `bn(conv(x))`.

    Args:
        conv: the convolution, in evaluation mode.
        bn: the batch normalisation, in evaluation mode.
        transpose: whether `conv` is transposed: the outputs are then the second dimension of its weight.

    Returns:
        A copy of `conv` with the fused parameters.

    Raises:
        AssertionError: if a module is in training mode, or `bn` has no running statistics.
    """
    fused = fusible(conv, bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Any, conv_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a convolution fused with the batch normalisation that follows.

    Args:
        conv_w: weight of the convolution, (out, in, ...), or (in, out, ...) if `transpose`.
        conv_b: its bias, or None.
        bn_rm: running mean of the normalisation.
        bn_rv: running variance.
        bn_eps: number added to the variance.
        bn_w: weight, or None.
        bn_b: bias, or None.
        transpose: whether the outputs are the second dimension of the weight.

    Returns:
        (weight, bias): new parameters in the convolution's dtype.
    """
    bias = zeros_like(bn_rm) if conv_b is None else conv_b
    scale = (ones_like(bn_rm) if bn_w is None else bn_w) * (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(shape)).to(conv_w.dtype)
    moved = (bias - bn_rm) * scale + (zeros_like(bn_rm) if bn_b is None else bn_b)
    return (
        Parameter(weight.detach(), conv_w.requires_grad),
        Parameter(moved.to(bias.dtype).detach(), bias.requires_grad),
    )


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """Return a linear layer that computes `bn(linear(x))`.

    Args:
        linear: the layer, in evaluation mode.
        bn: the batch normalisation, in evaluation mode, of `out_features` features or of one.

    Returns:
        A copy of `linear` with the fused parameters.

    Raises:
        AssertionError: if a module is in training mode, or the numbers of features differ.
    """
    fused = fusible(linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            f"got linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Any, linear_b: Any, bn_rm: Any, bn_rv: Any, bn_eps: float, bn_w: Any, bn_b: Any
) -> tuple[Parameter, Parameter]:
    """Return weight and bias of a linear layer fused with the batch normalisation that follows.

    Arguments as of `fuse_conv_bn_weights`.

    Returns:
        (weight, bias): new parameters in the layer's dtype.
    """
    return fuse_conv_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b)


def fusible(layer: Module, bn: Any) -> Any:
    """Return a copy of the layer to be fused.

    Raises:
        AssertionError: if a module is in training mode, or `bn` has no running statistics.
    """
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("Only support fusing BatchNorm with running_mean and running_var")
    return copy.deepcopy(layer)
