"""Arguments that a transform differentiates with respect to, and checks of outputs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from .._start.boundary import boundary
from .._tensor import Tensor
from ..autograd.containers import flatten, unflatten
from ..ops.create.interchange import as_tensor

Argnums = int | str | tuple[int | str, ...]
"""Positions or names of arguments."""


def tensor_of(value: Any) -> Any:
    """Return a Python float or complex number, or a NumPy array or scalar, as a tensor; anything else unchanged.

    torch refuses these. Integers are left out, since they have no derivative.
    """
    return as_tensor(value) if isinstance(value, (float, complex, np.ndarray, np.generic)) else value


def is_named(argnums: Any) -> bool:
    """Return whether `argnums` holds a name."""
    return isinstance(argnums, str) or (isinstance(argnums, tuple) and any(isinstance(name, str) for name in argnums))


def positions_of(
    func: Callable[..., Any], argnums: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """Return `argnums` with positions for names, and the arguments of the call with these by position.

    Raises:
        RuntimeError: if a name is not that of a positional parameter of `func`, or its argument was not passed.
    """
    bound = inspect.signature(func).bind(*args, **kwargs)
    positional = [name for name in bound.arguments if is_positional(bound.signature.parameters[name])]

    def position(argnum: Any) -> Any:
        if not isinstance(argnum, str):
            return argnum
        if argnum not in positional:
            raise RuntimeError(
                "argnums must be int or Tuple[int, ...], or names of positional arguments that were passed "
                f"({', '.join(positional)}), got: {argnum!r}"
            )
        return positional.index(argnum)

    places = tuple(map(position, argnums)) if isinstance(argnums, tuple) else position(argnums)
    return places, bound.args, bound.kwargs


def is_positional(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter can be passed by position, and takes one argument."""
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


def check_argnums(argnums: Any, count: int) -> tuple[int, ...]:
    """Return the positions of the arguments, counted from the front.

    Raises:
        RuntimeError: if `argnums` is neither an integer nor a tuple of distinct integers, or out of range.
    """
    if not isinstance(argnums, (int, tuple)) or isinstance(argnums, bool):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    wanted = (argnums,) if isinstance(argnums, int) else argnums
    if not wanted:
        raise RuntimeError("argnums must be non-empty")
    places = []
    for argnum in wanted:
        if not isinstance(argnum, int) or isinstance(argnum, bool):
            raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {wanted}")
        if not -count <= argnum < count:
            raise RuntimeError(f"Got argnum={argnum}, but only {count} positional inputs")
        places.append(argnum % count)
    if len(set(places)) != len(places):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return tuple(places)


class Chosen:
    """The arguments that a transform differentiates with respect to.

    Attributes:
        elements: the tensors in them, from left to right.
        kwargs: the arguments that stay keywords.
    """

    def __init__(
        self,
        args: tuple[Any, ...],
        argnums: Any,
        func: Callable[..., Any] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        if func is not None and is_named(argnums):
            argnums, args, kwargs = positions_of(func, argnums, args, kwargs or {})
        self.args = args
        self.kwargs = kwargs or {}
        self.places = check_argnums(argnums, len(args))
        self.single = not isinstance(argnums, tuple)
        self.parts = [flatten(args[place]) for place in self.places]
        self.elements = [tensor_of(element) for elements, _ in self.parts for element in elements]

    def replaced(self, elements: list[Any]) -> list[Any]:
        """Return all arguments, with new elements in the chosen ones."""
        args = list(self.args)
        for place, part in zip(self.places, self.grouped(elements)):
            args[place] = part
        return args

    def grouped(self, elements: list[Any]) -> list[Any]:
        """Return for each chosen argument a container of its structure with these elements."""
        start, groups = 0, []
        for part, structure in self.parts:
            groups.append(unflatten(elements[start : start + len(part)], structure))
            start += len(part)
        return groups

    def result(self, elements: list[Any]) -> Any:
        """Return the containers for the chosen arguments: a single one, or a tuple for a tuple of positions."""
        results = self.grouped(elements)
        return results[0] if self.single else tuple(results)


def parted(result: Any, has_aux: bool, name: str) -> tuple[Any, Any]:
    """Return the output of a function and its auxiliary result.

    Raises:
        RuntimeError: if `has_aux`, and the result is not a tuple of two.
    """
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(f"{name}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return result


def only_tensors(name: str, output: Any) -> tuple[list[Any], Any]:
    """Return the tensors in a function's output, and its structure.

    Raises:
        RuntimeError: if the output is empty, or has elements that are not tensors.
    """
    elements, structure = flatten(output)
    if not elements or output is None:
        raise RuntimeError(
            f"{name}: Expected f to be a function that has non-empty output (got output = {elements}). "
            "Return the tensors whose derivatives are wanted"
        )
    for element in elements:
        if not isinstance(element, Tensor):
            raise RuntimeError(
                f"{name}: expected f(*primals) to return only tensors, got unsupported type {type(element)}"
            )
    return elements, structure


def named(function: Callable[..., Any], wrapper: Callable[..., Any], transform: str) -> Callable[..., Any]:
    """Return the wrapper with the name and docstring of the function, if that has them.

    It is a boundary of tracebacks, with the name of the transform.
    """
    wrapper = boundary(wrapper, transform)
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        if hasattr(function, attribute):
            setattr(wrapper, attribute, getattr(function, attribute))
    wrapper.__wrapped__ = function  # type: ignore[attr-defined]
    return wrapper
