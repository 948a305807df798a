"""Families with probabilities, given as such or as logarithms, of odds where there are two outcomes."""

from __future__ import annotations

import math
from typing import Any

from .._tensor import Tensor
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits


class Odds(Distribution):
    """A family that is given probabilities in one of two ways; the other follows when it is asked for.

    Attributes:
        _binary: whether each probability stands for one of two outcomes, or they stand along the last dimension.
    """

    _binary = True

    def _take_odds(self, probs: Any, logits: Any) -> Any:
        """The one that is given.

        Raises:
            ValueError: both, or none.
        """
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return logits if probs is None else probs

    def _keep_odds(self, probs: Any, value: Tensor) -> None:
        """Keep what was given, under its name."""
        vars(self)["logits" if probs is None else "probs"] = value

    @lazy_property
    def probs(self) -> Tensor:
        """Probabilities."""
        return logits_to_probs(self.logits, is_binary=self._binary)

    @lazy_property
    def logits(self) -> Tensor:
        """Logarithms of odds, or of probabilities."""
        return probs_to_logits(self.probs, is_binary=self._binary)

    @property
    def _log_odds(self) -> Tensor:
        """`logits`, but infinite where the probability of one of two outcomes was given as 0 or 1.

        `logits` stay within what a probability next to these gives, as torch's do.
        """
        if "probs" not in vars(self):
            return self.logits
        probs = self.probs
        certain = self.logits.masked_fill(probs == 0, -math.inf)
        return certain.masked_fill(probs == 1, math.inf)  # type: ignore[no-any-return]

    @property
    def _param(self) -> Tensor:
        """What was given, or computed first."""
        return vars(self)["probs"] if "probs" in vars(self) else vars(self)["logits"]  # type: ignore[no-any-return]

    @property
    def param_shape(self) -> Any:
        """The shape of the probabilities."""
        return self._param.shape
