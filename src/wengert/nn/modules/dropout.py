"""Layers that drop values at random."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional
from .module import Module


class _DropoutNd(Module):
    """Base of layers that drop values.

    Args:
        p: probability of dropping an element.
        inplace: write into the input.

    Raises:
        ValueError: if `p` is not a probability.
    """

    _options_shown = ("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace


class Dropout(_DropoutNd):
    """In training, sets each value to zero with probability `p` and multiplies the others by `1 / (1 - p)`.

    Args:
        p: probability of dropping an element.
        inplace: write into the input.

    Raises:
        ValueError: if `p` is not a probability.

    Source: Srivastava et al., Dropout: A Simple Way to Prevent Neural Networks from Overfitting, 2014.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input after dropout in training, else the input itself."""
        return functional.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """In training, drops whole channels of (N, C, L) or (C, L); arguments as of `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input after dropout in training, else the input itself."""
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """In training, drops whole channels of (N, C, H, W) or (C, H, W); arguments as of `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input after dropout in training, else the input itself."""
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance, for `SELU`; arguments as of `Dropout`.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input after dropout in training, else the input itself."""
        return functional.alpha_dropout(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """In training, drops whole channels of (N, C, D, H, W) or (C, D, H, W); arguments as of `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input after dropout in training, else the input itself."""
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels of (N, C, ...); arguments as of `Dropout`."""

    def forward(self, input: Tensor) -> Tensor:
        """The input after dropout in training, else the input itself."""
        return functional.feature_alpha_dropout(input, self.p, self.training)
