"""Gradients of functions, by reverse mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

from .._start.boundary import boundary
from .._tensor import Tensor
from ..autograd import is_grad_enabled
from ..autograd.containers import flatten, mapped, unflatten
from ..autograd.limits import Limits
from ..autograd.variables import Scope, gradients
from .arguments import Argnums, Chosen, named, only_tensors, parted

R = TypeVar("R")
GRAD = "grad_and_value(f)(*args)"
VJP = "vjp(f, *primals)"


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `func`.

    Args:
        func: function that returns a 0-dim tensor; with `has_aux` a tuple of that and any object.
        argnums: the argument to differentiate with respect to, by its position or the name of its parameter, or a tuple
            of these. Arguments may be tensors, Python floats, NumPy arrays, or dictionaries, lists and tuples of these.
        has_aux: also return the auxiliary result of `func`.

    Returns:
        A function of the same arguments that returns the gradient, of the argument's structure (a tuple for a tuple of
        positions); with `has_aux` a tuple of that and the auxiliary result.

    Raises:
        RuntimeError: if `func` returns something else, or `argnums` do not fit (when called).
        ValueError: if an element of these arguments is not a tensor (when called).

    >>> import wengert as wg
    >>> cube = lambda x: x**3
    >>> wg.func.grad(cube)(wg.tensor(2.0))
    tensor(12.)
    >>> wg.func.grad(wg.func.grad(cube))(wg.tensor(2.0))
    tensor(12.)
    """
    both = grad_and_value(func, argnums, has_aux)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return named(func, gradient, "grad")


@overload
def grad_and_value(
    func: Callable[..., R], argnums: Argnums = 0, has_aux: Literal[False] = False
) -> Callable[..., tuple[Any, R]]: ...


@overload
def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, *, has_aux: bool) -> Callable[..., Any]: ...


@overload
def grad_and_value(func: Callable[..., Any], argnums: Argnums, has_aux: bool) -> Callable[..., Any]: ...


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return a function that computes the gradient of `func` and its value, in one run.

    Args:
        func, argnums, has_aux: as for `grad`.

    Returns:
        A function of the same arguments that returns a tuple of the gradient and the value; with `has_aux` the second
        is a tuple of the value and the auxiliary result.

    >>> import wengert as wg
    >>> wg.func.grad_and_value(lambda x: x**3)(wg.tensor(2.0))
    (tensor(12.), tensor(8.))
    """

    def gradient_and_value(*args: Any, **kwargs: Any) -> Any:
        chosen = Chosen(args, argnums, func, kwargs)
        with Limits(recording=True), Scope() as scope:
            variables = [scope.variable(element) for element in chosen.elements]
            output, aux = parted(func(*chosen.replaced(variables), **chosen.kwargs), has_aux, GRAD)
            check_scalar(output)
        create = scope.recording and scope.outlives([output])
        grads = gradients([output], variables, [None], create, create)
        result = chosen.result([scope.closed(grad) for grad in grads])
        value = scope.parted(output, create)
        return result, (value, mapped(scope.closed, aux)) if has_aux else value

    return named(func, gradient_and_value, "grad_and_value")


def check_scalar(output: Any) -> None:
    """Refuse an output that has no gradient.

    Raises:
        RuntimeError: if it is not a tensor, or has dimensions.
    """
    if not isinstance(output, Tensor):
        raise RuntimeError(f"{GRAD}: Expected f(*args) to return a Tensor, got {type(output)}")
    if output.ndim:
        raise RuntimeError(
            f"{GRAD}: Expected f(*args) to return a scalar Tensor, got tensor with {output.ndim} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )


@overload
def vjp(
    func: Callable[..., R], *primals: Any, has_aux: Literal[False] = False
) -> tuple[R, Callable[..., tuple[Any, ...]]]: ...


@overload
def vjp(
    func: Callable[..., tuple[R, Any]], *primals: Any, has_aux: Literal[True]
) -> tuple[R, Callable[..., tuple[Any, ...]], Any]: ...


@boundary
def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return the value of a function, and its vector-Jacobian product as a function of cotangents.

    Args:
        func: function that returns tensors or containers of tensors; with `has_aux` a tuple of these and any object.
        primals: the arguments, tensors or containers of tensors.
        has_aux: also return the auxiliary result of `func`.

    Returns:
        The output, and a function that takes cotangents of the output's structure (for a tuple either that or its
        elements) and returns a tuple with the gradient for each of `primals`. It can be called any number of times.
        With `has_aux` the auxiliary result is third.

    Raises:
        RuntimeError: if `func` returns nothing, something other than tensors, or a tensor of integers or bools; in the
            second function, if cotangents do not fit.

    >>> import wengert as wg
    >>> value, back = wg.func.vjp(wg.sin, wg.tensor([0.0, 1.0]))
    >>> back(wg.ones(2))
    (tensor([1.0000, 0.5403]),)
    """
    chosen = Chosen(primals, tuple(range(len(primals)))) if primals else None
    with Limits(recording=True), Scope() as scope:
        variables = [scope.variable(element) for element in chosen.elements] if chosen else []
        output, aux = parted(func(*(chosen.replaced(variables) if chosen else ())), has_aux, VJP)
        outputs, structure = only_tensors(VJP, output)
        check_differentiable(outputs)

    def back(*cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        values = fitting(cotangents, structure)
        recording = is_grad_enabled() if create_graph is None else create_graph
        create = recording and (
            scope.outlives(outputs) or any(isinstance(value, Tensor) and value.requires_grad for value in values)
        )
        grads = gradients(outputs, variables, values, retain_graph, create)
        if not create:
            grads = [scope.closed(grad) for grad in grads]
        return chosen.result(grads) if chosen else ()

    result = unflatten([scope.closed(output) for output in outputs], structure)
    back = boundary(back, "vjp")
    return (result, back, mapped(scope.closed, aux)) if has_aux else (result, back)


def check_differentiable(outputs: list[Any]) -> None:
    """Refuse outputs that have no derivative.

    Raises:
        RuntimeError: if an output is neither floating point nor complex.
    """
    for output in outputs:
        if not output.is_floating_point() and not output.is_complex():
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{output.dtype}"
            )


def fitting(cotangents: tuple[Any, ...], structure: Any) -> list[Any]:
    """Return the cotangents of all outputs.

    Raises:
        RuntimeError: if they do not have the output's structure.
    """
    cotangent = cotangents[0] if len(cotangents) == 1 else cotangents
    elements, other_structure = flatten(cotangent)
    if other_structure != structure:
        elements, other = flatten(cotangents)
        if other != structure:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                "function. "
                f"cotangents: {other_structure}, primal output: {structure}"
            )
    return elements
