"""Derivatives of a function of one argument at a point: what all else is made of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ...autograd.containers import flatten, mapped, unflatten
from ...func import jvp as func_jvp, vjp as func_vjp
from .boxes import RUNNING, ArrayBox, boxed, getval, tensor_of


class Traced:
    """A function of arrays in containers as a function of tensors.

    Attributes:
        fun: the function.
        elements: the tensors in its argument.
        structure, made: of the argument and of what the function gave.
    """

    def __init__(self, fun: Callable[..., Any], x: Any) -> None:
        self.fun = fun
        found, self.structure = flatten(x)
        self.elements = [variable_of(each) for each in found]
        self.made: Any = None

    def __call__(self, *tensors: Any) -> Any:
        """What the function gives, as tensors."""
        run = object()
        RUNNING.add(run)
        try:
            answer = self.fun(unflatten([ArrayBox(each) for each in tensors], self.structure))
        finally:
            RUNNING.discard(run)
        elements, self.made = flatten(answer)
        outputs = [output_of(each) for each in elements]
        if not any(isinstance(each, ArrayBox) for each in elements):
            warnings.warn("Output seems independent of input.", stacklevel=5)
        return outputs


def variable_of(value: Any) -> Any:
    """The tensor of something to differentiate by; integers in arrays become floats.

    Raises:
        TypeError: it is neither an array nor a number with a derivative.
    """
    if isinstance(value, ArrayBox):
        return value.tensor
    if isinstance(value, np.ndarray) and value.dtype.kind in "biu":
        value = value.astype(np.float64)
    if isinstance(value, (float, complex, np.inexact)) or (isinstance(value, np.ndarray) and value.dtype.kind in "fc"):
        return tensor_of(value)
    raise TypeError(
        f"Can't differentiate w.r.t. type {type(value)}: expected floats, complex numbers, arrays of them, and lists, "
        "tuples and dictionaries of these"
    )


def output_of(value: Any) -> Any:
    """The tensor of something that a function gave.

    Raises:
        TypeError: it is neither an array nor a number of a type that has derivatives.
    """
    if isinstance(value, (ArrayBox, np.ndarray, np.inexact, float, complex)):
        return tensor_of(value)
    raise TypeError(
        f"Can't find vector space for value {value} of type {type(value)}: the function must give a float, a complex "
        "number, an array, or a list, tuple or dictionary of these"
    )


def fitting(caller: str, given: Any, tensors: list[Any], structure: Any) -> list[Any]:
    """The tensors of gradients or directions that belong to others.

    Raises:
        TypeError: they are not in the same containers.
        ValueError: one has another shape.
    """
    elements, own = flatten(given)
    if own != structure:
        raise TypeError(f"{caller}: expected what has the structure {structure}, but got {own}")
    found = []
    for each, like in zip(elements, tensors):
        tensor = tensor_of(each)
        if tuple(tensor.shape) != tuple(like.shape):
            raise ValueError(f"{caller}: expected an array of shape {tuple(like.shape)}, but got {tuple(tensor.shape)}")
        if tensor.is_complex() and not like.is_complex():
            tensor = tensor.real
        inexact = like.is_complex() or like.is_floating_point()
        found.append(tensor.to(like.dtype) if inexact else tensor)
    return found


def vjp_at(fun: Callable[..., Any], x: Any) -> tuple[Callable[[Any], Any], Any]:
    """The function from gradients of the output to those of the argument at a point, and the output.

    HIPS autograd's gradient by a complex number is the conjugate of torch's.
    """
    traced = Traced(fun, x)
    outputs, back = func_vjp(traced, *traced.elements)

    def vjp(g: Any) -> Any:
        given = fitting("vjp", g, outputs, traced.made)
        found = back([each.conj_physical() for each in given])
        return unflatten([boxed(each.conj_physical()) for each in found], traced.structure)

    return vjp, unflatten([boxed(each) for each in outputs], traced.made)


def jvp_at(fun: Callable[..., Any], x: Any) -> Callable[[Any], tuple[Any, Any]]:
    """The function from a direction to the output and its derivative along it."""
    traced = Traced(fun, x)

    def jvp(v: Any) -> tuple[Any, Any]:
        ways = fitting("jvp", v, traced.elements, traced.structure)
        outputs, moved = func_jvp(traced, tuple(traced.elements), tuple(ways))
        return tuple(unflatten([boxed(each) for each in part], traced.made) for part in (outputs, moved))  # type: ignore[return-value]

    return jvp


def unary_to_nary(operator: Callable[..., Any]) -> Any:
    """Let what differentiates a function of one argument do so by one or several arguments of any function."""

    @wraps(operator)
    def on_function(fun: Callable[..., Any], argnum: Any = 0, *own_args: Any, **own_kwargs: Any) -> Any:
        if not isinstance(argnum, (int, tuple, list)):
            raise TypeError(f"{operator.__name__}: argnum must be an int, or a tuple or list, but got {argnum!r}")

        def derivative(*args: Any, **kwargs: Any) -> Any:
            @wraps(fun, updated=())
            def unary(x: Any) -> Any:
                given = list(args)
                for at, value in [(argnum, x)] if isinstance(argnum, int) else zip(argnum, x):
                    given[at] = value
                return fun(*given, **kwargs)

            x = args[argnum] if isinstance(argnum, int) else tuple(args[at] for at in argnum)
            return operator(unary, x, *own_args, **own_kwargs)

        name = getattr(fun, "__name__", "[unknown name]")
        derivative.__name__ = f"{operator.__name__}_of_{name}_wrt_argnum_{argnum}"
        derivative.__doc__ = (
            f"{operator.__name__} of function {name} with respect to argument number {argnum}. Takes the same "
            f"arguments as {name} but returns the {operator.__name__}."
        )
        return derivative

    del on_function.__wrapped__  # type: ignore[attr-defined]  # its own parameters are what help shall show
    return on_function


def size_of(value: Any) -> int:
    """How many real numbers there are in an output."""
    if isinstance(value, (list, tuple, dict)):
        return sum(size_of(each) for each in flatten(value)[0])
    return int(np.size(value)) * (2 if np.iscomplexobj(value) else 1)


def shape_of(caller: str, value: Any) -> tuple[int, ...]:
    """The shape of an array.

    Raises:
        TypeError: it is a container of several.
    """
    if isinstance(value, (list, tuple, dict)):
        raise TypeError(f"{caller}: needs a function of one array that gives one array, not a {type(value).__name__}")
    return np.shape(value)


def ones_like(value: Any) -> Any:
    """Ones like what is in containers, of a data type with derivatives."""
    return mapped(lambda each: np.ones_like(getval(each), dtype=np.result_type(getval(each), np.float16)), value)
