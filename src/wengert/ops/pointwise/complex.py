"""Complex numbers: conjugates, parts, angles, and views of their memory."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, flags
from ..._core.calls.out import put
from ..._core.cards.card import (
    COMPLEXES,
    FLOATS,
    REALS,
    WIDE,
    Array,
    Bad,
    Sample,
    checked,
    composite,
    derive_in_place,
    op,
    pointwise,
)
from ..._core.cards.late import bind
from ..._core.operators.batch_rules import elementwise
from ..._core.operators.layouts import row_major, steps_of
from ..._core.out_errors import FOUND
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.tensor.postponed import is_conjugated, is_negated, postponed
from ..._core.types import dtypes
from ..._core.types.dtypes import HALVES, from_numpy
from ..._kernels.layout import reaching, strided
from ..create.like import zeros_like
from ..family import describes
from .binary import check_tensor
from .unary import complex_tensor, conjugate_complex, conjugate_complex_jvp, conjugate_complex_vjp

_IN_PACKAGE = ("conj_physical_",)

native = kernels.direct_function
COMPLEX_OF: dict[Any, Any] = {
    np.dtype(np.float32): np.dtype(np.complex64),
    np.dtype(np.float64): np.dtype(np.complex128),
}

PARTS = REALS - HALVES
SIGNED = WIDE - {dtypes.bool_}
NO_HALVES = "{}: two float16 numbers are one of complex32, which does not exist here; use float32"


@op(name="_conj", dtypes=COMPLEXES, view="signs", node="ConjBackward0", batching=elementwise)
def conj_view(self: Array) -> Any:
    """Complex conjugate of `self`, in the same memory: elements are conjugated when they are read.

    Raises:
        NotImplementedError: if `self` is not complex.
    """
    if self.dtype.kind != "c":
        raise NotImplementedError(errors.no_kernel("_conj", from_numpy(self.dtype)))
    return postponed(self, True, False)


conj_view.vjp("self")(conjugate_complex_vjp)


@conj_view.jvp("self")
def conj_view_jvp(tangent: Any) -> Any:
    return conj_view(tangent)


conj_view.samples(complex_tensor)


@op(name="_neg_view", dtypes=SIGNED, view="signs", node="NegViewBackward0", batching=elementwise)
def neg_view(self: Array) -> Any:
    """Negative of `self`, in the same memory: elements are negated when they are read.

    Raises:
        NotImplementedError: if `self` holds truth values.
    """
    if self.dtype.kind == "b":
        raise NotImplementedError(errors.no_kernel("_neg_view", from_numpy(self.dtype)))
    return postponed(self, False, True)


@neg_view.vjp("self")
def neg_view_vjp(grad: Any) -> Any:
    return -grad


@neg_view.jvp("self")
def neg_view_jvp(tangent: Any) -> Any:
    return neg_view(tangent)


neg_view.samples(complex_tensor)


@composite()
def conj(input: Any) -> Any:
    """Complex conjugate of `input`, element by element.

    Args:
        input: tensor.

    Returns:
        `input` itself if it is real; else a view whose elements are conjugated when they are read (see `is_conj`), so
        that a write to it writes to `input`. A new tensor if `input` is sparse.

    Examples:
        >>> import wengert as wg
        >>> wg.conj(wg.tensor([1 + 2j, -3j]))
        tensor([1.-2.j, -0.+3.j])
    """
    check_tensor("conj", input)
    if input._array_.dtype.kind != "c":
        return input
    return conjugate_complex(input) if input._flags_ & flags.SPARSE else conj_view(input)


conj.samples(complex_tensor)


@op(
    layout="iterator",
    name="_conj_physical",
    dtypes=WIDE,
    node="ConjPhysicalBackward0",
    public="neither",
    batching=elementwise,
    native=native("conjugate"),
)
def conjugated(self: Array) -> Any:
    """Complex conjugate of `self`, element by element; a copy of real numbers."""
    return kernels.conjugate(self) if self.dtype.kind == "c" else self.copy()


conjugated.vjp("self")(conjugate_complex_vjp)
conjugated.jvp("self")(conjugate_complex_jvp)
conjugated.samples(complex_tensor)
derive_in_place(conjugated, "conj_physical_", renamed=True)


@composite()
def conj_physical(input: Any, *, out: Any = None) -> Any:
    """Complex conjugate of `input`, element by element.

    Args:
        input: tensor.
        out: a tensor to write into.

    Returns:
        `input` itself if it is real; else a new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.conj_physical(wg.tensor([1 + 2j, -3j]))
        tensor([1.-2.j, -0.+3.j])
    """
    check_tensor("conj_physical", input)
    return put(
        "conj_physical",
        out,
        conjugated(input) if input._array_.dtype.kind == "c" or out is not None else input,
        words=FOUND,
        read=(input,),
        recorded=False,
    )


conj_physical.samples(complex_tensor)


@composite()
def is_conj(input: Any) -> bool:
    """Return whether the elements of `input` are conjugated when they are read.

    Args:
        input: tensor.

    Returns:
        True for the result of `conj` of a complex tensor, and for views of it.

    Examples:
        >>> import wengert as wg
        >>> z = wg.tensor([1 + 2j])
        >>> z.conj().is_conj(), z.conj().conj().is_conj()
        (True, False)
    """
    check_tensor("is_conj", input)
    return is_conjugated(input)


@composite()
def is_neg(input: Any) -> bool:
    """Return whether the elements of `input` are negated when they are read.

    Args:
        input: tensor.

    Returns:
        True for the imaginary part of the result of `conj`, and for views of it.

    Examples:
        >>> import wengert as wg
        >>> z = wg.tensor([1 + 2j])
        >>> z.conj().imag.is_neg(), z.conj().real.is_neg()
        (True, False)
    """
    check_tensor("is_neg", input)
    return is_negated(input)


RESOLVED = """
    Args:
        input: tensor.

    Returns:
        A new tensor if `input.{question}()`; otherwise `input` itself.
    """


@composite()
@describes(RESOLVED, question="is_conj")
def resolve_conj(input: Any) -> Any:
    """The elements of `input` in memory of their own, if they are conjugated when they are read.

    Examples:
        >>> import wengert as wg
        >>> wg.resolve_conj(wg.tensor([1 + 2j]).conj()).is_conj()
        False
    """
    check_tensor("resolve_conj", input)
    return input.clone() if is_conjugated(input) else input


@composite()
@describes(RESOLVED, question="is_neg")
def resolve_neg(input: Any) -> Any:
    """The elements of `input` in memory of their own, if they are negated when they are read.

    Examples:
        >>> import wengert as wg
        >>> wg.resolve_neg(wg.tensor([1 + 2j]).conj().imag).is_neg()
        False
    """
    check_tensor("resolve_neg", input)
    return input.clone() if is_negated(input) else input


for card in (is_conj, is_neg, resolve_conj, resolve_neg):
    card.samples(complex_tensor)


@op(dtypes=COMPLEXES, view="dtype", public="function", batching=elementwise, native=native("view_as_real"))
def view_as_real(self: Array) -> Any:
    """View of complex numbers as pairs of real ones.

    Args:
        self: complex tensor.

    Returns:
        A view with one dimension more, of length 2, at the end: real and imaginary parts.

    Raises:
        RuntimeError: if `self` is not complex.

    Examples:
        >>> import wengert as wg
        >>> wg.view_as_real(wg.tensor([1 + 2j, 3 + 4j]))
        tensor([[1., 2.],
                [3., 4.]])
    """
    if self.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return reaching(self.real, (*self.shape, 2), (*self.strides, self.itemsize // 2), 0)


@view_as_real.vjp("self")
def view_as_real_vjp(grad: Any) -> Any:
    dense = grad.contiguous()
    return view_as_complex(dense.clone() if dense.storage_offset() % 2 else dense)


@view_as_real.jvp("self")
def view_as_real_jvp(tangent: Any) -> Any:
    return view_as_real(tangent)


@view_as_real.samples
def view_as_real_samples(make: Any) -> Any:
    yield from complex_tensor(make)
    yield Bad(make(2).real, raises=RuntimeError, says="only supported for complex tensors")


@op(dtypes=PARTS, view="dtype", public="function", native=native("view_as_complex"))
def view_as_complex(self: Array) -> Any:
    """View of pairs of real numbers as complex ones.

    Args:
        self: tensor of float32 or float64 whose last dimension has length 2 and is contiguous.

    Returns:
        A view without the last dimension.

    Raises:
        RuntimeError: if dtype, shape, strides or storage offset do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.view_as_complex(wg.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tensor([1.+2.j, 3.+4.j])
    """
    wanted = COMPLEX_OF.get(self.dtype)
    if self.dtype == np.float16:
        raise NotImplementedError(NO_HALVES.format("view_as_complex"))
    if wanted is None:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{from_numpy(self.dtype).legacy.removesuffix('Tensor')}"
        )
    if self.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if self.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    steps = steps_of(self)
    if not self.size and steps[-1] != 1:  # an expanded tangent of an empty batch
        steps = row_major(self.shape)
    if steps[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 and length != 1 for length, step in zip(self.shape, steps[:-1])):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if not self.size:
        return strided(self.view(wanted), self.shape[:-1], tuple([step * self.itemsize for step in steps[:-1]]))
    return self.view(wanted)[..., 0]


def refuse_split_pairs(tensor: Any) -> None:
    """Refuse pairs that are not aligned with complex numbers of the storage.

    Raises:
        RuntimeError: if the first pair begins with the second half of a complex number.
    """
    offset = tensor.storage_offset()
    if offset % 2:
        raise RuntimeError(
            f"view_as_complex: Tensor must have a storage_offset divisible by 2, but got {offset}. Call it with a "
            "clone() of the tensor"
        )


def of_whole_pairs(input: Any) -> Any:
    check_tensor("view_as_complex", input)
    if not input._flags_ & (flags.BATCHED | flags.SPARSE):
        refuse_split_pairs(input)
    return view_as_complex.call((input,))


def as_function(function: Any) -> Any:
    """Return what makes the public function of a card from one that checks more than the operator, which rules call."""

    @functools.cache
    def of_card(card: Any) -> Any:
        function.__doc__ = card.__doc__
        return checked(card.name, function, module="wengert")

    return of_card


view_as_complex.function_of = as_function(of_whole_pairs)  # tangents may begin anywhere


@view_as_complex.batched
def view_as_complex_batched(self: Any) -> Any:
    refuse_split_pairs(self)
    return view_as_complex.call((self,))


@view_as_complex.vjp("self", native=native("view_as_real"))
def view_as_complex_vjp(grad: Any) -> Any:
    return view_as_real(grad)


@view_as_complex.jvp("self")
def view_as_complex_jvp(tangent: Any) -> Any:
    return view_as_complex(tangent)


@view_as_complex.samples
def view_as_complex_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Sample(make(2))
    yield Sample(make(0, 2))
    yield Bad(make(2, 3), raises=RuntimeError, says="last dimension of size 2")


def refuse_conjugated(input: Any) -> Any:
    check_tensor("view_as_real", input)
    if is_conjugated(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return view_as_real.call((input,))


view_as_real.function_of = as_function(refuse_conjugated)


@composite(method=False)
def real(input: Any) -> Any:
    """The real part of `input`.

    Args:
        input: tensor.

    Returns:
        `input` itself if it is real; else a view.

    Examples:
        >>> import wengert as wg
        >>> wg.real(wg.tensor([1 + 2j, 3 + 4j]))
        tensor([1., 3.])
    """
    check_tensor("real", input)
    if input._array_.dtype.kind != "c":
        return input
    return view_as_real(conj_view(input) if is_conjugated(input) else input).select(-1, 0)


real.samples(complex_tensor)


@composite(method=False)
def imag(input: Any) -> Any:
    """The imaginary part of `input`.

    Args:
        input: complex tensor.

    Returns:
        A view.

    Raises:
        RuntimeError: if `input` is not complex.

    >>> wg.imag(wg.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.])
    """
    check_tensor("imag", input)
    if input._array_.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if is_conjugated(input):
        return neg_view(view_as_real(conj_view(input))).select(-1, 1)
    return view_as_real(input).select(-1, 1)


@imag.samples
def imag_samples(make: Any) -> Any:
    if make.dtype.is_complex:
        yield from complex_tensor(make)


def assign_real(self: Any, value: Any) -> None:
    """Write to the real part in place: `tensor.real = value`."""
    write_part(real(self), value)


def assign_imag(self: Any, value: Any) -> None:
    """Write to the imaginary part in place: `tensor.imag = value`."""
    write_part(imag(self), value)


def write_part(part: Any, value: Any) -> None:
    """Write a tensor, or one number, to the real or the imaginary part.

    Raises:
        TypeError: if `value` is neither a tensor nor a number.
    """
    if isinstance(value, (bool, int, float, complex)):
        part.fill_(value)
    elif isinstance(value, Tensor):
        part.copy_(value)
    else:
        raise TypeError(f"can't assign a {type(value).__name__} to a {part.type()}")


bind("real", property(real, assign_real, doc=real.__doc__))
bind("imag", property(imag, assign_imag, doc=imag.__doc__))


@pointwise(promote="float", dtypes=FLOATS, numbers=False, native=kernels.direct_function("angle"))
def angle(self: Array) -> Any:
    """The angle of `self` in the complex plane in radians, element by element; pi for negative real numbers.

    Returns:
        A new real tensor of the same shape; integers become the default dtype.

    Derivative:
        0 for real numbers and at 0.

    Examples:
        >>> import wengert as wg
        >>> wg.angle(wg.tensor([1j, -1 + 0j]))
        tensor([1.5708, 3.1416])
    """
    if self.dtype.kind == "c":
        return np.arctan2(self.imag, self.real)
    return np.where(np.isnan(self), self, np.where(self < 0, self.dtype.type(math.pi), self.dtype.type(0)))


def nothing_like(tensor: Any) -> Any:
    """Zeros in the order of a tensor; on the device "meta", where factories are asked otherwise, in rows."""
    return tensor.new_zeros(tensor.shape) if tensor.is_meta else zeros_like(tensor)


@angle.vjp("self")
def angle_vjp(grad: Any, self: Any) -> Any:
    if not self.dtype.is_complex:
        return nothing_like(self)
    size, known = self.abs(), self != 0
    safe = size.where(known, 1)
    return (grad * 1j * (self / safe) / safe).where(known, 0)  # the square of the size may overflow or underflow


@angle.jvp("self")
def angle_jvp(tangent: Any, self: Any) -> Any:
    if not self.dtype.is_complex:
        return nothing_like(self)
    known = self != 0
    safe = self.abs().where(known, 1)
    return ((tangent * (conjugate(self) / safe)).imag / safe).where(known, 0)


@angle.samples
def angle_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="nonzero"))
    yield Sample(make(kind="nonzero"))
    yield Sample(make(0, 2))
