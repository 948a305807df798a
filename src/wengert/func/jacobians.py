"""Jacobians and Hessians of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.containers import mapped, unflatten
from ..autograd.forward_levels import ForwardLevel, check_inexact
from ..autograd.variables import Scope, gradients
from ..ops.shapes.join import stack
from ..tensor import Tensor
from .arguments import Chosen, named, only_tensors, parted
from .forward import JVP, tangent_of
from .reverse import VJP


def check_chunk_size(name: str, chunk_size: int | None) -> None:
    """Refuse parts without anything in them.

    Raises:
        ValueError: the size is not positive.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"{name}: `chunk_size` should be greater than 0.")


def jacrev(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that gives the Jacobian of `func`, row by row: one backward pass for each element of the output.

    Args:
        func: gives tensors, in containers or not; with `has_aux` a tuple of that and anything else.
        argnums: the position of the argument to differentiate by, or a tuple of positions.
        has_aux: give what `func` returns beside its output, too.
        chunk_size: how many rows may be computed at once; they are computed one by one.

    Returns:
        A function of the same arguments: for each output tensor, for each argument tensor, a tensor of the output's
        shape followed by the argument's.

    >>> import wengert as wg
    >>> wg.func.jacrev(lambda x: x**2)(wg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_chunk_size("jacrev", chunk_size)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = Chosen(args, argnums)
        with Scope() as scope:
            variables = [scope.variable(each) for each in chosen.elements]
            output, aux = parted(func(*chosen.replaced(variables), **kwargs), has_aux, VJP)
            outputs, structure = only_tensors(VJP, output)
        create = scope.recording and scope.outlives(outputs)
        blocks = [rows(each, variables, create) for each in outputs]
        closed = [chosen.result([scope.closed(part) for part in block]) for block in blocks]
        result = unflatten(closed, structure)
        return (result, mapped(scope.closed, aux)) if has_aux else result

    return named(func, jacobian)


def rows(output: Any, variables: list[Tensor], create: bool) -> list[Any]:
    """The derivatives of one tensor by all variables."""
    found = []
    for at in range(output.numel()):
        cotangent = output.new_zeros(output.numel())
        cotangent[at] = 1
        found.append(gradients([output], variables, [cotangent.view(output.shape)], True, create))
    return [
        stacked([row[nr] for row in found], output, each).view((*output.shape, *each.shape))
        for nr, each in enumerate(variables)
    ]


def stacked(parts: list[Any], first: Any, second: Any) -> Any:
    """Rows as one tensor; where there are none, an empty one."""
    if parts:
        return stack(parts)
    return first.new_zeros((0, *second.shape))


def jacfwd(
    func: Callable[..., Any],
    argnums: int | tuple[int, ...] = 0,
    has_aux: bool = False,
    *,
    randomness: str = "error",
) -> Callable[..., Any]:
    """A function that gives the Jacobian of `func`, column by column: one run in forward mode for each input element.

    Args:
        func, argnums, has_aux: as for `jacrev`.
        randomness: "error", "different" or "same"; each run draws numbers of its own.

    Returns:
        As for `jacrev`.

    >>> import wengert as wg
    >>> wg.func.jacfwd(lambda x: x**2)(wg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = Chosen(args, argnums)
        if not chosen.elements:
            raise RuntimeError(f"{JVP}: Expected primals to contain at least one Tensor.")
        blocks: list[list[Any]] = []
        for nr in range(len(chosen.elements)):
            columns, structure, aux = columns_of(func, chosen, kwargs, has_aux, nr)
            blocks.append(columns)
        closed = [chosen.result(list(block)) for block in zip(*blocks)]
        result = unflatten(closed, structure)
        return (result, aux) if has_aux else result

    return named(func, jacobian)


def columns_of(
    func: Callable[..., Any], chosen: Chosen, kwargs: dict[str, Any], has_aux: bool, nr: int
) -> tuple[list[Any], Any, Any]:
    """The derivatives of all outputs by element number `nr`, their structure, and what the function returned beside."""
    element = chosen.elements[nr]
    check_element(element)
    columns: list[list[Any]] = []
    for at in range(max(element.numel(), 1)):
        way = element.new_zeros(element.numel())
        if element.numel():
            way[at] = 1
        with ForwardLevel() as level:
            given = list(chosen.elements)
            given[nr] = level.dual(element, way.view(element.shape))
            output, aux = parted(func(*chosen.replaced(given), **kwargs), has_aux, JVP)
            outputs, structure = only_tensors(JVP, output)
            columns.append([tangent_of(level, each, False) for each in outputs])
            values = [level.primal(each) for each in outputs]
            beside = mapped(level.primal, aux)
    made = [
        stack(parts, -1)[..., : element.numel()].reshape((*value.shape, *element.shape))
        for parts, value in zip(map(list, zip(*columns)), values)
    ]
    return made, structure, beside


def check_element(element: Any) -> None:
    """Refuse what has no derivative.

    Raises:
        RuntimeError: it is no tensor.
        ValueError: it is neither floating point nor complex.
    """
    if not isinstance(element, Tensor):
        raise RuntimeError(f"{JVP}: Expected primals to only contain Tensors, got {type(element)}")
    check_inexact("primal", element)


def hessian(func: Callable[..., Any], argnums: int | tuple[int, ...] = 0) -> Callable[..., Any]:
    """A function that gives the Hessian of `func`: forward mode over reverse mode.

    Args:
        func: gives tensors, in containers or not.
        argnums: the position of the argument to differentiate by, or a tuple of positions.

    Returns:
        A function of the same arguments: for each output tensor, for each pair of argument tensors, a tensor of the
        output's shape followed by those of the two arguments.

    >>> import wengert as wg
    >>> wg.func.hessian(lambda x: (x**3).sum())(wg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
