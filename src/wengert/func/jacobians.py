"""Jacobians and Hessians of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd.batches import BatchLevel
from ..autograd.containers import mapped, unflatten
from ..autograd.forward_levels import ForwardLevel, check_inexact
from ..autograd.limits import Limits
from ..autograd.variables import Scope, gradients
from ..ops.shapes.join import cat
from .arguments import Argnums, Chosen, named, only_tensors, parted
from .forward import JVP, tangent_of
from .reverse import VJP, check_differentiable
from .vmap import check_options


def check_chunk_size(name: str, chunk_size: int | None) -> None:
    """Refuse an empty chunk.

    Raises:
        ValueError: if `chunk_size` is not positive.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"{name}: `chunk_size` should be greater than 0.")


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `func` by reverse mode.

    The rows of an output are computed by one batched backward pass.

    Args:
        func: function that returns tensors or containers of tensors; with `has_aux` a tuple of these and any object.
        argnums: the argument to differentiate with respect to, by its position or the name of its parameter, or a tuple
            of these.
        has_aux: also return the auxiliary result of `func`.
        chunk_size: the largest number of rows computed at once; None for all.
        _preallocate_and_copy: copy each chunk into the result at once, rather than joining all chunks at the end; it
            takes half of the memory.

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
        chosen = Chosen(args, argnums, func, kwargs)
        with Limits(recording=True), Scope() as scope:
            variables = [scope.variable(element) for element in chosen.elements]
            output, aux = parted(func(*chosen.replaced(variables), **chosen.kwargs), has_aux, VJP)
            outputs, structure = only_tensors(VJP, output)
            check_differentiable(outputs)
        create = scope.recording and scope.outlives(outputs)
        blocks = [rows(output, variables, create, chunk_size, _preallocate_and_copy) for output in outputs]
        closed = [chosen.result([scope.closed(part) for part in block]) for block in blocks]
        result = unflatten(closed, structure)
        return (result, mapped(scope.closed, aux)) if has_aux else result

    return named(func, jacobian, "jacrev")


def rows(output: Any, variables: list[Tensor], create: bool, chunk_size: int | None, preallocate: bool) -> list[Any]:
    """Return the derivatives of a tensor with respect to all variables, by batched backward passes over chunks."""
    count = output.numel()
    joined: list[Any] = [None] * len(variables)
    parts = []
    for start, length in chunks(count, chunk_size):
        with BatchLevel(length, directions=True) as level:
            units = level.enter(unit_vectors(output, start, length))
            grads = [level.leave(grad) for grad in gradients([output], variables, [units], True, create)]
        if preallocate and length < count:
            joined = [copied(matrix, grad, start, count) for matrix, grad in zip(joined, grads)]
        else:
            parts.append(grads)
    if parts:
        joined = [block[0] if len(block) == 1 else cat(list(block)) for block in zip(*parts)]
    return [matrix.view((*output.shape, *variable.shape)) for matrix, variable in zip(joined, variables)]


def copied(matrix: Any, part: Any, start: int, count: int) -> Any:
    """Copy `part` to the rows from `start` of a Jacobian of `count` rows, which is allocated with the first part."""
    if matrix is None:
        matrix = part.new_zeros((count, *part.shape[1:]))
    matrix.narrow(0, start, part.shape[0]).copy_(part)
    return matrix


def chunks(count: int, chunk_size: int | None) -> list[tuple[int, int]]:
    """Yield start and length of chunks; a single empty one if `count` is 0."""
    step = count if chunk_size is None else chunk_size
    return [(start, min(step, count - start)) for start in range(0, count, max(step, 1))] or [(0, 0)]


def unit_vectors(tensor: Any, start: int, count: int) -> Any:
    """Return `count` unit vectors of the space of a tensor, along a new first dimension."""
    basis = tensor.new_zeros((count, tensor.numel()))
    basis.diagonal(start).fill_(1)
    return basis.view((count, *tensor.shape))


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `func` by forward mode.

    The columns of an input are computed by one batched run.

    Args:
        func, argnums, has_aux: as for `jacrev`.
        randomness: behaviour of random operators, "error", "different" or "same"; see `vmap`.

    Returns:
        As for `jacrev`.

    >>> import wengert as wg
    >>> wg.func.jacfwd(lambda x: x**2)(wg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_options(randomness, None)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = Chosen(args, argnums, func, kwargs)
        if not chosen.elements:
            raise RuntimeError(f"{JVP}: Expected primals to contain at least one Tensor.")
        blocks: list[list[Any]] = []
        for nr in range(len(chosen.elements)):
            columns, structure, aux = columns_of(func, chosen, has_aux, nr, randomness)
            blocks.append(columns)
        closed = [chosen.result(list(block)) for block in zip(*blocks)]
        result = unflatten(closed, structure)
        return (result, aux) if has_aux else result

    return named(func, jacobian, "jacfwd")


def columns_of(
    func: Callable[..., Any], chosen: Chosen, has_aux: bool, nr: int, randomness: str
) -> tuple[list[Any], Any, Any]:
    """Return the derivatives of all outputs with respect to element `nr`, their structure, and the auxiliary result."""
    element = chosen.elements[nr]
    check_element(element)
    values = list(chosen.elements)
    with Limits(), BatchLevel(element.numel(), randomness, True) as batch, ForwardLevel() as level:
        values[nr] = level.dual(element, batch.enter(unit_vectors(element, 0, element.numel())))
        output, aux = parted(func(*chosen.replaced(values), **chosen.kwargs), has_aux, JVP)
        outputs, structure = only_tensors(JVP, output)
        columns = [batch.leave(tangent_of(level, output, False), output.ndim) for output in outputs]
        beside = mapped(level.primal, aux)
    blocks = [column.reshape((*column.shape[:-1], *element.shape)) for column in columns]
    return blocks, structure, beside


def check_element(element: Any) -> None:
    """Refuse an element without a derivative.

    Raises:
        RuntimeError: if it is not a tensor.
        ValueError: if it is neither floating point nor complex.
    """
    if not isinstance(element, Tensor):
        raise RuntimeError(f"{JVP}: Expected primals to only contain Tensors, got {type(element)}")
    check_inexact("primal", element)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """Return a function that computes the Hessian of `func`, by forward mode over reverse mode.

    Args:
        func: function that returns tensors or containers of tensors.
        argnums: the argument to differentiate with respect to, by its position or the name of its parameter, or a tuple
            of these.

    Returns:
        A function of the same arguments: for each output tensor, for each pair of argument tensors, a tensor of the
        output's shape followed by those of the two arguments.

    >>> import wengert as wg
    >>> wg.func.hessian(lambda x: (x**3).sum())(wg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
