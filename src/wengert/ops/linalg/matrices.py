"""Families, checks and batching rules that operators on matrices share."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core import errors
from ..._core.cards.card import composite, op
from ..._core.operators.batch_rules import Rule, check_member, full
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..dtype_checks import refuse
from .products import type_name as type_name

FACTORED = frozenset({dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128})
"""Dtypes that LAPACK supports."""


class _LinAlgError(RuntimeError):
    """Error for a matrix that cannot be inverted, factored or decomposed; torch's name for `linalg.LinAlgError`."""

    __module__ = "wengert._C"


LinAlgError = _LinAlgError


def check_matrix(name: str, array: Any, argument: str = "A") -> None:
    """Refuse arrays of fewer than two dimensions.

    Raises:
        RuntimeError: if the array has fewer dimensions.
    """
    if array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(name: str, array: Any) -> None:
    """Refuse anything but batches of square matrices.

    Raises:
        RuntimeError: if the array is not a batch of square matrices.
    """
    check_matrix(name, array)
    rows, columns = array.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")


def check_inexact(name: str, array: Any, kernel: str = "", *, whole: bool = True) -> None:
    """Refuse integers and half precision.

    Args:
        name: name of the operator.
        kernel: name of torch's kernel without half precision; without it the error is worded differently.
        whole: words of the error for integers.

    Raises:
        RuntimeError: if `array` is of an integer or half-precision dtype.
    """
    kind = array.dtype.kind
    if kind not in "fcV" and (whole or not kernel):
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {type_name(array)}")
    if dtypes.from_numpy(array.dtype) in FACTORED:
        return
    if kernel:
        refuse(name, kernel, array)
    raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {type_name(array)}")


def check_same_dtype(name: str, a: Any, b: Any, first: str = "A", second: str = "B") -> None:
    """Refuse arrays of different dtypes.

    Raises:
        RuntimeError: if the dtypes differ.
    """
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name}: Expected {first} and {second} to have the same dtype, but found {first} of type {type_name(a)} "
            f"and {second} of type {type_name(b)} instead"
        )


def raise_first(name: str, info: Any, words: str) -> None:
    """Raise an error for the first matrix that failed.

    Args:
        info: for each matrix 0, or the place of the failure, from 1.
        words: the message, with `{}` for the place.

    Raises:
        LinAlgError: if a matrix failed.
    """
    if not info.any():
        return
    at = int(info.reshape(-1).nonzero()[0][0])
    batch = f"(Batch element {at}): " if info.ndim else ""
    raise LinAlgError(f"{name}: {batch}{words.format(int(info.reshape(-1)[at]))}")


def adjoint(tensor: Any) -> Any:
    """Return the adjoint of matrices."""
    turned = tensor.transpose(-2, -1)
    return conjugate(turned)


def diagonal(tensor: Any) -> Any:
    """The diagonals of matrices."""
    return tensor.diagonal(0, -2, -1)


def first_columns(matrix: Any) -> Any:
    """Return the first columns of the identity, as many as the matrices have."""
    rows, columns = matrix.shape[-2:]
    return matrix.new_ones(max(rows, columns)).diag()[:rows, :columns].expand(matrix.shape)


def stacked(*cores: int) -> Rule:
    """Batching rule of an operator whose tensors are batches already.

    Args:
        cores: number of dimensions of an item of each tensor; the dimensions before these broadcast.
    """

    def apply(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        operands = full(args, carried, size)
        depths = {}
        for at, core in zip(op.tensor_slots, cores):
            if isinstance(operands[at], Tensor):
                depths[at] = operands[at]._array_.ndim - 1 - core
        if min(depths.values()) < 0:
            check_member(op, size, args, carried)
        for at, depth in depths.items():
            missing = max(depths.values()) - depth
            if missing:
                shape = operands[at]._array_.shape
                operands[at] = operands[at].reshape((shape[0], *(1,) * missing, *shape[1:]))
        if op.several and not size:  # the shape of an empty result does not show whether it was computed
            single = op.call(tuple([unit_member(item) if isinstance(item, Tensor) else item for item in operands]))
            return tuple([with_members(item, 1).narrow(0, 0, 0) for item in single])
        result = op.call(tuple(operands))
        return tuple([with_members(item, size) for item in result]) if op.several else result

    return apply


def unit_member(whole: Any) -> Any:
    """Return a batch of one member in place of an empty one: matrices with ones on the diagonal, and pivots of one,
    which no operator refuses."""
    ones = whole.new_ones((1, *whole._array_.shape[1:]))
    return ones.tril().triu() if ones._array_.ndim > 2 and ones._array_.dtype.kind in "fc" else ones


def with_members(result: Any, size: int) -> Any:
    """Return a result for a batch; one that was not computed is empty for each member."""
    return result.new_zeros((size, 0)) if result._array_.shape == (0,) else result


of_matrices = partial(op, dtypes=FACTORED, layout="own", batching=stacked(2), public="neither")
"""Family of the operators on one batch of matrices."""

of_two = partial(of_matrices, batching=stacked(2, 2), larger=True)
"""Family of the operators on two batches of matrices, which broadcast."""

public = partial(composite, method=False, function=False)
"""Family of the functions of `linalg`."""

TO_SQUARES = """
    Args:
        A: (..., n, n), floating or complex.
        out: a tensor to write into.

    Returns:
        A new {result}.

    Raises:
        RuntimeError: if `A` is not a batch of square matrices{errors}.
    """
"""Sections of a function of `linalg` that takes square matrices only."""

OF_SQUARES = """
    Returns:
        A new tensor (..., n, n).

    Raises:
        RuntimeError: if `{matrices}` is not a batch of square matrices.
    """
"""Sections of a function of square matrices."""

AS_IN_LINALG = """
    Returns:
        A new tensor (..., n, n).

    Raises:
        RuntimeError, LinAlgError: as `linalg.{function}`.
    """
"""Sections of the older function of square matrices beside one of `linalg`."""

SOLUTION = """
    Returns:
        A new tensor of the shape of `{right}`, with the dimensions in front of both.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.{errors}
    """
"""Sections of the solution of linear systems with the right-hand sides `right`."""

PACKED = """\
        check_errors: raise an error if a pivot is zero.
        out: a tuple of tensors to write into.

    Returns:
        A tuple ({factors}, pivots, info): info is 0, or the number of the pivot that is zero, from 1.

    Raises:
        RuntimeError: if `A` is not a batch of {matrices}.
        LinAlgError: if a pivot is zero, and `check_errors` is true.
        ImportError: if SciPy is not installed.
    """
"""Last parameters, and sections, of triangular factors in one tensor."""


def symmetric(operator: Any, self: Any, *rest: Any, **options: Any) -> Any:
    """Call an operator that reads one triangle only with a Hermitian matrix, to run samples."""
    return operator(self + adjoint(self), *rest, **options)


def positive(operator: Any, self: Any, *rest: Any, **options: Any) -> Any:
    """Call an operator with a positive definite matrix made from any matrix, to run samples."""
    return operator(self @ adjoint(self) + self.new_ones(self.shape[-1]).diag(), *rest, **options)


def wrong_argument(name: str, argument: str, position: int, wanted: str, value: Any) -> TypeError:
    """Return the error for an argument of a wrong type."""
    return TypeError(errors.wrong_type(name, argument, position, wanted, value))


def as_view(result: Any, args: tuple[Any, ...]) -> Any:
    """Return the view that a function makes of its own result: the last step of a function of arrays."""
    return result.view(result._array_.shape)
