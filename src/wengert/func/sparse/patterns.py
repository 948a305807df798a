"""Sparsity patterns of Jacobians and Hessians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._start.boundary import boundary
from ..._tensor import Tensor
from ...autograd.containers import flatten
from ...autograd.sparsity.sets import scipy_sparse
from ...autograd.variables import Scope
from ..arguments import Chosen
from ..reverse import grad


@boundary
def jacobian_sparsity(func: Callable[..., Any], *args: Any, argnums: int | tuple[int, ...] = 0, **kwargs: Any) -> Any:
    """Return the sparsity pattern of the Jacobian of a function: the elements that may differ from zero.

    The function runs once. Sets of input numbers are passed through its operators, so each output gets the inputs that
    it may depend on, whatever their values. If the program branches on values (by `if`, by sorting, by computed index
    tensors), the result holds for the branch taken.

    Args:
        func: function that returns tensors or containers of tensors.
        args, kwargs: the arguments of the function.
        argnums: the position of the argument to differentiate with respect to, or a tuple of positions. The arguments
            may be containers of tensors.

    Returns:
        A boolean SciPy array (`csr_array`) with a row for each element of the output and a column for each element of
        the arguments, with tensors concatenated and each in row-major order.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if arguments or outputs are not real floating-point tensors.

    >>> import wengert as wg
    >>> wg.func.jacobian_sparsity(lambda x: x[1:] * x[:-1], wg.ones(4)).toarray().astype(int)
    array([[1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    from ...autograd.sparsity.tracer import Tracer

    sparse = scipy_sparse("jacobian_sparsity")
    chosen = Chosen(args, argnums)
    check_real("jacobian_sparsity", "argument", chosen.elements)
    with Scope() as scope:
        # Copies: two arguments may share memory, and sets belong to the memory.
        variables = [scope.variable(element.detach().clone()) for element in chosen.elements]
        with Tracer(variables) as tracer:
            outputs = flatten(func(*chosen.replaced(variables), **kwargs))[0]
            check_real("jacobian_sparsity", "output", outputs)
            sets_of_outputs = [tracer.sets_of(output) for output in outputs]
    parts = [
        sparse.csr_array((output.numel(), tracer.count), dtype=bool) if sets is None else sets.matrix
        for output, sets in zip(outputs, sets_of_outputs)
    ]
    pattern = sparse.vstack(parts, format="csr")
    pattern.sort_indices()
    return pattern


@boundary
def hessian_sparsity(func: Callable[..., Any], *args: Any, argnums: int | tuple[int, ...] = 0, **kwargs: Any) -> Any:
    """Return the sparsity pattern of the Hessian of a function: that of the Jacobian of its gradient.

    Args:
        func: function that returns a 0-dim tensor.
        args, kwargs, argnums: as for `jacobian_sparsity`.

    Returns:
        A symmetric boolean SciPy array (`csr_array`) with a row and a column for each element of the arguments.

    >>> import wengert as wg
    >>> wg.func.hessian_sparsity(lambda x: (x[1:] * x[:-1]).sum() + x.sum(), wg.ones(4)).toarray().astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 0]])
    """
    check_real("hessian_sparsity", "argument", Chosen(args, argnums).elements)
    pattern = jacobian_sparsity(grad(func, argnums), *args, argnums=argnums, **kwargs)
    result = (pattern + pattern.T).tocsr()
    result.sort_indices()
    return result


def check_real(caller: str, what: str, elements: list[Any]) -> None:
    """Refuse elements without a real derivative.

    Raises:
        TypeError: if there is no tensor, or something other than real floating-point tensors.
    """
    if not elements:
        raise TypeError(f"{caller}: expected at least one tensor in the {what}, but there is none")
    for element in elements:
        if not isinstance(element, Tensor):
            raise TypeError(f"{caller}: expected the {what} to hold only tensors, but got {type(element).__name__}")
        if element._array_.dtype.kind != "f":
            raise TypeError(f"{caller}: expected real floating-point tensors in the {what}, but got {element.dtype}")
