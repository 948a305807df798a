"""Derivatives of functions, with the names and conventions of HIPS autograd."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np

from .boxes import getval
from .extend import defjvp_argnum, defvjp_argnum, primitive
from .products import jvp_at, ones_like, shape_of, size_of, unary_to_nary, vjp_at

SCALAR = "{} only applies to real scalar-output functions. Try jacobian, elementwise_grad or holomorphic_grad."


@unary_to_nary
def make_vjp(fun: Any, x: Any) -> Any:
    """Return a function from gradients of the output to those of the argument, and the output."""
    return vjp_at(fun, x)


@unary_to_nary
def make_jvp(fun: Any, x: Any) -> Any:
    """Return a function from a direction to the output and its derivative along the direction."""
    return jvp_at(fun, x)


@unary_to_nary
def make_jvp_reversemode(fun: Any, x: Any) -> Any:
    """Return a function from a direction to the derivative along it, by reverse mode applied twice."""
    vjp, value = vjp_at(fun, x)
    return vjp_at(vjp, np.zeros_like(value))[0]


@unary_to_nary
def grad(fun: Any, x: Any) -> Any:
    """Gradient of a function that returns a real number, in the structure of the argument.

    >>> import wengert.compat.hips.numpy as np
    >>> grad(lambda x: np.sum(np.tanh(x) ** 2))(np.array([0.0, 1.0]))
    array([0.        , 0.63970001])
    """
    vjp, value = vjp_at(fun, x)
    if size_of(value) != 1:
        raise TypeError(SCALAR.format("Grad"))
    return vjp(ones_like(value))


@unary_to_nary
def value_and_grad(fun: Any, x: Any) -> Any:
    """Value and gradient of a function that returns a real number."""
    vjp, value = vjp_at(fun, x)
    if size_of(value) != 1:
        raise TypeError(SCALAR.format("value_and_grad"))
    return value, vjp(ones_like(value))


@unary_to_nary
def grad_and_aux(fun: Any, x: Any) -> Any:
    """Gradient of the first of two outputs, and the second output."""
    vjp, (value, aux) = vjp_at(lambda x: tuple(fun(x)), x)
    return vjp((ones_like(value), np.zeros_like(aux))), aux


@unary_to_nary
def elementwise_grad(fun: Any, x: Any) -> Any:
    """Gradient of the sum of all outputs; for an elementwise function, its derivative."""
    vjp, value = vjp_at(fun, x)
    if np.iscomplexobj(value):
        raise TypeError("Elementwise_grad only applies to real-output functions.")
    return vjp(ones_like(value))


@unary_to_nary
def deriv(fun: Any, x: Any) -> Any:
    """Derivative along a direction of ones, by forward mode."""
    return jvp_at(fun, x)(ones_like(x))[1]


@unary_to_nary
def holomorphic_grad(fun: Any, x: Any) -> Any:
    """Complex derivative of a holomorphic function that returns a number."""
    if not np.iscomplexobj(getval(x)):
        warnings.warn("Input to holomorphic_grad is not complex", stacklevel=3)
    return grad(lambda x: np.real(fun(x)))(x)


@unary_to_nary
def jacobian(fun: Any, x: Any) -> Any:
    """Derivatives of all outputs: an array of the output's shape followed by the argument's."""
    vjp, value = vjp_at(fun, x)
    shape = (*shape_of("jacobian", value), *shape_of("jacobian", x))
    if np.iscomplexobj(value):
        raise TypeError(
            "jacobian: the function must return a real array, but it returned a complex one; take its parts"
        )
    flat = np.eye(np.size(value), dtype=np.result_type(value))
    rows = [vjp(row.reshape(np.shape(value))) for row in flat]
    return np.reshape(np.stack(rows), shape) if rows else np.zeros(shape)


@unary_to_nary
def hessian(fun: Any, x: Any) -> Any:
    """Second derivatives: the Jacobian of the Jacobian.

    >>> import wengert.compat.hips.numpy as np
    >>> hessian(lambda x: np.sum(x**3))(np.array([1.0, 2.0]))
    array([[ 6.,  0.],
           [ 0., 12.]])
    """
    return jacobian(jacobian(fun))(x)


@unary_to_nary
def make_hvp(fun: Any, x: Any) -> Any:
    """Return a function from vectors to their products with the Hessian at a point, and the gradient there."""
    return vjp_at(grad(fun), x)


def grad_named(fun: Callable[..., Any], argname: str) -> Callable[..., Any]:
    """Gradient with respect to the argument of a name."""
    return grad(fun, list(signature(fun).parameters).index(argname))


def hessian_tensor_product(fun: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """Return a function of the arguments and a tensor of the shape of one of them: the Hessian times that tensor."""
    gradient = grad(fun, argnum)

    def along(*args: Any, **kwargs: Any) -> Any:
        args, way = args[:-1], args[-1]
        return np.tensordot(gradient(*args, **kwargs), way, np.ndim(way))

    return grad(along, argnum)


hessian_vector_product = hessian_tensor_product


def tensor_jacobian_product(fun: Callable[..., Any], argnum: int = 0) -> Callable[..., Any]:
    """Return a function of the arguments and a tensor: that tensor times the Jacobian."""

    def along(*args: Any, **kwargs: Any) -> Any:
        args, way = args[:-1], args[-1]
        return np.tensordot(way, fun(*args, **kwargs), np.ndim(way))

    return jacobian(along, argnum)


vector_jacobian_product = tensor_jacobian_product


def half_square(x: Any) -> Any:
    """Half the sum of squares, the default outer function of Gauss-Newton matrices."""
    return 0.5 * np.sum(x**2, axis=-1)


def make_ggnvp(f: Callable[..., Any], g: Callable[..., Any] = half_square, f_argnum: int = 0) -> Callable[..., Any]:
    """Return a function from vectors to their products with the generalised Gauss-Newton matrix J' H J.

    Args:
        f: the inner function, with the Jacobian J.
        g: the outer function, which returns a number, with the Hessian H at the output of `f`.
        f_argnum: position of the argument of `f`.
    """

    @unary_to_nary
    def make(f: Any, x: Any) -> Any:
        vjp, value = vjp_at(f, x)
        curvature, gradient = vjp_at(grad(g), value)
        jvp = vjp_at(vjp, np.zeros_like(gradient))[0]
        return lambda v: vjp(curvature(jvp(v)))

    return make(f, f_argnum)


def multigrad_dict(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Gradients with respect to all arguments, in a dictionary by their names; defaults are arguments, too."""
    parameters = signature(fun).parameters
    several = next((name for name, parameter in parameters.items() if parameter.kind is Parameter.VAR_POSITIONAL), None)
    keywords = next((name for name, parameter in parameters.items() if parameter.kind is Parameter.VAR_KEYWORD), None)
    only = [name for name, parameter in parameters.items() if parameter.kind is Parameter.KEYWORD_ONLY]

    def call(values: dict[str, Any]) -> Any:
        single = [values[name] for name in parameters if name not in (several, keywords, *only)]
        named = {name: values[name] for name in only} | (values[keywords] if keywords else {})
        return fun(*single, *(values[several] if several else ()), **named)

    def gradients(*args: Any, **kwargs: Any) -> Any:
        bound = signature(fun).bind(*args, **kwargs)
        bound.apply_defaults()
        grads = grad(call)(dict(bound.arguments))
        return OrderedDict((name, grads[name]) for name in parameters)

    return gradients


def checkpoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that saves no intermediate results, and computes them again for its gradient."""
    wrapped = primitive(fun)
    defvjp_argnum(wrapped, lambda argnum, ans, args, kwargs: make_vjp(fun, argnum)(*args, **kwargs)[0])
    # Within a rule for tangents no level of forward mode can start.
    defjvp_argnum(wrapped, lambda argnum, g, ans, args, kwargs: make_jvp_reversemode(fun, argnum)(*args, **kwargs)(g))
    return wrapped
