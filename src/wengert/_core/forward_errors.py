"""Error texts of forward mode: torch's, with advice."""

from __future__ import annotations

from typing import Any

NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
NESTED = "Nested forward mode AD is not supported at the moment"
NOTHING_TO_EXIT = "Dual level must be a positive number: exit_dual_level() was called where no level is entered."
NOT_LAST = "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
RESIZED = "cannot resize variables that has a forward grad"


def no_forward_rule(name: str, argument: str) -> str:
    """A card has no forward rule with respect to one of its inputs."""
    return (
        f"Trying to use forward AD with {name.lstrip('_')} that does not support it because it has not been "
        f"implemented yet: it has no derivative with respect to argument '{argument}'."
    )


def no_out(name: str) -> str:
    """A call with `out=` meets a dual tensor."""
    return (
        f"Trying to use forward AD with {name}_out that does not support it because it is an out= function: "
        "call it without `out`."
    )


def wrong_level(name: str) -> str:
    """A level that does not exist."""
    return f"Invalid level given to {name}: there is one level, number 0"


def not_inexact(which: str, dtype: Any) -> str:
    """A primal or tangent of a dtype without derivatives."""
    return f"Expected {which} to be floating point or complex, but got: {dtype}"


def wrong_size(primal: tuple[int, ...], tangent: tuple[int, ...]) -> str:
    """A tangent of another shape."""
    return (
        "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
        f"supported. Tensor is of size {list(primal)} while the given forward gradient is of size {list(tangent)}."
    )


def already_dual(level: int) -> str:
    """A second tangent at one level."""
    return (
        f"Making a dual Tensor based on a Tensor that already has a forward gradient at the same level {level} is not "
        "supported."
    )


def dual_tangent(level: int) -> str:
    """A tangent that carries one itself, at the same level."""
    return f"Setting a forward grad that itself has a forward gradient at the same level {level} is not supported."
