"""In-place forms of dropout."""

from __future__ import annotations

from ..._core.tensor.base import Tensor
from ..._start.boundary import boundary
from .dropout import channels, drop, saturate, whole

_IN_PACKAGE = ("alpha_dropout_", "dropout_", "feature_alpha_dropout_", "feature_dropout_")


@boundary
def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `dropout`.

    Args:
        input: tensor.
        p: probability.
        train: if False, leave the input unchanged.

    Returns:
        `input`.
    """
    return drop("dropout_", input, whole, p, train, True)


@boundary
def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `feature_dropout`.

    Args:
        input: (N, C, ...).
        p, train: as for `dropout_`.

    Returns:
        `input`.
    """
    return drop("feature_dropout_", input, channels, p, train, True)


@boundary
def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `alpha_dropout`.

    Args:
        input: tensor.
        p, train: as for `dropout_`.

    Returns:
        `input`.
    """
    return saturate("alpha_dropout_", input, whole, p, train, True)


@boundary
def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """In-place form of `feature_alpha_dropout`.

    Args:
        input: (N, C, ...).
        p, train: as for `dropout_`.

    Returns:
        `input`.
    """
    return saturate("feature_alpha_dropout_", input, channels, p, train, True)
