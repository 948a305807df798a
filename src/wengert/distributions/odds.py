"""Families with probabilities, given as `probs` or as `logits`."""

from __future__ import annotations

import math
from typing import Any

from .._tensor import Tensor
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits


class Odds(Distribution):
    """Base of families with `probs` or `logits`; the other parameter is computed on demand.

    Attributes:
        _binary: whether each number is the probability of one of two outcomes; otherwise the last dimension lists
            outcomes.
    """

    _binary = True

    def _take_odds(self, probs: Any, logits: Any) -> Any:
        """Return the given one of `probs` and `logits`.

        Raises:
            ValueError: if both or none are given.
        """
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        return logits if probs is None else probs

    def _keep_odds(self, probs: Any, value: Tensor) -> None:
        """Store the given parameter under its name."""
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
        """Return `logits`, but infinite if a probability of a binary family was given as 0 or 1.

        `logits` themselves are clamped to those of the nearest probabilities, as in torch.
        """
        if "probs" not in vars(self):
            return self.logits
        probs = self.probs
        certain = self.logits.masked_fill(probs == 0, -math.inf)
        return certain.masked_fill(probs == 1, math.inf)

    @property
    def _param(self) -> Tensor:
        """Parameter that was given, or computed first."""
        return vars(self)["probs"] if "probs" in vars(self) else vars(self)["logits"]

    @property
    def param_shape(self) -> Any:
        """Shape of the probabilities."""
        return self._param.shape
