"""Directional derivatives of functions, by forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

from .._start.boundary import boundary
from .._tensor import Tensor
from ..autograd.containers import flatten, mapped, unflatten
from ..autograd.forward_levels import ForwardLevel, check_inexact, check_shape
from ..autograd.limits import Limits
from ..autograd.variables import Scope, gradients
from .arguments import only_tensors, parted, tensor_of

R = TypeVar("R")
JVP = "jvp(f, primals, tangents)"


@overload
def jvp(
    func: Callable[..., R], primals: Any, tangents: Any, *, strict: bool = False, has_aux: Literal[False] = False
) -> tuple[R, R]: ...


@overload
def jvp(
    func: Callable[..., tuple[R, Any]], primals: Any, tangents: Any, *, strict: bool = False, has_aux: Literal[True]
) -> tuple[R, R, Any]: ...


@boundary
def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """Return the value of a function and its derivative along a direction (the Jacobian-vector product).

    Args:
        func: function that returns tensors or containers of tensors; with `has_aux` a tuple of these and any object.
        primals: tuple of the arguments, tensors or containers of tensors.
        tangents: the direction, of the same structure.
        strict: refuse an output that does not depend on `primals`, instead of returning zeros.
        has_aux: also return the auxiliary result of `func`.

    Returns:
        The output and its derivative along the direction, of the same structure; with `has_aux` the auxiliary result is
        third.

    Raises:
        RuntimeError: if the structures differ, or `func` returns something other than tensors.

    >>> import wengert as wg
    >>> wg.func.jvp(wg.sin, (wg.tensor([0.0, 1.0]),), (wg.ones(2),))
    (tensor([0.0000, 0.8415]), tensor([1.0000, 0.5403]))
    """
    elements, directions, structure = read(primals, tangents)
    with Limits(), ForwardLevel() as level:
        duals = [level.dual(element, direction) for element, direction in zip(elements, directions)]
        output, aux = parted(func(*unflatten(duals, structure)), has_aux, JVP)
        outputs, result_structure = only_tensors(JVP, output)
        moved = [tangent_of(level, output, strict) for output in outputs]
        values = [level.primal(output) for output in outputs]
        beside = mapped(level.primal, aux)
    result = unflatten(values, result_structure), unflatten(moved, result_structure)
    return (*result, beside) if has_aux else result


def read(primals: Any, tangents: Any) -> tuple[list[Any], list[Any], Any]:
    """Return the elements of primals and tangents, and their common structure.

    Raises:
        RuntimeError: if the structures differ, `primals` or `tangents` is not a tuple, or an element is not a tensor.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    elements, structure = flatten(primals)
    directions, other = flatten(tangents)
    if structure != other:
        raise RuntimeError(
            f"{JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure} and tangents with "
            f"structure {other}"
        )
    elements = list(map(tensor_of, elements))
    directions = [direction_of(direction, element) for direction, element in zip(directions, elements)]
    for name, parts in (("primals", elements), ("tangents", directions)):
        if not parts:
            raise RuntimeError(f"{JVP}: Expected {name} to contain at least one Tensor.")
        for part in parts:
            if not isinstance(part, Tensor):
                raise RuntimeError(f"{JVP}: Expected {name} to only contain Tensors, got {type(part)}")
            check_inexact(name[:-1], part)
    for part, direction in zip(elements, directions):
        check_shape(part, direction)
    return elements, directions, structure


def direction_of(direction: Any, primal: Any) -> Any:
    """Return a Python float or complex number as a tensor of the primal's dtype, an array as a tensor of its own."""
    tensor = tensor_of(direction)
    if isinstance(direction, (float, complex)) and isinstance(primal, Tensor):
        return tensor.to(primal.dtype)
    return tensor


def tangent_of(level: Any, output: Tensor, strict: bool) -> Any:
    """Return the tangent of an output; zeros if it does not depend on the primals.

    Raises:
        RuntimeError: if it does not depend on the primals, and `strict`.
    """
    tangent = level.tangent(output)
    if tangent is not None:
        return tangent
    if strict:
        raise RuntimeError(
            "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not allowed "
            "with strict=True."
        )
    return output.new_zeros(output.shape)


@boundary
def linearize(func: Callable[..., R], *primals: Any) -> tuple[R, Callable[..., R]]:
    """Return the value of a function, and its derivative as a linear function that does not run it again.

    The derivative comes from the recorded graph: it is the gradient, with respect to the cotangent, of the product of
    the gradient and a direction.

    Args:
        func: function that returns tensors or containers of tensors; other elements are constants.
        primals: the arguments, tensors or containers of tensors.

    Returns:
        The output, and a function that takes a direction for each of `primals` and returns the derivative, of the
        output's structure: zeros for tensors of integers or bools, and constants unchanged.

    Raises:
        ValueError: if one of `primals` is not a tensor, or a tensor of integers or bools.
        NotImplementedError: if `func` returns something other than tensors, None, numbers and strings.

    >>> import wengert as wg
    >>> value, along = wg.func.linearize(wg.sin, wg.tensor([0.0, 1.0]))
    >>> along(wg.ones(2)), along(wg.tensor([0.0, 2.0]))
    (tensor([1.0000, 0.5403]), tensor([0.0000, 1.0806]))
    """
    elements, structure = flatten(primals)
    elements = list(map(tensor_of, elements))
    for element in elements:
        if isinstance(element, Tensor):
            check_inexact("primal", element)
    with Limits(recording=True), Scope() as scope:
        variables = [scope.variable(element) for element in elements]
        everything, result_structure = flatten(func(*unflatten(variables, structure)))
        for output in everything:
            check_constant(output)
        outputs = [output for output in everything if depends_smoothly(output)]
        weights = [scope.variable(output.new_zeros(output.shape)) for output in outputs]
        grads = gradients(outputs, variables, weights, True, True)

    def along(*tangents: Any) -> Any:
        directions, other = flatten(tangents)
        if structure != other:
            raise RuntimeError(f"Expected the tangents {other} to have the same argspec as the primals {structure}")
        check_tangents(directions, variables)
        create = scope.recording and (
            scope.outlives(outputs) or any(direction.requires_grad for direction in directions)
        )
        moved = iter(gradients(grads, weights, directions, True, create))
        return unflatten(
            [next(moved) if depends_smoothly(output) else unmoved(output) for output in everything], result_structure
        )

    return unflatten([scope.closed(output) for output in everything], result_structure), boundary(along, "linearize")


def depends_smoothly(output: Any) -> bool:
    """Return whether a part of an output can have a derivative: a floating-point or complex tensor."""
    return isinstance(output, Tensor) and (output.is_floating_point() or output.is_complex())


def check_constant(output: Any) -> None:
    """Refuse a part of an output that is neither a tensor nor a constant.

    Raises:
        NotImplementedError: if it is anything but None, a number, a string or a tensor.
    """
    if output is not None and not isinstance(output, (Tensor, bool, int, float, complex, str)):
        raise NotImplementedError(
            f"linearize(f, *primals): expected f(*primals) to return tensors and constants, got argument of type: "
            f"{type(output)}"
        )


def unmoved(output: Any) -> Any:
    """Return the derivative of a part of the output without derivative: zeros, or the constant itself."""
    return output.new_zeros(output.shape) if isinstance(output, Tensor) else output


def check_tangents(tangents: list[Any], primals: list[Any]) -> None:
    """Refuse directions that are not tensors, or not of the shapes and dtypes of the arguments.

    Raises:
        RuntimeError: if a shape or a dtype differs.
        TypeError: if a direction is not a tensor.
    """
    for at, (tangent, primal) in enumerate(zip(tangents, primals)):
        if not isinstance(tangent, Tensor):
            raise TypeError(f"linearize: expected tangents to be tensors, but got {type(tangent).__name__}")
        for attribute in ("shape", "dtype"):
            actual, wanted = getattr(tangent, attribute), getattr(primal, attribute)
            if actual != wanted:
                raise RuntimeError(
                    f"tangent:{at} with {attribute} {actual} in flattened pytree doesn't match the "
                    f"{attribute} {wanted} of the corresponding primal."
                )
