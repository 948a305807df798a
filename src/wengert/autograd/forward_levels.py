"""Nested levels of forward mode, for transforms."""

from __future__ import annotations

from typing import Any

from .._core import door, forward_errors
from .._core.calls.dual_memory import fitted_to_memory
from .._core.calls.forward import adopt_one, primal_of
from .._core.state.modes import Modes
from .._core.state.regions import Region
from .._core.tensor import tangents
from .._core.tensor.base import Tensor
from .._core.tensor.tangents import Level
from .limits import depth


class ForwardLevel(Region):
    """Context of one differentiation in forward mode, nested in those under way."""

    __slots__ = ("level",)

    def _before_(self, modes: Modes) -> Any:
        self.level = Level(modes.next_level())
        self.level.depth = depth() if modes.transforms else 0
        return modes.levels

    def _begin_(self, modes: Modes, before: Any) -> ForwardLevel:
        modes.enter([*modes.levels, self.level])
        return self

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.enter(before)
        self.level.end()

    def dual(self, tensor: Any, tangent: Any) -> Tensor:
        """Return a view of a tensor with a tangent at this level."""
        dual: Tensor = tensor.view_as(tensor)
        adopt_one(tensor)
        tangents.insert(dual, self.level, fitted_to_memory(tangent, tensor))
        return dual

    def tangent(self, tensor: Tensor) -> Any:
        """Return the tangent at this level, or None."""
        adopt_one(tensor)
        return tangents.tangent_at(tensor, self.level)

    def primal(self, value: Any) -> Any:
        """Return a value as it is outside of this level."""
        return primal_of(value, self.level)


def check_inexact(which: str, tensor: Tensor) -> None:
    """Refuse a tensor whose dtype has no derivatives.

    Raises:
        ValueError: if the tensor is neither floating point nor complex.
    """
    if not door.is_inexact(tensor._array_):
        raise ValueError(forward_errors.not_inexact(which, tensor.dtype))


def check_shape(primal: Tensor, tangent: Tensor) -> None:
    """Refuse a tangent of another shape.

    Raises:
        RuntimeError: if the shapes differ.
    """
    if primal._array_.shape != tangent._array_.shape:
        raise RuntimeError(forward_errors.wrong_size(primal._array_.shape, tangent._array_.shape))
