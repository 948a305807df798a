"""Products of matrices and vectors, and of batches of matrices: mm, bmm, mv, dot and vdot."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core.cards.card import NUMBERS, Array, Bad, Out, Sample, op
from ..._core.out_errors import OF_PRODUCT, OF_VECTOR
from ..._core.recording.recorded import conjugate
from ..._core.types import dtypes
from ..dtype_checks import check_number

native = kernels.direct_function


def c_name(array: Any) -> str:
    """Name of an array's element type in torch's errors of matrix products."""
    return dtypes.from_numpy(array.dtype).c_name


def type_name(array: Any) -> str:
    """Name of an array's dtype in torch's other errors: `Float`."""
    return dtypes.from_numpy(array.dtype).legacy[:-6]


def check_matrices(mat1: Any, mat2: Any) -> None:
    """Refuse matrices that cannot be multiplied.

    Raises:
        RuntimeError: if the inner lengths differ.
    """
    (rows, inner), (other, columns) = mat1.shape, mat2.shape
    if inner != other:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({rows}x{inner} and {other}x{columns})")


def conjugated(tensor: Any) -> Any:
    """Return the conjugate of a complex tensor; a real one itself."""
    return conjugate(tensor)


def column_major(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Return whether a matrix is stored column by column."""
    return strides[0] == itemsize and strides[1] == itemsize * shape[0]


def gradient_of_first(grad: Any, mat2: Any, shape: Any, strides: Any) -> Any:
    """Gradient with respect to the first factor, column-major if the factor is."""
    if column_major(shape, strides, mat2._array_.itemsize):
        return conjugated(mat2).mm(grad.t()).t()
    return grad.mm(conjugated(mat2).t())


def gradient_of_second(grad: Any, mat1: Any, shape: Any, strides: Any) -> Any:
    """Gradient with respect to the second factor, column-major if the factor is.

    The weight of a linear layer is such a factor (`weight.t()`): its gradient is row-major without a copy.
    """
    if column_major(shape, strides, mat1._array_.itemsize):
        return grad.t().mm(conjugated(mat1)).t()
    return conjugated(mat1).t().mm(grad)


def check_mm(self: Any, mat2: Any) -> None:
    """Check the arguments of `mm`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        check_matrices(self, mat2)
    if self.dtype != mat2.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {c_name(self)} != {c_name(mat2)}")
    check_number("mm", "addmm_impl_cpu_", self)


@op(dtypes=NUMBERS, linear=("self", "mat2"), batching="batches.of_mm", native=native("mm"))
def mm(self: Array, mat2: Array) -> Any:
    """Product of two matrices.

    Args:
        self: (n, k).
        mat2: (k, m), of the same dtype.

    Returns:
        A new tensor (n, m).

    Raises:
        RuntimeError: if an operand is not a matrix, or shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.mm(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([[0.0, 1.0], [1.0, 0.0]]))
        tensor([[2., 1.],
                [4., 3.]])
    """
    check_mm(self, mat2)
    return kernels.matmul(self, mat2)


@mm.vjp("self", native=native("mm_first_rule"))
def mm_vjp_self(grad: Any, mat2: Any, self_shape: Any, self_strides: Any) -> Any:
    return gradient_of_first(grad, mat2, self_shape, self_strides)


@mm.vjp("mat2", native=native("mm_second_rule"))
def mm_vjp_mat2(grad: Any, self: Any, mat2_shape: Any, mat2_strides: Any) -> Any:
    return gradient_of_second(grad, self, mat2_shape, mat2_strides)


@mm.samples
def mm_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(3, 4))
    yield Sample(make(2, 0), make(0, 4))
    yield Bad(
        make(2, 3), make(2, 2), raises=RuntimeError, says="mat1 and mat2 shapes cannot be multiplied (2x3 and 2x2)"
    )
    yield Bad(make(2, 3), make(3), raises=RuntimeError, says="mat2 must be a matrix")


def check_bmm(self: Any, mat2: Any) -> None:
    """Check the arguments of `bmm`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_batches(self, mat2)
    if self.dtype != mat2.dtype:
        raise RuntimeError(f"expected scalar type {type_name(self)} but found {type_name(mat2)}")
    check_number("bmm", "bmm", self)


@op(dtypes=NUMBERS, linear=("self", "mat2"), batching="batches.of_bmm", native=native("bmm"))
def bmm(self: Array, mat2: Array) -> Any:
    """Products of two batches of matrices.

    Args:
        self: (b, n, k).
        mat2: (b, k, m), of the same dtype.

    Returns:
        A new tensor (b, n, m).

    Raises:
        RuntimeError: if an operand is not a batch of matrices, or shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.bmm(wg.ones(3, 1, 2), wg.ones(3, 2, 4)).shape
        torch.Size([3, 1, 4])
    """
    check_bmm(self, mat2)
    return kernels.matmul(self, mat2)


def check_batches(batch1: Any, batch2: Any) -> None:
    """Refuse batches of matrices that cannot be multiplied.

    Raises:
        RuntimeError: if an operand does not have three dimensions, or the lengths differ.
    """
    for name, batch in (("batch1", batch1), ("batch2", batch2)):
        if batch.ndim != 3:
            raise RuntimeError(f"{name} must be a 3D tensor")
    wanted = [batch1.shape[0], batch1.shape[2]]
    if [*batch2.shape[:2]] != wanted:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {[*batch2.shape[:2]]}."
        )


@bmm.vjp("self", native=native("bmm_first_rule"))
def bmm_vjp_self(grad: Any, mat2: Any) -> Any:
    return grad.bmm(conjugated(mat2).transpose(1, 2))


@bmm.vjp("mat2", native=native("bmm_second_rule"))
def bmm_vjp_mat2(grad: Any, self: Any) -> Any:
    return conjugated(self).transpose(1, 2).bmm(grad)


@bmm.samples
def bmm_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), make(2, 4, 2))
    yield Bad(make(2, 3, 4), make(2, 3, 4), raises=RuntimeError, says="to be: [2, 4] but got: [2, 3].")


def check_mv(self: Any, vec: Any) -> None:
    """Check the arguments of `mv`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {self.ndim}, {vec.ndim}")
    rows, columns = self.shape
    if columns != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({vec.shape[0]})")
    if self.dtype != vec.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{type_name(vec)}, {type_name(self)}, and {type_name(vec)}"
        )
    check_number("mv", "addmv_impl_cpu", self)


@op(dtypes=NUMBERS, linear=("self", "vec"), batching="batches.of_mv", native=native("mv"), out=Out(words=OF_VECTOR))
def mv(self: Array, vec: Array) -> Any:
    """Product of a matrix and a vector.

    Args:
        self: (n, k).
        vec: (k,), of the same dtype.

    Returns:
        A new tensor (n,).

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.mv(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([1.0, 10.0]))
        tensor([21., 43.])
    """
    check_mv(self, vec)
    return kernels.matmul(self, vec)


@mv.vjp("self", native=native("mv_first_rule"))
def mv_vjp_self(grad: Any, vec: Any) -> Any:
    return grad.unsqueeze(1) * conjugated(vec)


@mv.vjp("vec", native=native("mv_second_rule"))
def mv_vjp_vec(grad: Any, self: Any) -> Any:
    return conjugated(self).t().mv(grad)


@mv.samples
def mv_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(3))
    yield Bad(make(2, 3), make(2), raises=RuntimeError, says="size mismatch, got input (2), mat (2x3), vec (2)")


def check_vectors(name: str, a: Any, b: Any) -> None:
    """Refuse anything but two vectors of one length and dtype.

    Raises:
        RuntimeError: if an operand is not a vector, or lengths or dtypes differ.
    """
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {type_name(a)} and {type_name(b)}"
        )
    if a.size != b.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got {a.size} and {b.size} elements respectively"
        )
    check_number(name, "dot", a)


@op(
    dtypes=NUMBERS,
    linear=("self", "tensor"),
    batching="batches.of_dot",
    native=native("dot"),
    out=Out(words=OF_PRODUCT),
    kernel="dot",
)
def dot(self: Array, tensor: Array) -> Any:
    """Sum of the products of two vectors' elements; nothing is conjugated.

    Args:
        self: (n,).
        tensor: (n,), of the same dtype.

    Returns:
        A new 0-dim tensor.

    Raises:
        RuntimeError: if an operand is not a vector, or lengths or dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.dot(wg.tensor([1.0, 2.0]), wg.tensor([3.0, 4.0]))
        tensor(11.)
    """
    check_vectors("dot", self, tensor)
    return kernels.matmul(self, tensor)


@dot.vjp("self", native=native("dot_rule"))
def dot_vjp_self(grad: Any, tensor: Any) -> Any:
    return grad * conjugated(tensor)


@dot.vjp("tensor", native=native("dot_rule"))
def dot_vjp_tensor(grad: Any, self: Any) -> Any:
    return grad * conjugated(self)


@op(
    dtypes=NUMBERS,
    linear="other",
    batching="batches.conjugate_product",
    native=native("vdot"),
    out=Out(words=OF_PRODUCT),
)
def vdot(self: Array, other: Array) -> Any:
    """Sum of the products of two vectors' elements, those of the first conjugated.

    Args:
        self, other: as for `dot`.

    Returns:
        A new 0-dim tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.vdot(wg.tensor([1j, 2 + 0j]), wg.tensor([1j, 3 + 0j]))
        tensor(7.+0.j)
    """
    check_vectors("vdot", self, other)
    return kernels.matmul(kernels.conjugate(self), other)


@vdot.vjp("self")
def vdot_vjp_self(grad: Any, other: Any) -> Any:
    return conjugated(grad) * other


@vdot.vjp("other")
def vdot_vjp_other(grad: Any, self: Any) -> Any:
    return grad * self


@vdot.jvp("self")
def vdot_jvp_self(tangent: Any, other: Any) -> Any:
    return tangent.vdot(other)


@dot.samples
@vdot.samples
def dot_samples(make: Any) -> Any:
    yield Sample(make(3), make(3))
    yield Sample(make(0), make(0))
    yield Bad(make(3), make(2), raises=RuntimeError, says="inconsistent tensor size")
    yield Bad(make(3), make(2, 2), raises=RuntimeError, says="1D tensors expected, but got 1D and 2D tensors")
