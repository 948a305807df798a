"""Inverses of matrices."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Sample, composite
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._kernels import factors
from .. import return_types
from ..family import describes
from .matrices import (
    AS_IN_LINALG,
    TO_SQUARES,
    LinAlgError,
    adjoint,
    check_inexact,
    check_square,
    of_matrices,
    public,
    raise_first,
)

native = kernels.direct_function

SINGULAR = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."


@of_matrices(
    name="_linalg_inv_ex",
    node="LinalgInvExBackward0",
    outputs={"inverse": True, "info": False},
    native=native("inverse"),
)
def inverted(A: Array, check_errors: bool = True) -> Any:
    """Return the inverses of square matrices, and the number of each one's zero pivot, or 0."""
    check_square("linalg.inv", A)
    check_inexact("linalg.inv", A)
    inverse, info = factors.inverse(A)
    if check_errors:
        raise_first("linalg.inv", info, SINGULAR)
    return inverse, info


@inverted.vjp("A")
def inverted_vjp(grads: Any, inverse: Any) -> Any:
    turned = adjoint(inverse)
    return -(turned @ grads[0] @ turned)


@inverted.jvp("A")
def inverted_jvp(tangent: Any, inverse: Any) -> Any:
    return -(inverse @ tangent @ inverse), None


@inverted.samples
def inverted_samples(make: Any) -> Any:
    yield Sample(make(3, 3), True)
    yield Sample(make(2, 3, 3), False)
    yield Sample(make(0, 0), True)
    yield Bad(make(2, 3), True, raises=RuntimeError, says="batches of square matrices, but they are 2 by 3 matrices")
    yield Bad(make(3), True, raises=RuntimeError, says="linalg.inv: The input tensor A must have at least 2 dimensions")
    yield Bad(make(2, 2) * 0, True, raises=LinAlgError, says="The diagonal element 1 is zero")


@public(name="linalg_inv")
@describes(TO_SQUARES, result="tensor (..., n, n)", errors=".\n        LinAlgError: if a matrix cannot be inverted")
def inv(A: Tensor, *, out: Any = None) -> Any:
    """The inverses of square matrices.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.inv(wg.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    return put("linalg_inv", out, inverted(A, True)[0], words=EXACT, writer="linalg_inv_ex")


@public(name="linalg_inv_ex")
def inv_ex(A: Tensor, *, check_errors: bool = False, out: Any = None) -> Any:
    """The inverses of square matrices, and whether they exist; errors are optional.

    Args:
        A: (..., n, n), floating or complex.
        check_errors: raise an error if a matrix cannot be inverted.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (inverse, info): info is 0, or the number of the pivot that is zero, from 1.

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.
        LinAlgError: if a matrix cannot be inverted, and `check_errors` is true.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.inv_ex(wg.tensor([[2.0, 0.0], [0.0, 4.0]])).inverse
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    result = return_types.linalg_inv_ex(inverted(A, check_errors))
    return put("linalg_inv_ex", out, result, words=EXACT)


@composite()
@describes(AS_IN_LINALG, function="inv")
def inverse(self: Tensor, *, out: Any = None) -> Any:
    """The inverses of square matrices: `linalg.inv`.

    Args:
        self, out: as `A` and `out` of `linalg.inv`.

    Examples:
        >>> import wengert as wg
        >>> wg.inverse(wg.tensor([[2.0, 0.0], [0.0, 4.0]]))
        tensor([[0.5000, 0.0000],
                [0.0000, 0.2500]])
    """
    return put("inverse", out, inverted(self, True)[0], words=EXACT, writer="linalg_inv_ex")


@inv.samples
@inverse.samples
@inv_ex.samples
def inv_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Bad(make(2, 3), raises=RuntimeError, says="batches of square matrices, but they are 2 by 3 matrices")
