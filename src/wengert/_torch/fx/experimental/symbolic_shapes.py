"""`torch.fx.experimental.symbolic_shapes`: sizes that are symbols. Here they are numbers: questions have answers."""

from __future__ import annotations

from typing import Any

from wengert._start.absent import StandIn

SAYS = "sizes are numbers here, not symbols"


class GuardOnDataDependentSymNode(RuntimeError):  # noqa: N818 - torch's name
    """A condition on a size that nobody knows: never raised here."""


class ConstraintViolationError(RuntimeError):
    """A size violates a constraint of the program; never raised here."""


class ShapeEnv(metaclass=StandIn):
    """Environment of symbolic sizes, which cannot be created here."""

    path, says = "torch.fx.experimental.symbolic_shapes.ShapeEnv", SAYS


def guard_or_false(a: Any) -> bool:
    """The truth of a condition."""
    return bool(a)


def guard_or_true(a: Any) -> bool:
    """The truth of a condition."""
    return bool(a)


def statically_known_true(x: Any) -> bool:
    """The truth of a condition."""
    return bool(x)


def statically_known_false(x: Any) -> bool:
    """Return whether a condition is false."""
    return not x


def definitely_true(a: Any) -> bool:
    """The truth of a condition."""
    return bool(a)


def definitely_false(a: Any) -> bool:
    """Return whether a condition is false."""
    return not a


def guard_size_oblivious(expr: Any) -> bool:
    """The truth of a condition."""
    return bool(expr)


def is_symbolic(val: Any) -> bool:
    """Return False: numbers are not symbols."""
    return False


def is_concrete_int(a: Any) -> bool:
    """True: sizes are numbers."""
    return True


is_concrete_bool = is_concrete_float = is_concrete_int


def has_free_symbols(val: Any) -> bool:
    """Return False: there are no symbols."""
    return False


has_free_unbacked_symbols = has_free_symbols


def free_symbols(val: Any) -> set[Any]:
    """The symbols in a value: none."""
    return set()


free_unbacked_symbols = free_symbols


def guard_int(a: Any) -> int:
    """A size."""
    return int(a)


def guard_bool(a: Any) -> bool:
    """A truth value."""
    return bool(a)


def guard_float(a: Any) -> float:
    """A number."""
    return float(a)


hint_int = size_hint = guard_int


def sym_eq(x: Any, y: Any) -> bool:
    """Return whether sizes, also in lists and tuples, are equal."""
    return bool(x == y)
