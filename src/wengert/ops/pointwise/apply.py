"""In-place calls of a Python function for each element: apply_, map_, map2_."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.arguments import asking
from ..._core.cards.late import bind
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.tensor.tracing import told_reading
from ..._core.writes import inplace


def check_plain(name: str, tensor: Tensor) -> None:
    """Refuse tensors that require a gradient: a Python function has no derivative."""
    inplace.check_target(tensor, False, current())
    check_unrecorded(name, tensor)


def check_unrecorded(name: str, operand: Any) -> None:
    """Refuse a tensor that requires a gradient.

    Raises:
        RuntimeError: if it requires a gradient.
    """
    if isinstance(operand, Tensor) and operand.requires_grad:
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")


def write_all(name: str, target: Tensor, function: Callable[..., Any], arrays: list[Any]) -> Tensor:
    """Write the results of `function` for the elements of the target and the arrays; write nothing if it fails."""
    array = target._array_
    told_reading(None, name)
    columns = [np.broadcast_to(operand, array.shape).reshape(-1).tolist() for operand in (array, *arrays)]
    results = [function(*operand) for operand in zip(*columns)]
    numbers = (bool, int, float, complex) if array.dtype.kind in "cb" else (bool, int, float)
    for operand in results:
        if not isinstance(operand, numbers):
            raise TypeError(f"{name}(): the function must give a real number, not {type(operand).__name__}")
    array[...] = np.array(results).reshape(array.shape) if results else array
    return target


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by `callable(element)`; slow, and not counted as a write, as in torch.

    Args:
        self: tensor that requires no gradient.
        callable: takes a Python number and returns one.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: if a tensor requires a gradient.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0, 2.0]).apply_(lambda x: x + 0.5)
        tensor([1.5000, 2.5000])
    """
    check_plain("apply_", self)
    return write_all("apply_", self, callable, [])


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by `callable(element, other)`; slow, and not counted as a write, as in torch.

    Args:
        self: tensor that requires no gradient.
        tensor: of the same dtype; broadcasts to `self`.
        callable: takes two Python numbers and returns one.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: if a tensor requires a gradient.
        TypeError: if the dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0, 2.0]).map_(wg.tensor([3.0, 4.0]), lambda x, y: x * y)
        tensor([3., 8.])
    """
    check_plain("map_", self)
    check_unrecorded("map_", tensor)
    return write_all("map_", self, callable, [operand("map_", self, tensor)])


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replace each element by `callable(element, one, other)`; slow, and not counted as a write, as in torch.

    Args:
        self: tensor that requires no gradient.
        x, y: of the same dtype; they broadcast to `self`.
        callable: takes three Python numbers and returns one.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError, TypeError: as `map_`.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1.0, 2.0])
        >>> x.map2_(wg.tensor([3.0, 4.0]), wg.tensor([5.0, 6.0]), lambda x, y, z: x * y + z)
        tensor([ 8., 14.])
    """
    check_plain("map2_", self)
    check_unrecorded("map2_", x)
    check_unrecorded("map2_", y)
    return write_all("map2_", self, callable, [operand("map2_", self, x), operand("map2_", self, y)])


def operand(name: str, target: Tensor, other: Any) -> Any:
    """Return the array of another tensor, which must have the same dtype."""
    if not isinstance(other, Tensor):
        raise TypeError(errors.wrong_type(name, "tensor", 1, "Tensor", other))
    if other._array_.dtype != target._array_.dtype:
        wanted, other_type = errors.type_name(target._array_), errors.type_name(other._array_)
        raise TypeError(f"{name}: expected {wanted} for 'other' (got {other_type})")
    return other.expand(target._array_.shape)._array_


for card in (apply_, map_, map2_):
    bind(card.__name__, asking(card, method=True))
