"""Forward-mode differentiation: tangents computed along with values.

A dual tensor has values (its *primal*) and a tangent, the derivative of the values along one direction. Operators on
dual tensors return dual tensors. So one run of a program returns its result and the derivative of the result along the
direction (the Jacobian times a vector), whatever the number of inputs, and without recording.

    >>> import wengert as wg
    >>> from wengert.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(wg.tensor([1.0, 2.0]), wg.tensor([1.0, 0.0]))
    ...     forward_ad.unpack_dual(x * x)
    UnpackedDualTensor(primal=tensor([1., 4.]), tangent=tensor([2., 0.]))
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core import errors, forward_errors
from .._core.calls.dual_memory import fitted_to_memory
from .._core.calls.forward import adopt_one, primal_of
from .._core.state.grad_mode import Guard
from .._core.state.modes import EVERY_LEVEL, Modes, current, everyone
from .._core.state.regions import Region
from .._core.tensor import tangents
from .._core.tensor.base import Tensor
from .._core.tensor.tangents import Level
from .._start.loading import absent
from .forward_levels import check_inexact, check_shape


class UnpackedDualTensor(NamedTuple):
    """Result of `unpack_dual`."""

    primal: Tensor
    """The values."""
    tangent: Tensor | None
    """Their derivative along the direction; None for a tensor that is not dual."""


class _DualLevel(Level):
    """A level that a program entered by `enter_dual_level`."""

    __slots__ = ()


def _entered(modes: Modes) -> _DualLevel | None:
    """Return the level that the program has entered in this thread."""
    for level in modes.levels:
        if isinstance(level, _DualLevel):
            return level
    return None


def _reached(modes: Modes) -> _DualLevel | None:
    """Return the level of new dual tensors in this thread: its own, or that of the only other thread that has one."""
    entered = _entered(modes)
    if entered is not None:
        return entered
    others = [level for other, _ in tuple(everyone.values()) for level in other.levels if isinstance(level, _DualLevel)]
    return others[0] if len(others) == 1 else None


def enter_dual_level() -> int:
    """Enter the level of dual tensors; `dual_level` is the context manager for it.

    Returns:
        The number of the level, 0.

    Raises:
        RuntimeError: if the level is entered already.
    """
    modes = current()
    if _entered(modes) is not None:
        raise RuntimeError(forward_errors.NESTED)
    modes.enter([*modes.levels, _DualLevel(modes.next_level())])
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Leave the level; its dual tensors lose their tangents.

    Args:
        level: the number that `enter_dual_level` returned.

    Raises:
        RuntimeError: if no level is entered, or `level` is not the innermost one.
    """
    modes = current()
    entered = _entered(modes)
    if entered is None and level in (None, -1):
        raise RuntimeError(forward_errors.NOTHING_TO_EXIT)
    if entered is None or level not in (None, 0) or modes.levels[-1] is not entered:
        raise RuntimeError(forward_errors.NOT_LAST)
    modes.enter(modes.levels[:-1])
    entered.end()


class dual_level(Region, Guard):
    """Level of dual tensors, as context manager or decorator; inside it `make_dual` can be called.

    At its end the dual tensors lose their tangents. Each thread may enter one level; a thread without a level uses that
    of another thread, if exactly one other has entered one.

    >>> import wengert as wg
    >>> from wengert.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(wg.tensor(2.0), wg.tensor(1.0))
    ...     forward_ad.unpack_dual(x**3).tangent
    tensor(12.)
    >>> forward_ad.unpack_dual(x).tangent is None
    True

    Raises:
        RuntimeError: if a level is entered already (on entry).
    """

    __slots__ = ()

    def _before_(self, modes: Modes) -> Any:
        if _entered(modes) is not None:
            raise RuntimeError(forward_errors.NESTED)
        return modes.levels

    def _begin_(self, modes: Modes, before: Any) -> int:
        return enter_dual_level()

    def _end_(self, modes: Modes, before: Any) -> None:
        if modes.levels is not before:
            entered = _entered(modes)
            if entered is None or modes.levels[-1] is not entered:
                raise RuntimeError(forward_errors.NOTHING_TO_EXIT if entered is None else forward_errors.NOT_LAST)
            entered.end()
        modes.enter(before)


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a dual tensor: a view of `tensor` with a tangent.

    Args:
        tensor: the values, floating point or complex.
        tangent: the direction, of the same shape. It is not copied if it has the strides of `tensor`: a write to the
            dual tensor then also writes to it.
        level: 0 or None, for the current level.

    Returns:
        A view of `tensor`, which is part of the graph if `tensor` requires a gradient. `tensor` itself is not dual.

    Raises:
        RuntimeError: if no level is entered, the shapes differ, or `tensor` or `tangent` is dual already.
        ValueError: if `tensor` or `tangent` is neither floating point nor complex.
        TypeError: if `tensor` or `tangent` is not a tensor.
    """
    entered = _reached(current())
    if entered is None:
        raise RuntimeError(forward_errors.NO_LEVEL)
    if level not in (None, 0):
        raise RuntimeError(forward_errors.wrong_level("_make_dual"))
    for at, (name, value) in enumerate((("primal", tensor), ("tangent", tangent))):
        if not isinstance(value, Tensor):
            raise TypeError(errors.wrong_type("make_dual", ("tensor", "tangent")[at], at + 1, "Tensor", value))
        check_inexact(name, value)
    adopt_one(tensor)
    adopt_one(tangent)
    if tangents.tangent_at(tensor, entered) is not None:
        raise RuntimeError(forward_errors.already_dual(0))
    if tangents.tangent_at(tangent, entered) is not None:
        raise RuntimeError(forward_errors.dual_tangent(0))
    check_shape(tensor, tangent)
    result = tensor._made_dual()
    tangents.insert(result, entered, fitted_to_memory(tangent, tensor))
    return result


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the values and the tangent of a tensor.

    Args:
        tensor: any tensor.
        level: 0 or None, for the current level.

    Returns:
        A named tuple of `primal`, a view of the tensor that is not dual, and `tangent`: None if the tensor is not dual.
        Without a current level `primal` is the tensor itself.

    Raises:
        TypeError: if `tensor` is not a tensor.
        RuntimeError: if `level` is another level, and the tensor is dual.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(errors.wrong_type("_unpack_dual", "dual", 1, "Tensor", tensor))
    adopt_one(tensor)
    pair = tangents.first_of(tensor)
    while pair is not None and not isinstance(pair.level, _DualLevel):  # perhaps one that another thread entered
        pair = pair.outer
    if pair is not None and pair.level.number >= current().forward:
        return UnpackedDualTensor(tensor, None)
    if pair is not None:
        if level not in (None, -1, 0):
            raise RuntimeError(forward_errors.wrong_level("_fw_primal"))
        return UnpackedDualTensor(primal_of(tensor, pair.level)._fw_primal(), pair.tensor)
    alone = _reached(current()) is None and level in (None, -1)
    return UnpackedDualTensor(tensor if alone else tensor._fw_primal(), None)


class _set_fwd_grad_enabled(Region, Guard):
    """Switch forward mode on or off, as context manager or decorator; tangents are ignored while it is off."""

    __slots__ = ("before", "mode")

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        modes = current()
        self.before = modes.forward
        modes.forward = EVERY_LEVEL if mode else 0

    def clone(self) -> Any:
        return type(self)(self.mode)

    def _before_(self, modes: Modes) -> Any:
        return self.before

    def _begin_(self, modes: Modes, before: Any) -> None:
        modes.forward = EVERY_LEVEL if self.mode else 0

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.forward = before


def _is_fwd_grad_enabled() -> bool:
    """Return whether forward mode is on in this thread."""
    return current().forward > 0


def __getattr__(name: str) -> Any:
    if name == "_current_level":  # torch's programs read it
        return -1 if _reached(current()) is None else 0
    absent(__name__, name)


__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]
