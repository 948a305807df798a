"""Sparse Jacobians and Hessians, as SciPy's sparse arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.containers import flatten
from ...autograd.sparsity.sets import scipy_sparse
from ...autograd.variables import Scope, gradients
from ..arguments import Chosen, named
from ..reverse import check_scalar
from .colouring import column_colours, recovered, star_colours
from .patterns import check_real, hessian_sparsity, jacobian_sparsity
from .products import pulled, pushed

JACOBIAN, HESSIAN = "sparse_jacobian", "sparse_hessian"


class Plan:
    """Plan for the computation of a matrix with a given pattern.

    Attributes:
        pattern: the pattern, in CSR form.
        colours: the colours of its columns, or of its rows.
        by_rows: whether sums of rows are computed, in reverse mode.
        seeds: for each colour a column that is 1 at the columns (or rows) of this colour.
    """

    def __init__(self, pattern: Any, colours: Any, by_rows: bool) -> None:
        self.pattern = pattern
        self.colours = colours
        self.by_rows = by_rows
        self.seeds = np.zeros((len(colours), int(colours.max(initial=0)) + 1))
        self.seeds[np.arange(len(colours)), colours] = 1.0

    def matrix(self, sums: Any) -> Any:
        """Return the sparse array with these sums of columns (or rows)."""
        sparse = scipy_sparse(JACOBIAN)
        pattern = self.pattern.T.tocsr() if self.by_rows else self.pattern
        dtype = np.result_type(sums.dtype, np.float32)  # SciPy has no sparse arrays of half precision
        values = recovered(pattern, self.colours, sums).astype(dtype)
        result = sparse.csr_array((values, pattern.indices.copy(), pattern.indptr.copy()), shape=pattern.shape)
        return result.T.tocsr() if self.by_rows else result


def jacobian_plan(pattern: Any, mode: str | None = None) -> Plan:
    """Return the plan for a mode, or that with fewer products: by columns in forward, by rows in reverse mode."""
    transposed = pattern.T.tocsr()
    if mode is not None:
        by_rows = mode == "reverse"
        return Plan(pattern, column_colours(transposed if by_rows else pattern), by_rows)
    # The columns need at least as many colours as a row has elements, and vice versa.
    least = [int(np.diff(table.indptr).max(initial=0)) for table in (pattern, transposed)]
    plans: list[Plan] = []
    for by_rows in sorted((False, True), key=lambda by_rows: least[by_rows]):
        if not plans or least[by_rows] < plans[0].seeds.shape[1]:
            plans.append(Plan(pattern, column_colours(transposed if by_rows else pattern), by_rows))
    return min(plans, key=lambda plan: plan.seeds.shape[1])


def hessian_plan(pattern: Any) -> Plan:
    """Return the plan for a symmetric matrix."""
    return Plan(pattern, star_colours(pattern), False)


def read_pattern(caller: str, sparsity: Any) -> Any:
    """Return a pattern in CSR form: all stored elements of a sparse array, non-zero elements of a NumPy array.

    Raises:
        TypeError: if `sparsity` is neither.
        ValueError: if it does not have two dimensions.
    """
    sparse = scipy_sparse(caller)
    if not sparse.issparse(sparsity) and not isinstance(sparsity, np.ndarray):
        raise TypeError(
            f"{caller}: expected sparsity to be a sparse array of SciPy or a NumPy array, "
            f"but got {type(sparsity).__name__}"
        )
    if sparsity.ndim != 2:
        raise ValueError(f"{caller}: expected sparsity to have 2 dimensions, but got {sparsity.ndim}")
    array = sparse.coo_array(sparsity)
    ones = np.ones(array.coords[0].size, dtype=bool)
    pattern = sparse.coo_array((ones, array.coords), shape=array.shape).tocsr()
    pattern.sort_indices()
    return pattern


def check_shape(caller: str, pattern: Any, wanted: tuple[int, int], meaning: str) -> None:
    """Refuse a pattern of another shape than the matrix.

    Raises:
        ValueError: if the shapes differ.
    """
    if pattern.shape != wanted:
        raise ValueError(f"{caller}: expected sparsity of shape {wanted} ({meaning}), but got {pattern.shape}")


def sparse_jacobian(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, sparsity: Any = None, mode: str | None = None
) -> Callable[..., Any]:
    """Return a function that computes the Jacobian of `func` as a sparse array, from few products.

    Columns without elements in a common row are computed together in forward mode, or rows in reverse mode, whichever
    takes fewer products. For a band matrix their number is the width of the band, whatever its size.

    Args:
        func: function that returns tensors or containers of tensors.
        argnums: the position of the argument to differentiate with respect to, or a tuple of positions. The arguments
            may be containers of tensors.
        sparsity: the elements that may differ from zero, as a sparse array of SciPy (all stored elements count) or a
            boolean NumPy array, with a row for each element of the output and a column for each element of the
            arguments. A missing element makes others wrong. None to call `jacobian_sparsity` in each call.
        mode: "forward" or "reverse" to force that mode.

    Returns:
        A function of the same arguments that returns a SciPy array (`csr_array`) of that shape, with the dtype of the
        derivatives, and an entry for each element of the pattern.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `sparsity` is not an array, or arguments or outputs are not real floating-point tensors (when
            called).
        ValueError: if `sparsity` does not have two dimensions, `mode` is unknown, or `sparsity` does not fit the
            function (when called).

    Source: see `wengert.func.sparse.colouring`.

    >>> import wengert as wg
    >>> jacobian = wg.func.sparse_jacobian(lambda x: x[1:] * x[:-1])
    >>> jacobian(wg.tensor([1.0, 2.0, 3.0])).toarray()
    array([[2., 1., 0.],
           [0., 3., 2.]], dtype=float32)
    """
    scipy_sparse(JACOBIAN)
    if mode not in (None, "forward", "reverse"):
        raise ValueError(f"{JACOBIAN}: expected mode to be 'forward', 'reverse' or None, but got {mode!r}")
    known = None if sparsity is None else jacobian_plan(read_pattern(JACOBIAN, sparsity), mode)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        chosen = Chosen(args, argnums)
        check_real(JACOBIAN, "argument", chosen.elements)
        plan = known
        if plan is None:
            plan = jacobian_plan(jacobian_sparsity(func, *args, argnums=argnums, **kwargs), mode)
        inputs = [element.detach() for element in chosen.elements]
        count = sum(input_.numel() for input_ in inputs)

        def run(elements: list[Any]) -> list[Any]:
            outputs = flatten(func(*chosen.replaced(elements), **kwargs))[0]
            check_real(JACOBIAN, "output", outputs)
            shape = sum(output.numel() for output in outputs), count
            check_shape(JACOBIAN, plan.pattern, shape, "elements of the output, elements of the arguments")
            return outputs

        if not plan.by_rows:
            check_shape(JACOBIAN, plan.pattern, (plan.pattern.shape[0], count), "elements of the output and arguments")
            return plan.matrix(pushed(run, inputs, plan.seeds))
        with Scope() as scope:
            variables = [scope.variable(input_.clone()) for input_ in inputs]  # inference tensors cannot be recorded
            outputs = run(variables)
        return plan.matrix(pulled(outputs, variables, plan.seeds.T).T)

    return named(func, jacobian, "sparse_jacobian")


def sparse_hessian(
    func: Callable[..., Any], argnums: int | tuple[int, ...] = 0, *, sparsity: Any = None
) -> Callable[..., Any]:
    """Return a function that computes the Hessian of `func` as a sparse array, from few Hessian-vector products.

    Args:
        func: function that returns a 0-dim tensor.
        argnums: the position of the argument to differentiate with respect to, or a tuple of positions.
        sparsity: as for `sparse_jacobian`, with a row and a column for each element of the arguments; symmetric. None
            to call `hessian_sparsity` in each call.

    Returns:
        A function of the same arguments that returns a SciPy array (`csr_array`) of that shape.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `sparsity` is not an array, or arguments or output are not real floating-point tensors (when
            called).
        ValueError: if `sparsity` is not symmetric, or does not fit the function (when called).
        RuntimeError: if the output has dimensions (when called).

    Source: see `wengert.func.sparse.colouring`.

    >>> import wengert as wg
    >>> hessian = wg.func.sparse_hessian(lambda x: (x[1:] * x[:-1] ** 2).sum())
    >>> hessian(wg.tensor([1.0, 2.0, 3.0])).toarray()
    array([[4., 2., 0.],
           [2., 6., 4.],
           [0., 4., 0.]], dtype=float32)
    """
    scipy_sparse(HESSIAN)
    known = None
    if sparsity is not None:
        pattern = read_pattern(HESSIAN, sparsity)
        check_symmetric(HESSIAN, pattern)
        known = hessian_plan(pattern)

    def hessian(*args: Any, **kwargs: Any) -> Any:
        chosen = Chosen(args, argnums)
        check_real(HESSIAN, "argument", chosen.elements)
        plan = known
        if plan is None:
            plan = hessian_plan(hessian_sparsity(func, *args, argnums=argnums, **kwargs))
        count = sum(element.numel() for element in chosen.elements)
        check_shape(HESSIAN, plan.pattern, (count, count), "elements of the arguments, twice")
        with Scope() as scope:
            variables = [scope.variable(element.detach().clone()) for element in chosen.elements]
            output = func(*chosen.replaced(variables), **kwargs)
            check_scalar(output)
            check_real(HESSIAN, "output", [output])
            grads = gradients([output], variables, [None], True, True)
        return plan.matrix(pulled(grads, variables, plan.seeds.T).T)

    return named(func, hessian, "sparse_hessian")


def check_symmetric(caller: str, pattern: Any) -> None:
    """Refuse a pattern that is not symmetric.

    Raises:
        ValueError: if it is not symmetric.
    """
    if pattern.shape[0] != pattern.shape[1]:
        raise ValueError(f"{caller}: expected a square sparsity, but got the shape {pattern.shape}")
    if (pattern != pattern.T.tocsr()).nnz:
        raise ValueError(
            f"{caller}: expected a symmetric sparsity, but it holds elements whose mirror image it does not; "
            "use sparsity + sparsity.T"
        )
