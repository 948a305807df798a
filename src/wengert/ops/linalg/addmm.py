"""Sums of a tensor and a matrix product: addmm, addmv, addbmm and baddbmm."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import NUMBERS, Array, Bad, InPlace, Number, Out, Sample, op
from ..._core.cards.node_classes import shape_of_input
from ..._core.operators.declaration import OLDER
from ..._core.state.modes import current
from ..._core.types.dtypes import from_numpy
from ..dtype_checks import check_number, checked_number
from ..shapes.views import not_expanded
from .products import (
    c_name,
    check_batches,
    check_matrices,
    conjugated,
    gradient_of_first,
    gradient_of_second,
    type_name,
)

_IN_PACKAGE = ("addmv_",)

WITH_FACTORS = {**dict.fromkeys(("NTTT", "TNTT"), ("beta",)), **dict.fromkeys(("NTNTT", "TNNTT"), ("beta", "alpha"))}
"""The older forms of sums with products: `x.addmm(beta, alpha, a, b)` or `torch.addmm(beta, x, alpha, a, b)`."""
OF_BATCHES = "self and mat2 must have the same dtype, but got {found} and {wanted}"
native = kernels.direct_function


def scaled(value: Any, factor: Any) -> Any:
    """Return `value * factor`; a factor of 1 costs nothing."""
    return value if factor == 1 else value * factor


def conjugate(factor: Any) -> Any:
    """Conjugate of a Python number."""
    return factor.conjugate() if isinstance(factor, complex) else factor


def combine(product: Any, bias: Any, beta: Any, alpha: Any, inner: int, *, unread: bool = True) -> Any:
    """beta * bias + alpha * product, written over `product`; a `bias` with `beta` 0 is not read.

    A product whose elements are sums of no terms (`inner` is 0) is 0 for any `alpha`. So is a product that is not
    to be read (`unread`), if `alpha` is 0.
    """
    if alpha == 0 and unread:
        product[...] = 0
    elif alpha != 1 and inner:
        product = kernels.multiply(product, as_element(alpha, product), out=product)
    if beta == 0:
        return product
    return kernels.add(product, bias if beta == 1 else kernels.multiply(bias, as_element(beta, product)), out=product)


def as_element(factor: Any, array: Any) -> Any:
    """Convert a Python number to the dtype of an array; a negative number wraps around if the dtype is unsigned.

    Raises:
        RuntimeError: if the dtype holds integers that cannot represent the number.
    """
    is_integer = array.dtype.kind in "iu"
    return array.dtype.type(checked_number(factor, from_numpy(array.dtype)) if is_integer else factor)


def check_expands(array: Any, shape: tuple[int, ...]) -> None:
    """Refuse an array that does not broadcast to `shape`.

    Raises:
        RuntimeError: if the array has more dimensions, or a length differs.
    """
    have = array.shape
    lead = len(shape) - len(have)
    if lead < 0:
        raise not_expanded(array, shape)
    for at in range(len(have) - 1, -1, -1):
        if have[at] != 1 and have[at] != shape[at + lead]:
            raise not_expanded(array, shape, at + lead)


def check_same_dtype(bias: Any, mat1: Any, mat2: Any) -> None:
    """Refuse operands of different dtypes.

    Raises:
        RuntimeError: if the dtypes differ.
    """
    for name, array in (("self", bias), ("mat1", mat1)):
        if array.dtype != mat2.dtype:
            raise RuntimeError(
                f"{name} and mat2 must have the same dtype, but got {type_name(array)} and {type_name(mat2)}"
            )


def bias_gradient(grad: Any, self_shape: tuple[int, ...], beta: Any) -> Any:
    """Gradient of the tensor that a product is added to; for a bias along the last dimension the engine sums the rest.

    A recorded pass sums everything, in the form that torch records.
    """
    if len(self_shape) == 1 and grad.ndim == 2 and self_shape[0] == grad.shape[1] and not current().grad:
        grad = grad.sum(0)
    return scaled(grad, conjugate(beta))


def bias_tangent(tangent: Any, beta: Any) -> Any:
    return scaled(tangent, beta)


def check_addmm(bias: Any, mat1: Any, mat2: Any) -> None:
    """Refuse operands of `addmm` that do not fit.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        check_matrices(mat1, mat2)
    if bias.dtype != mat2.dtype or mat1.dtype != mat2.dtype:
        check_same_dtype(bias, mat1, mat2)
    if bias.shape != mat2.shape[1:]:
        check_expands(bias, (mat1.shape[0], mat2.shape[1]))
    check_number("addmm", "addmm_impl_cpu_", mat1)


product_added = partial(
    op,
    rules=lambda card: card.jvp("self")(bias_tangent),
    dtypes=NUMBERS,
    larger=True,
    inplace=InPlace(apart="itself"),
    out=Out(apart="partly"),
    describes="""
    Args:
        batch1: (b, n, k).
        batch2: (b, k, m).
        beta: a number; 0 means that `self` is not read.
        alpha: a number.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """,
)
"""Family of the operators that add a matrix product to a tensor."""


@product_added(batching="batches.matrices_added", native=native("addmm"))
def addmm(self: Array, mat1: Array, mat2: Array, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * (mat1 @ mat2).

    Args:
        self: broadcasts to (n, m).
        mat1: (n, k).
        mat2: (k, m).

    Returns:
        A new tensor (n, m).

    Examples:
        >>> import wengert as wg
        >>> wg.addmm(wg.ones(2), wg.tensor([[1.0, 2.0]]), wg.eye(2), beta=0.5)
        tensor([[1.5000, 2.5000]])
    """
    check_addmm(self, mat1, mat2)
    product = kernels.matmul(mat1, mat2)
    if alpha == 1 and beta == 1:
        return kernels.add(product, self, out=product)
    return combine(product, self, beta, alpha, mat1.shape[1])


OLDER[addmm.name] = WITH_FACTORS


addmm.vjp("self", native=native("addmm_bias_rule"))(bias_gradient)


@addmm.vjp("mat1", native=native("addmm_first_rule"))
def addmm_vjp_mat1(grad: Any, mat2: Any, mat1_shape: Any, mat1_strides: Any, alpha: Any) -> Any:
    return scaled(gradient_of_first(grad, mat2, mat1_shape, mat1_strides), conjugate(alpha))


@addmm.vjp("mat2", native=native("addmm_second_rule"))
def addmm_vjp_mat2(grad: Any, mat1: Any, mat2_shape: Any, mat2_strides: Any, alpha: Any) -> Any:
    return scaled(gradient_of_second(grad, mat1, mat2_shape, mat2_strides), conjugate(alpha))


@addmm.jvp("mat1")
def addmm_jvp_mat1(tangent: Any, mat2: Any, alpha: Any) -> Any:
    return scaled(tangent.mm(mat2), alpha)


@addmm.jvp("mat2")
def addmm_jvp_mat2(tangent: Any, mat1: Any, alpha: Any) -> Any:
    return scaled(mat1.mm(tangent), alpha)


@addmm.samples
def addmm_samples(make: Any) -> Any:
    yield Sample(make(4), make(2, 3), make(3, 4))
    yield Sample(make(2, 4), make(2, 3), make(3, 4), beta=2, alpha=3)
    yield Sample(make(), make(2, 3), make(3, 4), beta=0)
    yield Bad(make(4), make(2, 3), make(2, 2), raises=RuntimeError, says="cannot be multiplied (2x3 and 2x2)")
    yield Bad(make(3), make(2, 3), make(3, 4), raises=RuntimeError, says="must match the existing size (3)")


def check_addmv(self: Any, mat: Any, vec: Any) -> None:
    """Check the arguments of `addmv`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if mat.ndim != 2 or vec.ndim != 1 or self.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {self.ndim}, {mat.ndim}, {vec.ndim}")
    rows, columns = mat.shape
    length = self.shape[0] if self.ndim else 1
    if columns != vec.shape[0] or length not in (1, rows):
        raise RuntimeError(f"size mismatch, got input ({length}), mat ({rows}x{columns}), vec ({vec.shape[0]})")
    if not self.dtype == mat.dtype == vec.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{type_name(self)}, {type_name(mat)}, and {type_name(vec)}"
        )
    check_number("addmv", "addmv_impl_cpu", mat)


@product_added(batching="batches.matrix_vector_added", native=native("addmv"))
def addmv(self: Array, mat: Array, vec: Array, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * (mat @ vec).

    Args:
        self: broadcasts to (n,).
        mat: (n, k).
        vec: (k,).

    Returns:
        A new tensor (n,).

    Examples:
        >>> import wengert as wg
        >>> wg.addmv(wg.ones(2), wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([1.0, 1.0]))
        tensor([4., 8.])
    """
    check_addmv(self, mat, vec)
    return combine(kernels.matmul(mat, vec), self, beta, alpha, vec.shape[0])


OLDER[addmv.name] = WITH_FACTORS


@addmv.vjp("self")
def addmv_vjp_self(grad: Any, beta: Any) -> Any:
    return scaled(grad, conjugate(beta))


@addmv.vjp("mat")
def addmv_vjp_mat(grad: Any, vec: Any, alpha: Any) -> Any:
    return scaled(grad, conjugate(alpha)).unsqueeze(1).mm(conjugated(vec).unsqueeze(0))


@addmv.vjp("vec")
def addmv_vjp_vec(grad: Any, mat: Any, alpha: Any) -> Any:
    return scaled(conjugated(mat).t().mv(grad), conjugate(alpha))


@addmv.jvp("mat")
def addmv_jvp_mat(tangent: Any, vec: Any, alpha: Any) -> Any:
    return scaled(tangent.mv(vec), alpha)


@addmv.jvp("vec")
def addmv_jvp_vec(tangent: Any, mat: Any, alpha: Any) -> Any:
    return scaled(mat.mv(tangent), alpha)


@addmv.samples
def addmv_samples(make: Any) -> Any:
    yield Sample(make(2), make(2, 3), make(3))
    yield Sample(make(), make(2, 3), make(3), beta=2, alpha=3)
    yield Bad(
        make(2), make(2, 3), make(2), raises=RuntimeError, says="size mismatch, got input (2), mat (2x3), vec (2)"
    )


def check_addbmm(self: Any, batch1: Any, batch2: Any) -> None:
    """Check the arguments of `addbmm`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    (count, rows, inner), (other, height, columns) = batch1.shape, batch2.shape
    if count != other:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {count} and {other}")
    if inner != height:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({rows}x{inner} and {height}x{columns})")
    check_expands(self, (rows, columns))
    check_same_dtype(self, batch1, batch2)
    check_number("addbmm", "addmm_impl_cpu_", batch1)


@product_added(batching="batches.of_addbmm", out=Out(apart="partly", words=OF_BATCHES, silent=True))
def addbmm(self: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * the sum of all products of a batch.

    Args:
        self: broadcasts to (n, m).

    Returns:
        A new tensor (n, m).

    Examples:
        >>> import wengert as wg
        >>> wg.addbmm(wg.zeros(1, 1), wg.ones(3, 1, 2), wg.ones(3, 2, 1))
        tensor([[6.]])
    """
    check_addbmm(self, batch1, batch2)
    (count, rows, inner), columns = batch1.shape, batch2.shape[2]
    # One product over the batch and the inner dimension together.
    wide = np.moveaxis(batch1, 0, 1).reshape(rows, count * inner)
    product = kernels.matmul(wide, batch2.reshape(count * inner, columns))
    return combine(product, self, beta, alpha, count * inner)


addbmm.shows(
    batch1_sym_argsize_0=lambda node: shape_of_input(node, 1, 0),
    batch1_sym_argsize_1=lambda node: shape_of_input(node, 1, 1),
    batch2_sym_argsize_2=lambda node: shape_of_input(node, 2, 2),
)


OLDER[addbmm.name] = WITH_FACTORS


addbmm.vjp("self")(bias_gradient)


@addbmm.vjp("batch1")
def addbmm_vjp_batch1(grad: Any, batch2: Any, alpha: Any) -> Any:
    spread = scaled(grad, conjugate(alpha)).unsqueeze(0).expand((batch2.shape[0], *grad.shape))
    return spread.bmm(conjugated(batch2).transpose(1, 2))


@addbmm.vjp("batch2")
def addbmm_vjp_batch2(grad: Any, batch1: Any, alpha: Any) -> Any:
    spread = scaled(grad, conjugate(alpha)).unsqueeze(0).expand((batch1.shape[0], *grad.shape))
    return conjugated(batch1).transpose(1, 2).bmm(spread)


@addbmm.jvp("batch1")
def addbmm_jvp_batch1(tangent: Any, batch2: Any, alpha: Any) -> Any:
    return scaled(tangent.bmm(batch2).sum(0), alpha)


@addbmm.jvp("batch2")
def addbmm_jvp_batch2(tangent: Any, batch1: Any, alpha: Any) -> Any:
    return scaled(batch1.bmm(tangent).sum(0), alpha)


def check_baddbmm(self: Any, batch1: Any, batch2: Any) -> None:
    """Check the arguments of `baddbmm`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_batches(batch1, batch2)
    check_expands(self, (*batch1.shape[:2], batch2.shape[2]))
    if not self.dtype == batch1.dtype == batch2.dtype:
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {c_name(self)}, batch1: {c_name(batch1)}, "
            f"batch2: {c_name(batch2)}"
        )
    check_number("baddbmm", "baddbmm", batch1)


@product_added(batching="batches.of_baddbmm", native=native("baddbmm"))
def baddbmm(self: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1) -> Any:
    """Return beta * self + alpha * (batch1 @ batch2), matrix by matrix.

    Args:
        self: broadcasts to (b, n, m).

    Returns:
        A new tensor (b, n, m).

    Examples:
        >>> import wengert as wg
        >>> wg.baddbmm(wg.zeros(3, 1, 1), wg.ones(3, 1, 2), wg.ones(3, 2, 1)).flatten()
        tensor([2., 2., 2.])
    """
    check_baddbmm(self, batch1, batch2)
    return combine(kernels.matmul(batch1, batch2), self, beta, alpha, batch1.shape[2], unread=False)


OLDER[baddbmm.name] = WITH_FACTORS


@baddbmm.vjp("self")
def baddbmm_vjp_self(grad: Any, beta: Any) -> Any:
    return scaled(grad, conjugate(beta))


@baddbmm.vjp("batch1")
def baddbmm_vjp_batch1(grad: Any, batch2: Any, alpha: Any) -> Any:
    return scaled(grad.bmm(conjugated(batch2).transpose(1, 2)), conjugate(alpha))


@baddbmm.vjp("batch2")
def baddbmm_vjp_batch2(grad: Any, batch1: Any, alpha: Any) -> Any:
    return scaled(conjugated(batch1).transpose(1, 2).bmm(grad), conjugate(alpha))


@baddbmm.jvp("batch1")
def baddbmm_jvp_batch1(tangent: Any, batch2: Any, alpha: Any) -> Any:
    return scaled(tangent.bmm(batch2), alpha)


@baddbmm.jvp("batch2")
def baddbmm_jvp_batch2(tangent: Any, batch1: Any, alpha: Any) -> Any:
    return scaled(batch1.bmm(tangent), alpha)


@addbmm.samples
def batch_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(2, 3, 4), make(2, 4, 2))
    yield Sample(make(2), make(2, 3, 4), make(2, 4, 2), beta=2, alpha=3)
    yield Bad(make(3), make(2, 3, 4), make(2, 4, 2), raises=RuntimeError, says="must match the existing size (3)")


@baddbmm.samples
def baddbmm_samples(make: Any) -> Any:
    yield from batch_samples(make)
    yield Sample(make(2, 3, 2), make(2, 3, 4), make(2, 4, 2))
