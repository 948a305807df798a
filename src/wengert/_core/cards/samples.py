"""Samples: arguments on which tests run an operator, stated on its card."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Sample:
    """Arguments that an operator must accept; the harness repeats them in every dtype, non-contiguous, in place ..."""

    def __init__(self, *args: Any, through: Callable[..., Any] | None = None, **kwargs: Any) -> None:
        """Set the arguments; derivatives are checked of `through(operator, *args, **kwargs)` if that is not None.

        For operators that are differentiable only on part of their space (symmetric matrices), or whose results are
        determined only in part (the signs of eigenvectors).
        """
        self.args = args
        self.kwargs = kwargs
        self.through = through


class Bad(Sample):
    """Arguments that an operator must refuse with the error `raises`, whose text contains `says`."""

    def __init__(self, *args: Any, raises: type[Exception], says: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.raises = raises
        self.says = says


class Declared:
    """Base of cards of operators and of composites: documentation and samples."""

    sampler: Callable[..., Iterator[Sample]] | None = None

    def samples(self, generator: Callable[..., Iterator[Sample]]) -> Callable[..., Iterator[Sample]]:
        """Set the generator of samples, called with `make(*shape)`, only by tests."""
        self.sampler = generator
        return generator
