"""Derivatives of a function of one argument at a point, on which all others are built."""

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
    """A function of containers of arrays as a function of tensors.

    Attributes:
        fun: the function.
        elements: the tensors in its argument.
        structure, answer_structure: structures of the argument and of the result.
    """

    def __init__(self, fun: Callable[..., Any], x: Any) -> None:
        self.fun = fun
        elements, self.structure = flatten(x)
        self.elements = [variable_of(element) for element in elements]
        self.answer_structure: Any = None

    def __call__(self, *tensors: Any) -> Any:
        """Call the function; return its results as tensors."""
        run = object()
        RUNNING.add(run)
        try:
            answer = self.fun(unflatten([ArrayBox(tensor) for tensor in tensors], self.structure))
        finally:
            RUNNING.discard(run)
        elements, self.answer_structure = flatten(answer)
        outputs = [output_of(element) for element in elements]
        if not any(isinstance(element, ArrayBox) for element in elements):
            warnings.warn("Output seems independent of input.", stacklevel=5)
        return outputs


def variable_of(value: Any) -> Any:
    """Return the tensor of an argument of a derivative; integers in arrays become floats.

    Raises:
        TypeError: if the value is neither an array nor a number, or its type has no derivatives.
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
    """Return the tensor of a result.

    Raises:
        TypeError: if the value is neither an array nor a number, or its type has no derivatives.
    """
    if isinstance(value, (ArrayBox, np.ndarray, np.inexact, float, complex)):
        return tensor_of(value)
    raise TypeError(
        f"Can't find vector space for value {value} of type {type(value)}: the function must return a float, a "
        "complex number, an array, or a list, tuple or dictionary of these"
    )


def fitting(caller: str, value: Any, tensors: list[Any], structure: Any) -> list[Any]:
    """Return the tensors of gradients or directions, which must fit other tensors.

    Raises:
        TypeError: if the containers differ.
        ValueError: if a shape differs.
    """
    elements, other_structure = flatten(value)
    if other_structure != structure:
        raise TypeError(f"{caller}: expected what has the structure {structure}, but got {other_structure}")
    fitted = []
    for element, like in zip(elements, tensors):
        tensor = tensor_of(element)
        if tuple(tensor.shape) != tuple(like.shape):
            raise ValueError(f"{caller}: expected an array of shape {tuple(like.shape)}, but got {tuple(tensor.shape)}")
        if tensor.is_complex() and not like.is_complex():
            tensor = tensor.real
        inexact = like.is_complex() or like.is_floating_point()
        fitted.append(tensor.to(like.dtype) if inexact else tensor)
    return fitted


def vjp_at(fun: Callable[..., Any], x: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return the function from gradients of the output to those of the argument at a point, and the output.

    Gradients with respect to complex numbers are the conjugates of torch's, as in HIPS autograd.
    """
    traced = Traced(fun, x)
    outputs, back = func_vjp(traced, *traced.elements)

    def vjp(g: Any) -> Any:
        grads = fitting("vjp", g, outputs, traced.answer_structure)
        grads_of_inputs = back([grad.conj_physical() for grad in grads])
        return unflatten([boxed(grad.conj_physical()) for grad in grads_of_inputs], traced.structure)

    return vjp, unflatten([boxed(output) for output in outputs], traced.answer_structure)


def jvp_at(fun: Callable[..., Any], x: Any) -> Callable[[Any], tuple[Any, Any]]:
    """Return the function from a direction to the output and its derivative along it."""
    traced = Traced(fun, x)

    def jvp(v: Any) -> tuple[Any, Any]:
        directions = fitting("jvp", v, traced.elements, traced.structure)
        outputs, tangents = func_jvp(traced, tuple(traced.elements), tuple(directions))
        return tuple(
            unflatten([boxed(tensor) for tensor in part], traced.answer_structure) for part in (outputs, tangents)
        )

    return jvp


def unary_to_nary(operator: Callable[..., Any]) -> Any:
    """Extend a derivative of functions of one argument to one or several arguments of any function."""

    @wraps(operator)
    def on_function(fun: Callable[..., Any], argnum: Any = 0, *own_args: Any, **own_kwargs: Any) -> Any:
        if not isinstance(argnum, (int, tuple, list)):
            raise TypeError(f"{operator.__name__}: argnum must be an int, or a tuple or list, but got {argnum!r}")

        def derivative(*args: Any, **kwargs: Any) -> Any:
            @wraps(fun, updated=())
            def unary(x: Any) -> Any:
                values = list(args)
                for position, value in [(argnum, x)] if isinstance(argnum, int) else zip(argnum, x):
                    values[position] = value
                return fun(*values, **kwargs)

            x = args[argnum] if isinstance(argnum, int) else tuple(args[position] for position in argnum)
            return operator(unary, x, *own_args, **own_kwargs)

        name = getattr(fun, "__name__", "[unknown name]")
        derivative.__name__ = f"{operator.__name__}_of_{name}_wrt_argnum_{argnum}"
        derivative.__doc__ = (
            f"{operator.__name__} of function {name} with respect to argument number {argnum}. Takes the same "
            f"arguments as {name} but returns the {operator.__name__}."
        )
        return derivative

    del on_function.__wrapped__  # help shall show its own parameters
    return on_function


def size_of(value: Any) -> int:
    """Number of real numbers in an output."""
    if isinstance(value, (list, tuple, dict)):
        return sum(size_of(element) for element in flatten(value)[0])
    return int(np.size(value)) * (2 if np.iscomplexobj(value) else 1)


def shape_of(caller: str, value: Any) -> tuple[int, ...]:
    """Return the shape of an array.

    Raises:
        TypeError: if the value is a container.
    """
    if isinstance(value, (list, tuple, dict)):
        raise TypeError(f"{caller}: needs a function of one array that returns one array, not a {type(value).__name__}")
    return np.shape(value)


def ones_like(value: Any) -> Any:
    """Return ones like the elements of containers, of a data type with derivatives."""
    return mapped(
        lambda element: np.ones_like(getval(element), dtype=np.result_type(getval(element), np.float16)), value
    )
