"""One call of a custom Function as data, for the checks of `check_rule`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._core.backward import passes
from ..._core.tensor.base import Tensor, wrap
from ..function import Function
from .comparison import close
from .subject import as_tuple

Array = Any


class LeftOut(Exception):  # noqa: N818  (no mistake)
    """Why a check says nothing about a Function."""


@dataclass(frozen=True)
class Tolerances:
    """What `check_rule` was given beside Function and samples."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    reference: Callable[..., Any] | None


@dataclass(frozen=True)
class Sample:
    """A custom Function with arguments.

    Attributes:
        number: which of the samples, for errors.
    """

    function: type[Function]
    args: tuple[Any, ...]
    number: int

    @property
    def leaves(self) -> list[Tensor]:
        """The arguments that require a gradient."""
        return [each for each in self.args if isinstance(each, Tensor) and each.requires_grad]

    def exchanged(self, change: Callable[[Tensor], Tensor]) -> tuple[Any, ...]:
        """The arguments with `change(tensor)` in place of each tensor."""
        return tuple(change(each) if isinstance(each, Tensor) else each for each in self.args)

    def results(self, *args: Any) -> tuple[Tensor, ...]:
        """The tensors that the Function returns for copies of arguments: it may write to those, not to leaves."""
        return run(self.function, [each.clone() if isinstance(each, Tensor) else each for each in args])  # type: ignore[attr-defined]


def run(function: type[Function], args: Sequence[Any]) -> tuple[Tensor, ...]:
    """The tensors that a Function returns."""
    return tuple(each for each in as_tuple(function.apply(*args)) if isinstance(each, Tensor))


def copied(tensor: Tensor, array: Array | None = None) -> Tensor:
    """A leaf of the same values, or of those of `array`, which requires a gradient as `tensor` does."""
    made = wrap(tensor._array_.copy() if array is None else array)
    made.requires_grad = tensor.requires_grad
    return made


def spread(tensor: Tensor) -> Tensor:
    """A leaf of the same values that is not contiguous in memory."""
    array = tensor._array_
    if not array.ndim:
        return copied(tensor)
    return copied(tensor, np.repeat(array, 2, axis=-1)[..., ::2])


def gradients(results: Sequence[Tensor], leaves: list[Tensor]) -> list[Array]:
    """The gradients at leaves for fixed random cotangents, zeros where there are none."""
    random = np.random.default_rng(0)
    outputs = [each for each in results if each.requires_grad]
    if not outputs:
        return [np.zeros(each._array_.shape) for each in leaves]
    cotangents = [wrap(np.asarray(random.standard_normal(each.shape), each._array_.dtype)) for each in outputs]
    found = passes.grad(outputs, leaves, cotangents, None, False, True)
    return [np.zeros(leaf._array_.shape) if grad is None else grad._array_ for leaf, grad in zip(leaves, found)]


def agree(found: Sequence[Array], wanted: Sequence[Array], rtol: float, atol: float) -> bool:
    """Whether arrays agree in number, shape and values; NaN agrees with NaN."""
    return len(found) == len(wanted) and all(
        one.shape == other.shape and close(np.nan_to_num(one), np.nan_to_num(other), rtol, atol)
        for one, other in zip(found, wanted)
    )


def arrays(tensors: Sequence[Tensor]) -> list[Array]:
    """Copies of their values."""
    return [each._array_.copy() for each in tensors]
