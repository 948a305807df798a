"""torch's `_foreach_*`: an operator applied to each tensor of a list, as optimisers call it.

torch makes one kernel of them; here each tensor has its turn, and derivatives are those of the operators.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert._tensor import Tensor

FOREACH = """
    abs abs_ acos acos_ add add_ addcdiv addcdiv_ addcmul addcmul_ asin asin_ atan atan_ ceil ceil_ clamp_max clamp_max_
    clamp_min clamp_min_ clone copy_ cos cos_ cosh cosh_ div div_ erf erf_ erfc erfc_ exp exp_ expm1 expm1_ floor floor_
    frac frac_ lerp lerp_ lgamma lgamma_ log log_ log10 log10_ log1p log1p_ log2 log2_ max maximum maximum_ minimum
    minimum_ mm mul mul_ neg neg_ norm pow pow_ powsum reciprocal reciprocal_ round round_ rsqrt rsqrt_ sigmoid sigmoid_
    sign sign_ sin sin_ sinh sinh_ sqrt sqrt_ sub sub_ tan tan_ tanh tanh_ trunc trunc_ zero_
""".split()  # noqa: SIM905 - so that it can be read
"""The operators that lists of tensors have."""
SCALED = ("addcdiv", "addcmul")
"""Functions whose last argument may be numbers by position, also one for each tensor; operators take it by name."""
POSITIONAL = (
    "src",
    "other",
    "tensors1",
    "tensor1",
    "tensor2",
    "scalar",
    "scalars",
    "exponent",
    "weight",
    "weights",
)
"""Names of torch's parameters after the list, in the order of positions."""
SIDES = {"maximum": "clamp_min", "minimum": "clamp_max"}
"""Methods to use if the other operand is a number."""


def norm(x: Any, ord: Any = 2, dtype: Any = None) -> Any:
    """The norm of all elements."""
    from wengert.linalg import vector_norm

    return vector_norm(x, ord, dtype=dtype)


def powsum(x: Any, ord: Any = 2, dtype: Any = None) -> Any:
    """The sum of the powers of all absolute values."""
    return x.abs().pow(ord).sum(dtype=dtype)


FUNCTIONS: dict[str, Callable[..., Any]] = {"norm": norm, "powsum": powsum}


def applied(name: str, x: Any, others: Sequence[Any], options: dict[str, Any]) -> Any:
    """Apply the operator to one tensor and its arguments."""
    plain = name.removesuffix("_")
    if plain in SCALED and len(others) == 3:
        *others, options["value"] = others
    if plain in SIDES and others and not isinstance(others[0], Tensor):
        name = name.replace(plain, SIDES[plain])
    if name in ("maximum_", "minimum_"):
        return x.copy_(getattr(x, plain)(*others))
    function = FUNCTIONS.get(name)
    return getattr(x, name)(*others, **options) if function is None else function(x, *others, **options)


def value_per_tensor(name: str, value: Any, count: int) -> list[Any]:
    """Return an argument as a list with one value for each of `count` tensors.

    Raises:
        RuntimeError: if the number of values is not `count`.
    """
    if isinstance(value, Tensor) and value.ndim == 1 and name.removesuffix("_") in SCALED:
        value = value.tolist()
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) == count:
        return list(value)
    if all(isinstance(element, Tensor) for element in value):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(value)}")
    raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def check_tensors(name: str, tensors: Any) -> None:
    """Refuse a value that is not a list of tensors.

    Raises:
        TypeError: if `tensors` is not a list of tensors.
        RuntimeError: if the list is empty.
    """
    if not isinstance(tensors, (list, tuple)):
        kind = type(tensors).__name__
        raise TypeError(f"_foreach_{name}(): argument 'self' (position 1) must be tuple of Tensors, not {kind}")
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for at, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"expected Tensor as element {at} in argument 0, but got {type(tensor).__name__}")


def foreach(name: str) -> Callable[..., Any]:
    """Return the function of an operator, in place if its name ends with an underscore."""

    def function(self: Any, *others: Any, **options: Any) -> Any:
        if name == "pow" and others and not isinstance(self, (list, tuple)):  # a number to the powers of a list
            check_tensors(name, others[0])
            return tuple([self**other for other in others[0]])
        check_tensors(name, self)
        others = (*others, *(options.pop(name_of_option) for name_of_option in POSITIONAL if name_of_option in options))
        columns = [value_per_tensor(name, other, len(self)) for other in others]
        shared = {key: value_per_tensor(name, value, len(self)) for key, value in options.items()}
        results = [
            applied(name, x, [column[at] for column in columns], {key: value[at] for key, value in shared.items()})
            for at, x in enumerate(self)
        ]
        return self if name.endswith("_") else tuple(results)

    function.__name__ = function.__qualname__ = f"_foreach_{name}"
    function.__doc__ = f"`{name}` of each tensor of a list, with what stands at its place in other lists."
    return function


globals().update({f"_foreach_{name}": foreach(name) for name in FOREACH})
_IN_PACKAGE = tuple(f"_foreach_{name}" for name in FOREACH)
