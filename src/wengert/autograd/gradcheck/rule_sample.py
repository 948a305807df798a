"""A call of a custom Function as data, for `check_rule`."""

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
    """Raised by a check that does not apply to a Function, with the reason."""


@dataclass(frozen=True)
class Tolerances:
    """Reference and tolerances of `check_rule`."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    reference: Callable[..., Any] | None


@dataclass(frozen=True)
class Sample:
    """A custom Function with arguments.

    Attributes:
        number: the number of the sample, for errors.
    """

    function: type[Function]
    args: tuple[Any, ...]
    number: int

    @property
    def leaves(self) -> list[Tensor]:
        """The arguments that require a gradient."""
        return [arg for arg in self.args if isinstance(arg, Tensor) and arg.requires_grad]

    def exchanged(self, change: Callable[[Tensor], Tensor]) -> tuple[Any, ...]:
        """Return the arguments with `change(tensor)` in place of each tensor."""
        return tuple(change(arg) if isinstance(arg, Tensor) else arg for arg in self.args)

    def results(self, *args: Any) -> tuple[Tensor, ...]:
        """Return the tensors that the Function returns for copies of arguments, which it may write to."""
        return run(self.function, [arg.clone() if isinstance(arg, Tensor) else arg for arg in args])


def run(function: type[Function], args: Sequence[Any]) -> tuple[Tensor, ...]:
    """Return the tensors that a Function returns."""
    return tuple(value for value in as_tuple(function.apply(*args)) if isinstance(value, Tensor))


def copied(tensor: Tensor, array: Array | None = None) -> Tensor:
    """Return a leaf of the same values, or those of `array`, with the `requires_grad` of `tensor`."""
    copy = wrap(tensor._array_.copy() if array is None else array)
    copy.requires_grad = tensor.requires_grad
    return copy


def spread(tensor: Tensor) -> Tensor:
    """Return a non-contiguous leaf of the same values."""
    array = tensor._array_
    if not array.ndim:
        return copied(tensor)
    return copied(tensor, np.repeat(array, 2, axis=-1)[..., ::2])


def gradients(results: Sequence[Tensor], leaves: list[Tensor]) -> list[Array]:
    """Return the gradients of leaves for fixed random cotangents; zeros where there is no gradient."""
    random = np.random.default_rng(0)
    outputs = [result for result in results if result.requires_grad]
    if not outputs:
        return [np.zeros(leaf._array_.shape) for leaf in leaves]
    cotangents = [wrap(np.asarray(random.standard_normal(output.shape), output._array_.dtype)) for output in outputs]
    grads = passes.grad(outputs, leaves, cotangents, None, False, True)
    return [np.zeros(leaf._array_.shape) if grad is None else grad._array_ for leaf, grad in zip(leaves, grads)]


def agree(actual: Sequence[Array], wanted: Sequence[Array], rtol: float, atol: float) -> bool:
    """Return whether arrays agree in number, shape and values; NaN agrees with NaN."""
    return len(actual) == len(wanted) and all(
        value.shape == other.shape and close(np.nan_to_num(value), np.nan_to_num(other), rtol, atol)
        for value, other in zip(actual, wanted)
    )


def arrays(tensors: Sequence[Tensor]) -> list[Array]:
    """Return copies of the values of tensors."""
    return [tensor._array_.copy() for tensor in tensors]
